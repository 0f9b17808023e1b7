/**
 * Whose series a query is about. In a selector's braces such a placeholder stands for a label matcher:
 * `requests_total{$gateway,code="200"}` asks the gateway under load and no other. `$gatewayHost` is the node exporter of
 * the machine the gateway stands on.
 */
export const figureSubjects = [
  "gateway",
  "upstream",
  "generator",
  "authorizer",
  "gatewayHost",
  "upstreamHost",
  "generatorHost",
] as const;
export type FigureSubject = (typeof figureSubjects)[number];

/** The run's length, where a range stands: `increase(errors_total{$gateway}[$window])` is asked once, at the run's end. */
const windowName = "window";

/** Everything that may stand in a query with a dollar before it. */
export const placeholderNames: readonly string[] = [...figureSubjects, windowName];

const pattern = /\$([A-Za-z]\w*)/g;

/** The placeholders in a query, in order, without repeats and without the dollar. */
export function placeholdersIn(query: string): readonly string[] {
  return [...new Set([...query.matchAll(pattern)].map(([, name]) => name as string))];
}

/** The query with the placeholders that have a text replaced. */
export function withPlaceholders(query: string, texts: Readonly<Record<string, string>>): string {
  return query.replace(pattern, (whole, name: string) => texts[name] ?? whole);
}

export const asksWindow = (query: string): boolean => placeholdersIn(query).includes(windowName);

/** The query over a run of so many milliseconds. */
export const overWindow = (query: string, windowMs: number): string =>
  withPlaceholders(query, { [windowName]: rangeOf(windowMs) });

/** A range as PromQL writes it; it knows no fractions. */
export const rangeOf = (ms: number): string => `${Math.max(1, Math.round(ms))}ms`;

/** Matches the series of these scrape jobs. */
export function jobMatcher(jobs: readonly string[]): string {
  const [first = "", ...rest] = jobs;
  return rest.length === 0 ? `job="${first}"` : `job=~"${jobs.join("|")}"`;
}
