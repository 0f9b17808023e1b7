import type { CounterName, CounterSource, CountersObservation } from "../../contract";

type Counted = CountersObservation["counted"];

/** The sums of what the pages count; the texts stand in the order of the pages. */
export function readCounters(sources: readonly CounterSource[], texts: readonly string[]): Counted {
  const sums: Partial<Record<CounterName, number>> = {};
  const pages = sources.flatMap(({ pages }) => pages);
  for (const [index, { values = {} }] of pages.entries())
    for (const [name, expression] of Object.entries(values) as [CounterName, string][]) {
      const seen = matches(texts[index] ?? "", expression);
      if (seen.length > 0) sums[name] = seen.reduce((sum, value) => sum + value, sums[name] ?? 0);
    }
  return sums;
}

function matches(text: string, expression: string): readonly number[] {
  return [...text.matchAll(new RegExp(expression, "gm"))].map(([, value]) => Number(value));
}

/** What was counted between two readings, less what one reading itself adds. undefined: no page counts it. */
export function growth(
  name: "requests" | "connections",
  before: CountersObservation,
  after: CountersObservation,
  sources: readonly CounterSource[],
): number | undefined {
  const now = after.counted[name];
  if (now === undefined) return undefined;
  const own = sources.flatMap(({ pages }) => pages).reduce((sum, { adds }) => sum + (adds?.[name] ?? 0), 0);
  return now - (before.counted[name] ?? 0) - own;
}
