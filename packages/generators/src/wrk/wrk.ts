import {
  duration,
  fault,
  fileOf,
  loadFaults,
  refuse,
  secondsOf,
  unsupportedLoad,
  type ClosedLoad,
  type Duration,
  type Fault,
  type GeneratorAdapter,
  type GeneratorCapabilities,
  type GeneratorPlan,
  type RequestSpec,
  type Target,
} from "@gatebench/core/contract";
import { requestHeaders, urlOf, type Headers } from "../request-headers";
import { image } from "./image";
import { parseWrk } from "./parse";
import { script, sharedHeaders, type ScriptedRequest } from "./script";

export interface WrkOptions {
  /**
   * Answers later than this are counted but not timed. wrk's own 2 s hide the tail of a slow gateway, so give more than
   * the worst answer takes. Whole seconds.
   * @default "10s"
   */
  readonly timeout?: Duration;
  /**
   * Counts responses by status code, at about 4 % of wrk's speed. Without, wrk only tells statuses above 399 from
   * the rest, and results carry the caveat "classes-only".
   * @default false
   */
  readonly countStatuses?: boolean;
  /**
   * A Lua script of wrk's own kind, its text. Its `setup`, `init`, `request`, `response`, `delay` and `done` are called as
   * without us; ours prints the figures before its `done`. It decides what is sent, so the target has one request.
   */
  readonly script?: string;
  /** The version the image is named by. @default "4.1.0" */
  readonly version?: string;
}

/** wrk: the least CPU per request of all generators here, for ceilings and closed loads. */
export function wrk(options: WrkOptions = {}): GeneratorAdapter {
  const { timeout = "10s", countStatuses = false, version = image.version, script: own } = options;
  const reports = capabilities(countStatuses, own === undefined ? "many" : "one");
  const adapter = { name: "wrk", version, models: ["closed"] as const, reports };
  return {
    ...adapter,
    plan: (load, target) => {
      refuse([...loadFaults(load), ...unsupportedLoad(adapter, load, target.requests)]);
      return plan(load as ClosedLoad, target, { timeout, countStatuses, version }, own);
    },
    parse: (output, asked) => parseWrk(output, asked),
  };
}

function capabilities(countStatuses: boolean, requests: "one" | "many"): GeneratorCapabilities {
  return {
    connections: ["keep-alive", "per-request"],
    // Before the run it tries the address once (wrk.connect of its own script), and closes that connection again.
    emptyConnections: 1,
    pace: false,
    bodies: true,
    requests,
    // In turn, by each thread: every request equally often.
    spreads: ["uniform"],
    percentiles: ["p50", "p75", "p90", "p95", "p99", "p999"],
    statuses: countStatuses ? "codes" : "classes",
    histogram: true,
    series: false,
    distributed: false,
    scripts: true,
  };
}

function plan(
  load: ClosedLoad,
  target: Target,
  options: Required<Omit<WrkOptions, "script">>,
  own?: string,
): GeneratorPlan {
  const { timeout, countStatuses, version } = options;
  const seconds = secondsOf(load.duration as Duration);
  refuse([...wholeSeconds("duration", seconds), ...wholeSeconds("timeout", secondsOf(timeout))]);
  const requests = target.requests.map((request) => scripted(request, target));
  return {
    kind: "containers",
    job: {
      ...image.of(version),
      command: command(load, target, requests, secondsOf(timeout)),
      versionCommand: ["wrk", "-v"],
      files: filesOf(requests, countStatuses, own),
      openFiles: 2 * load.connections + 1000,
      // wrk stops on time even where nothing answers; after that, the histogram takes up to five seconds.
      killAfterS: seconds + 20,
    },
  };
}

function filesOf(requests: readonly ScriptedRequest[], countStatuses: boolean, own?: string): Record<string, string> {
  if (own === undefined) return { "wrk.lua": script(requests, countStatuses) };
  return { "wrk.lua": script(requests, countStatuses, fileOf("user.lua")), "user.lua": own };
}

function command(load: ClosedLoad, target: Target, requests: readonly ScriptedRequest[], timeoutS: number): string[] {
  const seconds = secondsOf(load.duration as Duration);
  const flow = [`-t${threads(load, target.cpus)}`, `-c${load.connections}`, `-d${seconds}s`];
  const headers = { ...sharedHeaders(requests), ...(load.connection === "per-request" ? { Connection: "close" } : {}) };
  const url = urlOf(target.requests[0] as RequestSpec, target);
  return [
    "wrk",
    ...flow,
    "--timeout",
    `${timeoutS}s`,
    "--latency",
    ...headerOptions(headers),
    "-s",
    fileOf("wrk.lua"),
    url,
  ];
}

const headerOptions = (headers: Headers) =>
  Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);

function scripted(request: RequestSpec, target: Target): ScriptedRequest {
  const { method, path, body } = request;
  return { method, path, headers: requestHeaders(request, target), body };
}

/** wrk opens connections ÷ threads on each thread and forgets the rest, so threads must divide the connections. */
function threads({ connections, threads: asked }: ClosedLoad, cpus: number): number {
  if (asked !== undefined) refuse(divisionFaults(asked, connections));
  return asked ?? largestDivisor(connections, Math.min(connections, cpus));
}

function largestDivisor(of: number, most: number): number {
  for (let candidate = most; candidate > 1; candidate -= 1) if (of % candidate === 0) return candidate;
  return 1;
}

function divisionFaults(threads: number, connections: number): readonly Fault[] {
  if (connections % threads === 0) return [];
  const opened = connections - (connections % threads);
  return [
    fault(
      "invalid-load",
      `wrk would open ${opened} of ${connections} connections, because ${threads} threads do not divide them. Ask for ${opened} or ${opened + threads} connections, or for ${largestDivisor(connections, threads)} threads.`,
    ),
  ];
}

function wholeSeconds(what: string, seconds: number): readonly Fault[] {
  if (Number.isInteger(seconds) && seconds >= 1) return [];
  return [fault("invalid-load", `wrk counts time in whole seconds; its ${what} cannot be ${duration(seconds)}.`)];
}
