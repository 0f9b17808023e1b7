import {
  Authorizer,
  Benchmark,
  fileOf,
  GatewayUnderTest,
  LoadGenerator,
  Observatory,
  UpstreamHost,
  type Duration,
  type Host,
  type Scenario,
  type Workload,
} from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { repeat } from "@gatebench/core/measure";
import { staticPayload } from "@gatebench/core/upstreams";
import { envoy } from "@gatebench/gateways";
import { locust } from "@gatebench/generators";
import type { ObservedSeen } from "./observed";
import { observe } from "./rig";

export interface Authorized {
  readonly users: number;
  readonly duration: Duration;
  readonly credential: NonNullable<Scenario["credential"]>;
  readonly poolSize?: number;
  /** How long the way to Redis and back takes, as to another node. Default no time. */
  readonly redisAwayMs?: number;
}

/** Users who think, before an Envoy that asks an authorizer, with an observatory beside them. */
export function authorizedProgram({ users, duration, credential, poolSize, redisAwayMs }: Authorized) {
  const seen: ObservedSeen = { runs: [], verifications: {}, cells: {}, summary: "" };
  const program = async () => {
    const site = new LocalTopology("site");
    const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
    const redisHost = startingOn(site.gateway, (redis) => (redisAwayMs ? away(redis, redisAwayMs) : redis));
    const authorizer = new Authorizer("authorizer", { host: site.gateway, redisHost, poolSize });
    const target = new GatewayUnderTest("envoy", {
      ...{ host: site.gateway, upstream, adapter: envoy({ authorizer: { timeout: "2s" } }), authorizer },
      scenario: { name: "ext-authz", auth: "external", credential },
    });
    const generator = new LoadGenerator("locust", { host: site.generator, adapter: locust({ client: "http" }) });
    const watches = [upstream, target, generator, authorizer];
    const observatory = new Observatory("observatory", { host: site.observer, watches });
    const bench = new Benchmark("bench", {
      ...{ generator, target, observatory },
      load: { model: "users", users, spawnPerS: 100, think: { min: "50ms", max: "150ms" }, duration },
      protocol: repeat({ runs: 1, warmUp: false, coolDown: "0s" }),
    });
    observe(bench, seen);
    seen.observatory = observatory;
    observatory.url.apply((url) => (seen.url = url));
  };
  return { program, seen };
}

/** The host, on which a workload is started as something else. */
function startingOn(host: Host, change: (workload: Workload) => Workload): Host {
  const start: Host["start"] = (workload, ...rest) => host.start(change(workload), ...rest);
  return new Proxy(host, {
    get(target, name) {
      if (name === "start") return start;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

/** Redis on a socket of its own folder, and before it on its port what hands everything on later. */
function away(workload: Workload, ms: number): Workload {
  return {
    ...workload,
    programs: ["node", ...(workload.programs ?? [])],
    files: {
      ...workload.files,
      "away.cjs": awayScript,
      "redis.conf": (workload.files?.["redis.conf"] as string).replace(/^port \d+$/m, "port 0\nunixsocket redis.sock"),
    },
    command: ["node", fileOf("away.cjs"), String(ms), String(workload.ports.redis), ...workload.command],
  };
}

const awayScript = `
const { spawn } = require("node:child_process");
const { connect, createServer } = require("node:net");
const { existsSync } = require("node:fs");
const { join, relative } = require("node:path");
const [ms, port, ...command] = process.argv.slice(2);
const redis = spawn(command[0], command.slice(1), { stdio: "inherit" });
// The path of a socket may have 107 characters, and that of a folder has nearly as many.
const socket = relative(process.cwd(), join(command[4], "data", "redis.sock"));
redis.on("exit", (code) => process.exit(code ?? 1));
process.on("SIGTERM", () => redis.kill("SIGTERM"));
const answer = (client) => {
  const server = connect(socket);
  for (const one of [client, server]) one.setNoDelay?.(true).on("error", () => (client.destroy(), server.destroy()));
  client.on("data", (data) => server.write(data)).on("close", () => server.destroy());
  server.on("data", (data) => setTimeout(() => client.writable && client.write(data), Number(ms)));
  server.on("close", () => client.destroy());
};
const listen = () => (existsSync(socket) ? createServer(answer).listen(Number(port), "127.0.0.1") : setTimeout(listen, 20));
listen();
`;
