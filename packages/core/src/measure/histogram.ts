import { build } from "hdr-histogram-js";
import type { Histogram } from "../contract";

/** Steps of 0.01 %: finer than any tool resolves, at less than 2 MB for latencies up to a minute. */
const significantDigits = 4;

/** A histogram, or the reason there is none. */
export type MergedHistogram = { readonly histogram: Histogram } | { readonly histogram: null; readonly reason: string };

/**
 * Latencies of several runs, or of several generators of one run, as one histogram.
 *
 * All or nothing: the percentiles of those that happen to have a histogram would be percentiles of something else.
 * Percentiles themselves are never averaged.
 */
export function mergeHistograms(histograms: readonly (Histogram | undefined)[]): MergedHistogram {
  const given = histograms.filter((one) => one !== undefined);
  const missing = histograms.length - given.length;
  if (histograms.length === 0) return { histogram: null, reason: "there is no result to merge" };
  if (missing > 0) return { histogram: null, reason: `${missing} of ${histograms.length} results hold no histogram` };
  return { histogram: { unit: "us", counts: addedUp(given) } };
}

/** Counts of the same edge added up, ascending; edges stay as the tools stated them. */
function addedUp(histograms: readonly Histogram[]): Histogram["counts"] {
  const byEdge = new Map<number, number>();
  for (const [edge, count] of histograms.flatMap(({ counts }) => counts)) {
    byEdge.set(edge, (byEdge.get(edge) ?? 0) + count);
  }
  return [...byEdge].sort(([left], [right]) => left - right);
}

/** A percentile (0 to 100) of a histogram in milliseconds; null where nothing was counted. */
export function percentileMs({ counts }: Histogram, percentile: number): number | null {
  const counting = build({ bitBucketSize: 64, numberOfSignificantValueDigits: significantDigits });
  // It counts whole microseconds; an upper edge is rounded up, so that no latency becomes shorter.
  for (const [edge, count] of counts) counting.recordValueWithCount(Math.ceil(edge), count);
  if (counting.totalCount === 0) return null;
  // It answers with the end of its own bucket, which may lie beyond the longest latency.
  return Math.min(counting.getValueAtPercentile(percentile), counting.maxValue) / 1000;
}
