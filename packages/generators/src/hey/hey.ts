import {
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
import { requestHeaders, urlOf, userAgent, type Headers } from "../request-headers";
import type { BuiltImage } from "../debian-image";
import { image } from "./image";
import { parseHey } from "./parse";
import { template } from "./template";

export interface HeyOptions {
  /**
   * An answer later than this is an error. hey waits for its last requests, so a gateway that hangs makes the run so
   * much longer. Whole seconds.
   * @default "20s"
   */
  readonly timeout?: Duration;
  /** The version the image is named by. @default "0.1.4" */
  readonly version?: string;
}

/** hey: the generator of many published comparisons. One request, paced or not, over HTTP/1.1. */
export function hey({ timeout = "20s", version = image.version }: HeyOptions = {}): GeneratorAdapter {
  const adapter = { name: "hey", version, models: ["closed"] as const, reports };
  return {
    ...adapter,
    plan: (load, target) => {
      refuse([...loadFaults(load), ...unsupportedLoad(adapter, load, target.requests)]);
      return plan(load as ClosedLoad, target, secondsOf(timeout), image.of(version));
    },
    parse: (output, asked) => parseHey(output, asked),
  };
}

const reports: GeneratorCapabilities = {
  connections: ["keep-alive", "per-request"],
  pace: true,
  bodies: true,
  requests: "one",
  spreads: ["uniform"],
  percentiles: ["p50", "p75", "p90", "p95", "p99"],
  statuses: "codes",
  histogram: false,
  series: false,
  distributed: false,
  repeatsUnseen: true,
};

function plan(load: ClosedLoad, target: Target, timeoutS: number, built: BuiltImage): GeneratorPlan {
  const request = target.requests[0] as RequestSpec;
  refuse([...timeoutFaults(timeoutS), ...paceFaults(load), ...nameFaults(request)]);
  const command = (output: readonly string[]) => [
    "hey",
    ...flow(load, timeoutS),
    ...sending(request, target),
    ...output,
    urlOf(request, target),
  ];
  return {
    kind: "containers",
    byHand: command([]),
    job: {
      ...built,
      command: command(["-o", template]),
      ...(request.body ? { files: { body: request.body } } : {}),
      openFiles: 2 * load.connections + 1000,
      // hey stops between requests only: a gateway that hangs is waited for.
      killAfterS: secondsOf(load.duration as Duration) + timeoutS + 5,
    },
  };
}

function flow({ duration, connections, pacePerConnection, threads, connection }: ClosedLoad, timeoutS: number) {
  return [
    ...["-z", duration as Duration, "-c", `${connections}`, "-t", `${timeoutS}`],
    ...(pacePerConnection === undefined ? [] : ["-q", `${pacePerConnection}`]),
    ...(threads === undefined ? [] : ["-cpus", `${threads}`]),
    ...(connection === "per-request" ? ["-disable-keepalive"] : []),
  ];
}

function sending(request: RequestSpec, target: Target): readonly string[] {
  const { Host = "", ...headers } = requestHeaders(request, target);
  return [
    // A followed redirect would be two requests counted as one; an unpacked body has no size.
    ...["-disable-redirects", "-disable-compression"],
    // Also the TLS server name, which hey would else send with the port.
    ...["-host", Host, "-m", request.method],
    ...headerOptions(headers),
    ...(request.body ? ["-D", fileOf("body")] : []),
  ];
}

/** hey drops a User-Agent given here, silently, and sends its own: the one all generators send. */
const headerOptions = (headers: Headers) =>
  Object.entries(headers).flatMap(([name, value]) => (name === "User-Agent" ? [] : ["-H", `${name}: ${value}`]));

function nameFaults({ headers }: RequestSpec): readonly Fault[] {
  const name = Object.entries(headers).find(([header]) => header.toLowerCase() === "user-agent")?.[1];
  if (name === undefined || name === userAgent) return [];
  return [
    fault(
      "unsupported-request",
      `hey cannot send the User-Agent "${name}"; it always sends "${userAgent}". Drop the header, or choose another generator, such as wrk.`,
    ),
  ];
}

/** hey makes the pause between two requests from whole microseconds. */
function paceFaults({ pacePerConnection = 1 }: ClosedLoad): readonly Fault[] {
  if (pacePerConnection <= 1e6) return [];
  return [fault("invalid-load", `hey cannot pace a connection at ${pacePerConnection}/s; at most 1000000/s.`)];
}

function timeoutFaults(seconds: number): readonly Fault[] {
  if (Number.isInteger(seconds) && seconds >= 1) return [];
  return [fault("invalid-option", `hey's timeout is a whole number of seconds from 1, not ${seconds} s.`)];
}
