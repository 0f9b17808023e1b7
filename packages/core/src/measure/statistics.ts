import binomialCdf from "@stdlib/stats-base-dists-binomial-cdf";
import tQuantile from "@stdlib/stats-base-dists-t-quantile";

/** Lower and upper end of an interval, in the unit of what it is about. */
export type Range = [lower: number, upper: number];

/** The coverage of every interval here; the convention of the field (Georges, Buytaert, Eeckhout, OOPSLA 2007). */
export const coverage = 0.95;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** null of none. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : sum(values) / values.length;
}

/** Of a sample (n − 1); null below two values. */
export function standardDeviation(values: readonly number[]): number | null {
  const centre = mean(values);
  if (centre === null || values.length < 2) return null;
  return Math.sqrt(sum(values.map((value) => (value - centre) ** 2)) / (values.length - 1));
}

/** Coefficient of variation: standard deviation as a fraction of the mean; null where either cannot be had. */
export function cv(values: readonly number[]): number | null {
  const [centre, deviation] = [mean(values), standardDeviation(values)];
  return centre === null || deviation === null || centre === 0 ? null : deviation / Math.abs(centre);
}

/** The middle value, or the mean of the two in the middle; null of none. */
export function median(values: readonly number[]): number | null {
  const middle = ascending(values).slice(Math.ceil(values.length / 2) - 1, Math.floor(values.length / 2) + 1);
  return values.length === 0 ? null : mean(middle);
}

/** 95 % t-interval of the mean: x̄ ± t(0.975, n − 1) · s / √n. null below two values. */
export function meanInterval(values: readonly number[]): Range | null {
  const [centre, half] = [mean(values), halfWidth(values)];
  return centre === null || half === null ? null : [centre - half, centre + half];
}

/** Half the width of the t-interval as a fraction of the mean: what "± 2 %" means. */
export function relativeHalfWidth(values: readonly number[]): number | null {
  const [centre, half] = [mean(values), halfWidth(values)];
  return centre === null || half === null || centre === 0 ? null : half / Math.abs(centre);
}

function halfWidth(values: readonly number[]): number | null {
  const deviation = standardDeviation(values);
  if (deviation === null) return null;
  return (tQuantile((1 + coverage) / 2, values.length - 1) * deviation) / Math.sqrt(values.length);
}

/**
 * Order-statistic interval of the median, with a coverage of at least 95 %.
 *
 * It assumes nothing about the distribution: how many of n values lie below the true median is binomial (n, ½), so the
 * k-th and (n + 1 − k)-th hold it with 1 − 2 · P(X ≤ k − 1). null below six values, where not even the extremes reach 95 %.
 */
export function medianInterval(values: readonly number[]): Range | null {
  const rank = medianRank(values.length);
  const ordered = ascending(values);
  return rank === null ? null : [ordered[rank - 1] as number, ordered[values.length - rank] as number];
}

/** The largest k whose pair of order statistics still covers enough. */
function medianRank(n: number): number | null {
  let rank = 0;
  while (2 * binomialCdf(rank, n, 0.5) <= 1 - coverage) rank++;
  return rank === 0 ? null : rank;
}

/** How many times `a` is of `b`, with its 95 % interval where two pairs or more allow one. */
export interface Ratio {
  readonly ratio: number;
  readonly interval: Range | null;
}

/**
 * a / b of values taken in turns: the geometric mean of the pairs' ratios.
 *
 * Pairs cancel what drifts (a warming machine, a busy neighbour); logarithms make a/b and b/a say the same thing.
 * null without pairs, or where a value is not positive.
 */
export function ratioInterval(pairs: readonly (readonly [a: number, b: number])[]): Ratio | null {
  if (pairs.length === 0 || pairs.some(([a, b]) => !(a > 0 && b > 0))) return null;
  const logs = pairs.map(([a, b]) => Math.log(a / b));
  const interval = meanInterval(logs);
  return {
    ratio: Math.exp(mean(logs) as number),
    interval: interval && [Math.exp(interval[0]), Math.exp(interval[1])],
  };
}

function ascending(values: readonly number[]): readonly number[] {
  return [...values].sort((left, right) => left - right);
}
