import {
  fault,
  refuse,
  unstatedLatency,
  type Caveat,
  type Latency,
  type LatencyBasis,
  type LoadResult,
} from "../contract";
import { mergeHistograms, percentileMs, type MergedHistogram } from "./histogram";

/**
 * Results of several processes that sent one load together, as the result of that load.
 *
 * Counts add up; the window is the longest. Percentiles come from the merged histogram: where one of the processes gives
 * none they are null, and the caveat "not-merged" says why. Throws where the processes timed different things.
 */
export function mergedResult(results: readonly [LoadResult, ...LoadResult[]]): LoadResult {
  const [first, ...others] = results;
  if (others.length === 0) return first;
  refuse(differences(results));
  const durationS = Math.max(...results.map((one) => one.durationS));
  const merged = mergeHistograms(results.map(({ histogram }) => histogram));
  return {
    tool: first.tool,
    durationS,
    responses: total(results.map(({ responses }) => responses)),
    statuses: added(results.map(({ statuses }) => statuses)),
    errors: added(results.map(({ errors }) => errors)),
    rps: total(results.map((one) => one.rps * one.durationS)) / durationS,
    attemptsPerS: total(results.map((one) => one.attemptsPerS * one.durationS)) / durationS,
    latencyMs: mergedLatency(results, merged),
    latencyBasis: mergedBasis(results),
    ...statedByAll(results),
    ...said(results),
    ...(merged.histogram === null ? {} : { histogram: merged.histogram }),
    caveats: mergedCaveats(results, merged),
  };
}

/** What one tool's processes cannot differ in, were they of one load. */
function differences(results: readonly LoadResult[]) {
  const kinds = new Set(results.map(({ tool, latencyBasis }) => JSON.stringify([tool.name, timed(latencyBasis)])));
  return kinds.size === 1
    ? []
    : [
        fault(
          "unparsed-output",
          `${results.length} results cannot be one: they are of different tools, or their latencies mean different things. Give the outputs of one load's processes.`,
        ),
      ];
}

const timed = ({ includes, population, omission, client }: LatencyBasis) => [includes, population, omission, client];

function mergedLatency(results: readonly LoadResult[], { histogram }: MergedHistogram): Latency {
  const each = results.map(({ latencyMs }) => latencyMs);
  const at = (percentile: number) => (histogram === null ? null : percentileMs(histogram, percentile));
  return {
    ...unstatedLatency,
    min: lowest(each.map(({ min }) => min)),
    max: highest(each.map(({ max }) => max)),
    mean: weightedMean(results),
    ...{ p50: at(50), p75: at(75), p90: at(90), p95: at(95), p99: at(99), p999: at(99.9) },
  };
}

/** Of a mean each time, so many samples stand behind it. Processes that timed nothing have no part in it. */
function weightedMean(results: readonly LoadResult[]): number | null {
  const timedOnes = results.filter(({ latencyBasis }) => latencyBasis.samples !== 0);
  const parts = timedOnes.map(({ latencyMs: { mean }, latencyBasis: { samples } }) => ({ mean, samples }));
  if (parts.length === 0 || parts.some(({ mean, samples }) => mean === null || samples === null)) return null;
  const samples = total(parts.map((part) => part.samples as number));
  return total(parts.map((part) => (part.mean as number) * (part.samples as number))) / samples;
}

function mergedBasis(results: readonly LoadResult[]): LatencyBasis {
  const bases = results.map(({ latencyBasis }) => latencyBasis);
  const samples = bases.map((basis) => basis.samples).filter((count) => count !== null);
  return {
    ...(bases[0] as LatencyBasis),
    resolutionMs: Math.max(...bases.map(({ resolutionMs }) => resolutionMs)),
    samples: samples.length === bases.length ? total(samples) : null,
  };
}

const sums = ["attempts", "connectionsOpened", "connectionsMissing", "dropped"] as const;

/** What only some processes state is stated of none. */
function statedByAll(results: readonly LoadResult[]): Partial<LoadResult> {
  const stated = sums.flatMap((name) => {
    const values = results.map((one) => one[name]).filter((value) => value !== undefined);
    return values.length === results.length ? [[name, total(values)] as const] : [];
  });
  const bytes = results.map((one) => one.bytes).filter((value) => value !== undefined);
  const kind = bytes[0]?.kind;
  const alike = kind !== undefined && bytes.length === results.length && bytes.every((one) => one.kind === kind);
  return {
    ...Object.fromEntries(stated),
    ...(alike ? { bytes: { kind, value: total(bytes.map(({ value }) => value)) } } : {}),
  };
}

/** One process that fell behind, or was lost, is told of whatever the others say. */
function said(results: readonly LoadResult[]): Partial<LoadResult> {
  const words = results.flatMap(({ overloaded }) => overloaded ?? []);
  const processes = results.map((one) => one.processes ?? { asked: 1, reported: 1 });
  return {
    processes: {
      asked: total(processes.map(({ asked }) => asked)),
      reported: total(processes.map(({ reported }) => reported)),
    },
    ...(words.length > 0 ? { overloaded: [...new Set(words)].join(" ") } : {}),
  };
}

function mergedCaveats(results: readonly LoadResult[], { histogram }: MergedHistogram): Caveat[] {
  const all = results.flatMap(({ caveats }) => caveats);
  return [...new Set([...all, ...(histogram === null ? ["not-merged" as const] : [])])];
}

function added(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [key, count] of counts.flatMap(Object.entries<number>)) sum[key] = (sum[key] ?? 0) + count;
  return sum;
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const known = (values: readonly (number | null)[]): readonly number[] => values.filter((value) => value !== null);
const lowest = (values: readonly (number | null)[]) => (known(values).length === 0 ? null : Math.min(...known(values)));
const highest = (values: readonly (number | null)[]) =>
  known(values).length === 0 ? null : Math.max(...known(values));
