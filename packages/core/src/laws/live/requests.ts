import {
  secondsOf,
  type HttpProbe,
  type LiveTarget,
  type PauseProbe,
  type Probe,
  type RequestSpec,
  type ResolvedScenario,
} from "../../contract";
import { tightLimit } from "./tight-limit";

type Sent = Pick<HttpProbe, "name" | "requests" | "headers" | "bodies" | "without" | "plainPort"> & {
  readonly times?: number;
};

/** The request most probes send. */
export function firstRequest({ requests }: LiveTarget): RequestSpec {
  const [first] = requests;
  if (first === undefined) throw new Error("a target without requests cannot be verified");
  return first;
}

/** Requests one after another. Where a limit is tight they wait for their turn, so that no other law meets it. */
export function requestProbes(scenario: ResolvedScenario, sent: Sent): readonly Probe[] {
  const limit = tightLimit(scenario);
  const probe = httpProbe(scenario, { ...sent, connections: 1 });
  if (limit === undefined) return [probe];
  return [pause(`${sent.name}-turn`, (1.2 * limit.perS) / limit.requests), { ...probe, alone: true }];
}

export function httpProbe(scenario: ResolvedScenario, sent: Sent & { readonly connections: number }): HttpProbe {
  const { times = 1, requests } = sent;
  return { kind: "http", ...sent, times, withinS: withinS(scenario, requests.length * times) };
}

export function pause(name: string, seconds: number): PauseProbe {
  return { kind: "pause", name, seconds: Number(seconds.toFixed(3)), alone: true };
}

export const delayS = ({ upstream: { delay } }: ResolvedScenario) => (delay ? secondsOf(delay) : 0);

/** Ample: a probe that takes longer hangs. Bodies are given 10 MB/s. */
function withinS(scenario: ResolvedScenario, requests: number): number {
  const eachS = 0.02 + delayS(scenario) + scenario.upstream.responseBytes / 10_000_000;
  return Math.ceil(5 + requests * eachS);
}

/** At most so many, evenly spread: the first, and where there are several the last. */
export function sample<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  const stride = (all.length - 1) / Math.max(1, most - 1);
  return Array.from({ length: most }, (_, index) => all[Math.round(index * stride)] as T);
}
