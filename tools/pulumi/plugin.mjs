/**
 * What every plug-in of the Pulumi engine does alike: serve gRPC on a free port, print that port, and end with the
 * engine that started it.
 */
import { createRequire } from "node:module";

// require(), not import: Node would parse these large CommonJS files twice to find their export names (60 ms).
const require = createRequire(import.meta.url);
export const grpc = require("@grpc/grpc-js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb.js");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb.js");

// The engine sends and accepts 400 MiB; gRPC's own default of 4 MiB would refuse a command with a long output.
const MAX_MESSAGE_BYTES = 400 * 1024 * 1024;
const ENGINE_POLL_MS = 500;

/** @typedef {(request: any, call: any) => any} Handler  Takes the request message, returns or resolves to the response. */

/**
 * Serves `handlers` (plus GetPluginInfo) as `service`. `end` is called once, when the plug-in has to go: it must stop
 * whatever still runs. The process exits when it has resolved.
 * @param {{ service: object, handlers: Record<string, Handler>, streams?: object, version: string, end: () => Promise<void> }} plugin
 */
export function serve({ service, handlers, streams = {}, version, end }) {
  endWithEngine(end);
  const server = new grpc.Server({
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
  });
  const getPluginInfo = () => new PluginInfo().setVersion(version);
  server.addService(service, { ...unaryAll({ ...handlers, getPluginInfo }), ...streams });
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    process.stdout.write(`${port}\n`);
  });
}

/** The engine's address: the last argument, after any flags for logging and tracing. */
export function engineAddress() {
  return process.argv.length > 2 ? process.argv.at(-1) : undefined;
}

export const empty = () => new Empty();

/** An engine that was killed cannot stop its plug-ins, and a plug-in that outlives it keeps its commands running. */
function endWithEngine(end) {
  const engine = process.ppid;
  let ending;
  const exit = () => (ending ??= end().finally(() => process.exit(0)));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, exit);
  setInterval(() => process.ppid !== engine && exit(), ENGINE_POLL_MS).unref();
}

function unaryAll(handlers) {
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, unary(handler)]));
}

function unary(handler) {
  return async (call, callback) => {
    try {
      callback(null, await handler(call.request, call));
    } catch (error) {
      callback({ code: error.code ?? grpc.status.UNKNOWN, details: error.message, metadata: error.metadata });
    }
  };
}
