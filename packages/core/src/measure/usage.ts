import type { HostUsage, LoadResult, WorkloadUsage } from "../contract";

/** One CPU, in seconds since the machine started. */
export interface CpuSample {
  /** All but idle, waiting for I/O, and stolen. */
  readonly busyS: number;
  readonly totalS: number;
  readonly softirqS: number;
  readonly stealS: number;
}

/**
 * One line of a sampler: what a host says of itself at one moment.
 *
 * Everything is counted since some beginning, so that a lost line loses resolution and nothing else; only memory is of
 * the moment.
 */
export interface HostSample {
  /** Milliseconds since 1970, with a fraction. */
  readonly atMs: number;
  readonly cpus: readonly CpuSample[];
  readonly memoryUsedBytes: number;
  readonly network: HostUsage["network"];
  readonly tcp: HostUsage["tcp"];
  /** By name; a workload that does not run is not there. */
  readonly workloads: Readonly<Record<string, { readonly cpuS: number; readonly memoryBytes: number }>>;
  /** CPU of gatebench itself. */
  readonly harnessCpuS: number;
  /** Time in which the workloads were held back by a CPU limit, where the host can tell. */
  readonly throttledS?: number;
  /** Allowances of the network card exceeded, by its own names, where the host can tell. */
  readonly allowance?: Readonly<Record<string, number>>;
}

/** A stretch of time, in milliseconds since 1970. */
export interface Window {
  readonly startMs: number;
  readonly endMs: number;
}

/** A host, and what it is there for. */
export interface SampledHost {
  readonly name: string;
  readonly roles: readonly string[];
  readonly cpus: number;
}

/** A workload to report, and the cores it may use. */
export type SampledWorkload = Pick<WorkloadUsage, "name" | "role" | "cores">;

/** Below this a run would be judged by less than half of what happened. */
const leastCovered = 0.5;

/**
 * What one host did during a window.
 *
 * Counters are read at the window's edges, between two samples in proportion to time. Where samples begin late or end
 * early, the rest is taken to have gone on at the same rate; where they cover less than half of the window, or a
 * counter of the host went backwards (it was restarted), nothing is known: undefined. A workload that was away or
 * restarted within the window is left out.
 */
export function usageOver(
  samples: readonly HostSample[],
  window: Window,
  host: SampledHost,
  workloads: readonly SampledWorkload[],
): HostUsage | undefined {
  const around = samplesAround(samples, window);
  const amount = (counter: Counter) => amountOver(around, window, counter);
  const cpu = cpuOver(around, window);
  const [network, tcp] = [amounts(amount, networkCounters), amounts(amount, tcpCounters)];
  const harnessCpuS = amount((sample) => sample.harnessCpuS);
  if (!cpu || !network || !tcp || harnessCpuS === undefined) return undefined;
  return {
    ...{ host: host.name, roles: host.roles, cpus: host.cpus },
    ...cpu,
    throttledS: amount((sample) => sample.throttledS) ?? null,
    memoryUsedBytes: highest(around.map((sample) => sample.memoryUsedBytes)),
    network,
    tcp,
    allowance: allowanceOver(around, window),
    workloads: workloads.flatMap((workload) => workloadOver(around, window, workload) ?? []),
    idle: idleOver(around, window, workloads),
    harnessCpuS,
    samples: around.filter(({ atMs }) => atMs >= window.startMs && atMs <= window.endMs).length,
  };
}

/** Something counted; undefined where the sample does not have it. */
type Counter = (sample: HostSample) => number | undefined;

const networkCounters = {
  receivedBytes: (sample: HostSample) => sample.network.receivedBytes,
  sentBytes: (sample: HostSample) => sample.network.sentBytes,
};
const tcpCounters = {
  sentSegments: (sample: HostSample) => sample.tcp.sentSegments,
  retransmittedSegments: (sample: HostSample) => sample.tcp.retransmittedSegments,
  listenOverflows: (sample: HostSample) => sample.tcp.listenOverflows,
};

/** The samples within the window, and the nearest on either side of it. */
function samplesAround(samples: readonly HostSample[], { startMs, endMs }: Window): readonly HostSample[] {
  const ordered = [...samples].sort((left, right) => left.atMs - right.atMs);
  const first = ordered.findLastIndex(({ atMs }) => atMs <= startMs);
  const last = ordered.findIndex(({ atMs }) => atMs >= endMs);
  return ordered.slice(Math.max(first, 0), last === -1 ? undefined : last + 1);
}

/** How much was counted in the window; undefined where that is not known. */
function amountOver(samples: readonly HostSample[], window: Window, counter: Counter): number | undefined {
  const values = samples.map(counter);
  const [first, last] = [samples[0], samples[samples.length - 1]];
  if (!first || !last || !risesThroughout(values)) return undefined;
  const from = Math.max(first.atMs, window.startMs);
  const to = Math.min(last.atMs, window.endMs);
  const covered = (to - from) / (window.endMs - window.startMs);
  if (!(covered >= leastCovered)) return undefined;
  const at = (atMs: number) => valueAt(samples, values, atMs);
  return (at(to) - at(from)) / covered;
}

function risesThroughout(values: readonly (number | undefined)[]): values is readonly number[] {
  return values.every((value, index) => value !== undefined && (index === 0 || value >= (values[index - 1] as number)));
}

/** The reading of a counter at a moment between its first and last sample. */
function valueAt(samples: readonly HostSample[], values: readonly number[], atMs: number): number {
  const right = Math.max(
    samples.findIndex((sample) => sample.atMs >= atMs),
    1,
  );
  const [before, after] = [samples[right - 1] as HostSample, samples[right] as HostSample];
  const [low, high] = [values[right - 1] as number, values[right] as number];
  return low + ((high - low) * (atMs - before.atMs)) / (after.atMs - before.atMs);
}

/** Every one of the counters over the window, or undefined where one of them is not known. */
function amounts<K extends string>(
  amount: (counter: Counter) => number | undefined,
  counters: Readonly<Record<K, Counter>>,
): Record<K, number> | undefined {
  const entries = Object.entries<Counter>(counters).map(([name, counter]) => [name, amount(counter)] as const);
  return entries.some(([, value]) => value === undefined) ? undefined : (Object.fromEntries(entries) as never);
}

type CpuFractions = Pick<HostUsage, "cpuFraction" | "busiestCpuFraction" | "softirqFraction" | "stealFraction">;

function cpuOver(samples: readonly HostSample[], window: Window): CpuFractions | undefined {
  const each = (samples[0]?.cpus ?? []).map((_, index) => oneCpuOver(samples, window, index));
  const known = each.filter((one) => one !== undefined);
  const totalS = known.reduce((total, one) => total + one.totalS, 0);
  if (known.length < each.length || totalS === 0) return undefined;
  const fraction = (part: keyof CpuSample) => known.reduce((total, one) => total + one[part], 0) / totalS;
  return {
    cpuFraction: fraction("busyS"),
    busiestCpuFraction: highest(known.map((one) => (one.totalS === 0 ? 0 : one.busyS / one.totalS))),
    softirqFraction: fraction("softirqS"),
    stealFraction: fraction("stealS"),
  };
}

function oneCpuOver(samples: readonly HostSample[], window: Window, index: number): CpuSample | undefined {
  const part =
    (name: keyof CpuSample): Counter =>
    (sample) =>
      sample.cpus[index]?.[name];
  return amounts((counter) => amountOver(samples, window, counter), {
    busyS: part("busyS"),
    totalS: part("totalS"),
    softirqS: part("softirqS"),
    stealS: part("stealS"),
  });
}

function workloadOver(
  samples: readonly HostSample[],
  window: Window,
  { name, role, cores }: SampledWorkload,
): WorkloadUsage | undefined {
  const cpuS = amountOver(samples, window, (sample) => sample.workloads[name]?.cpuS);
  if (cpuS === undefined) return undefined;
  const memoryBytes = highest(samples.map((sample) => sample.workloads[name]?.memoryBytes ?? 0));
  return { name, role, cpuS, cores, memoryBytes };
}

/** Seconds of CPU by name, of workloads nobody loads now. */
function idleOver(
  samples: readonly HostSample[],
  window: Window,
  loaded: readonly SampledWorkload[],
): Readonly<Record<string, number>> {
  const names = Object.keys(samples[0]?.workloads ?? {}).filter((name) => !loaded.some((one) => one.name === name));
  const used = names.map(
    (name) => [name, amountOver(samples, window, ({ workloads }) => workloads[name]?.cpuS)] as const,
  );
  return Object.fromEntries(used.filter((one): one is readonly [string, number] => (one[1] ?? 0) > 0));
}

function allowanceOver(samples: readonly HostSample[], window: Window): HostUsage["allowance"] {
  const names = Object.keys(samples[0]?.allowance ?? {});
  const counters = Object.fromEntries(names.map((name) => [name, (sample: HostSample) => sample.allowance?.[name]]));
  const known = amounts((counter) => amountOver(samples, window, counter), counters);
  return names.length === 0 ? null : (known ?? null);
}

const highest = (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value), 0);

/** CPU the workloads of a role used, and the cores they may use; undefined where none was observed. */
export function roleUsage(
  hosts: readonly HostUsage[],
  role: string,
): { readonly cpuS: number; readonly cores: number } | undefined {
  const workloads = hosts.flatMap((host) => host.workloads).filter((workload) => workload.role === role);
  if (workloads.length === 0) return undefined;
  const total = (part: "cpuS" | "cores") => workloads.reduce((sum, workload) => sum + workload[part], 0);
  return { cpuS: total("cpuS"), cores: total("cores") };
}

/**
 * How busy the workloads of a role were, of the cores they may use: 0 to 1, a little more where a worker may borrow.
 *
 * Divided by the tool's own time, not by the run's: the start of the tool is not load, and would hide a full gateway.
 */
export function roleBusy(
  hosts: readonly HostUsage[],
  role: string,
  { durationS }: Pick<LoadResult, "durationS">,
): number | undefined {
  const used = roleUsage(hosts, role);
  return used && used.cores > 0 ? used.cpuS / (used.cores * durationS) : undefined;
}

/** CPU of the gateway per request in microseconds; `requests` as the gateway counted them, or else the responses. */
export function cpuMicrosPerRequest(hosts: readonly HostUsage[], requests: number): number | undefined {
  const used = roleUsage(hosts, "gateway");
  return used && requests > 0 ? (used.cpuS * 1e6) / requests : undefined;
}
