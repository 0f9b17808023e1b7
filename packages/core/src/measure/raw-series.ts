/** A sample as it was scraped: when, in milliseconds since 1970, and what. */
export type RawSample = readonly [atMs: number, value: number];

/** One series of Prometheus. */
export interface RawSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** In the order of time. */
  readonly samples: readonly RawSample[];
}

/** As Prometheus writes it, braces and all, for people. */
export function nameOf({ labels }: RawSeries): string {
  const { __name__: name = "", ...rest } = labels;
  const matchers = Object.entries(rest).map(([label, value]) => `${label}="${value}"`);
  return matchers.length === 0 && name ? name : `${name}{${matchers.join(",")}}`;
}

/** Where a counter fell, which one that only counts never does: whoever counts began anew. */
export function resetIn(samples: readonly RawSample[]): readonly [before: RawSample, after: RawSample] | undefined {
  const index = samples.findIndex(([, value], at) => at > 0 && value < (samples[at - 1] as RawSample)[1]);
  return index < 0 ? undefined : [samples[index - 1] as RawSample, samples[index] as RawSample];
}
