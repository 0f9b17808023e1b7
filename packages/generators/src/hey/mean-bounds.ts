/** Percentiles of so many latencies; the ends where they are known. */
export interface Ranked {
  readonly samples: number;
  readonly percentilesS: readonly (readonly [percent: number, seconds: number])[];
  readonly fastestS: number | null;
  readonly slowestS: number | null;
}

/** Between which the mean of latencies with these percentiles lies: each is at least the percentile before it. */
export function meanBounds({ samples, percentilesS, fastestS, slowestS }: Ranked): readonly [number, number] {
  const stated = percentilesS.filter(([percent]) => percent > 0);
  // The rank, from 0, of the latency hey prints (`latencies` in its report.go).
  const ranks = stated.map(([percent]) => Math.ceil((percent * samples) / 100));
  const marks = [fastestS ?? 0, ...stated.map(([, seconds]) => seconds), slowestS ?? Infinity];
  const counts = [...ranks, samples].map((rank, index) => rank - (ranks[index - 1] ?? 0));
  const mean = (from: number) =>
    counts.reduce((sum, count, index) => sum + (count > 0 ? count * (marks[index + from] as number) : 0), 0) / samples;
  return [mean(0), mean(1)];
}
