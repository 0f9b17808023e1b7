import type { QuantileFigure } from "../contract";
import type { Reckoned, Scraping } from "./figure-over";
import { nameOf, resetIn, type RawSample, type RawSeries } from "./raw-series";

/** What was counted up to a bound, and that bound. */
type Bucket = readonly [bound: number, count: number];

/**
 * The quantile of what a histogram's buckets gained from the first to the last sample inside the run, as Prometheus
 * reckons: evenly spread within a bucket. Above the largest bound nothing is known, and so it is missing there.
 */
export function quantileOf({ quantile }: QuantileFigure, series: readonly RawSeries[], scraping: Scraping): Reckoned {
  const gains = series.map((one) => gainOf(one, scraping));
  const reason = gains.find((gain) => typeof gain === "string");
  if (reason !== undefined) return { missing: reason as string };
  const buckets = added(gains as readonly Bucket[]);
  const [top, total] = buckets.at(-1) ?? [0, 0];
  if (top !== Infinity) return { missing: 'the histogram has no bucket without an upper bound (le="+Inf")' };
  if (total === 0) return { missing: "the histogram observed nothing inside the run" };
  return between(buckets, quantile * total);
}

function gainOf(series: RawSeries, { window: { startMs, endMs } }: Scraping): Bucket | string {
  const bound = Number((series.labels.le ?? "").replace(/^\+Inf$/, "Infinity") || NaN);
  if (Number.isNaN(bound)) return `${nameOf(series)} is no bucket: it has no bound in its label le`;
  const inside = series.samples.filter(([atMs]) => atMs >= startMs && atMs <= endMs);
  if (inside.length < 2) return `${nameOf(series)} has ${inside.length} samples inside the run; two are needed`;
  if (resetIn(inside)) return `${nameOf(series)} fell during the run: it began to count anew`;
  return [bound, (inside.at(-1) as RawSample)[1] - (inside[0] as RawSample)[1]];
}

/** Of several instances: by bound, the lowest first. */
function added(gains: readonly Bucket[]): readonly Bucket[] {
  const byBound = new Map<number, number>();
  for (const [bound, count] of gains) byBound.set(bound, (byBound.get(bound) ?? 0) + count);
  return [...byBound].sort(([left], [right]) => left - right);
}

function between(buckets: readonly Bucket[], rank: number): Reckoned {
  const index = buckets.findIndex(([, count]) => count >= rank);
  const [bound, count] = buckets[index] as Bucket;
  const [lower, below] = buckets[index - 1] ?? [Math.min(0, bound), 0];
  if (bound === Infinity)
    return {
      missing:
        index === 0 ? "the histogram has no bounds" : `it lies above ${lower}, the largest bound of the histogram`,
    };
  return { value: count === below ? bound : lower + ((bound - lower) * (rank - below)) / (count - below) };
}
