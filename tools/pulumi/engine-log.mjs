/** Shows the lines of a running command in the engine's display: ephemeral messages, gone once the command has ended. */
import { createRequire } from "node:module";
import { engineAddress, grpc } from "./plugin.mjs";

const require = createRequire(import.meta.url);
// The scanner of the official plug-in stops at a line this long (and then hangs); ours cuts the line.
const MAX_LINE_LENGTH = 65_535;

let client;
let address = engineAddress();
/** One message after the other: gRPC would deliver parallel calls in any order. */
let sent = Promise.resolve();

/** @param {string} engine  The address to log to from now on. */
export function logTo(engine) {
  address = engine;
  client = undefined;
}

/** @param {string} urn @param {string} line */
export function logLine(urn, line) {
  sent = sent.then(() => send(urn, line.slice(0, MAX_LINE_LENGTH)));
}

/** Resolves when the engine has every line so far. */
export const logged = () => sent;

/** Calls `onLine` for each whole line, and at the end for what follows the last newline. */
export function lineSplitter(onLine) {
  let rest = "";
  return {
    write(text) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(line.replace(/\r$/, ""));
    },
    end: () => void (rest && onLine(rest)),
  };
}

/** A line that cannot be shown is no reason to fail the command. */
function send(urn, message) {
  const { LogRequest, LogSeverity } = require("@pulumi/pulumi/proto/engine_pb.js");
  const request = new LogRequest().setSeverity(LogSeverity.INFO).setMessage(message).setUrn(urn).setEphemeral(true);
  return new Promise((resolve) => (engine() ? engine().log(request, () => resolve()) : resolve()));
}

function engine() {
  if (!address) return undefined;
  const { EngineClient } = require("@pulumi/pulumi/proto/engine_grpc_pb.js");
  return (client ??= new EngineClient(address, grpc.credentials.createInsecure()));
}
