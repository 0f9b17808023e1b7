import type { Failure, HostUsage } from "../../contract";
import { usageOver, type HostSample, type Window } from "../../measure/usage";
import type { JobOrder, ObservedHost } from "../job-record";
import { readPage } from "./http";
import type { Observed } from "./observer";

/** What another host said of itself at an edge of a run, by this host's clock. */
export interface OtherMoment {
  readonly host: ObservedHost;
  /** What its clock is ahead of ours, milliseconds; right to half of the time the question took. */
  readonly aheadMs: number;
  readonly now: HostSample;
  readonly since: readonly HostSample[];
}

/**
 * All other hosts of the run, now; or the one that cannot tell what it does: figures without its CPU would say less than
 * they seem to.
 */
export async function lookAtOthers(
  { observed }: JobOrder,
  before: readonly OtherMoment[] = [],
): Promise<readonly OtherMoment[] | Failure> {
  const looks = observed.map((host, index) =>
    lookAt(host, before[index]?.now.atMs).catch((error: Error) => silent(host, error)),
  );
  const seen = await Promise.all(looks);
  const failed = seen.find((one): one is Failure => "code" in one);
  return failed ?? (seen as readonly OtherMoment[]);
}

const silent = ({ name, port }: ObservedHost, { message }: Error): Failure => ({
  code: "host-unreachable",
  message: `host ${name} does not tell what it does: ${message}. Let the generator's host reach its port ${port}, or run destroy and up.`,
});

async function lookAt(host: ObservedHost, since = Infinity): Promise<OtherMoment> {
  const askedMs = clockMs();
  const said = JSON.parse(await readPage(host.address, host.port, `/?since=${since}`)) as Observed;
  const aheadMs = said.now.atMs - (askedMs + clockMs()) / 2;
  return { host, aheadMs, ...said };
}

const clockMs = (): number => performance.timeOrigin + performance.now();

/** What the other hosts did between two moments of this one. */
export function usageOfOthers(
  { watched }: JobOrder,
  window: Window,
  started: readonly OtherMoment[],
  stopped: readonly OtherMoment[],
): readonly HostUsage[] {
  return stopped.flatMap(({ host, aheadMs, now, since }, index) => {
    const first = started[index];
    if (!first) return [];
    const samples = [first.now, ...since, now].map((one) => ({ ...one, atMs: one.atMs - aheadMs }));
    const own = watched.filter((workload) => workload.host === host.name);
    const sampled = { name: host.name, cpus: now.cpus.length, roles: [...new Set(own.map(({ role }) => role))] };
    return usageOver(samples, window, sampled, own) ?? [];
  });
}
