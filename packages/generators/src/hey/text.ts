import { Lines } from "../lines";
import { unparsed } from "../unparsed-output";
import { hasKnownEnd } from "./errors";

/** What hey prints by itself: seconds, rounded to 0.1 ms. */
export interface HeyText {
  readonly totalS: number;
  readonly slowestS: number;
  readonly fastestS: number;
  /** null: NaN, because there was no answer. */
  readonly averageS: number | null;
  readonly rps: number;
  /** Bars, named by their upper edge rounded to a millisecond. */
  readonly bars: readonly (readonly [markS: number, count: number])[];
  /** 0.1.4 prints fastest and slowest a second time, where the least and most of connecting should stand. */
  readonly again: readonly [fastestS: number, slowestS: number] | undefined;
  readonly percentilesS: readonly (readonly [percent: number, seconds: number])[];
  readonly statuses: readonly (readonly [code: string, count: number])[];
  readonly errors: readonly (readonly [count: number, text: string])[];
}

const number = "\\d+\\.\\d{4}";
const line = (form: string) => new RegExp(`^${form}$`);
const detail = (name: string) =>
  line(`${name}: (?:NaN|${number}) secs, (?<least>${number}) secs, (?<most>${number}) secs`);

const forms = {
  summary: line("Summary:"),
  total: line(`Total: (?<n>${number}) secs`),
  slowest: line(`Slowest: (?<n>${number}) secs`),
  fastest: line(`Fastest: (?<n>${number}) secs`),
  average: line(`Average: (?<n>NaN|${number}) secs`),
  rate: line(`Requests/sec: (?<n>${number})`),
  totalData: line("Total data: \\d+ bytes"),
  sizeRequest: line("Size/request: \\d+ bytes"),
  histogram: line("Response time histogram:"),
  bar: line("(?<mark>\\d+\\.\\d{3}) \\[(?<count>\\d+)\\] ?\\|.*"),
  distribution: line("Latency distribution:"),
  // 0.1.5 prints the two signs of its template.
  percentile: line(`(?<percent>\\d+)%(?<escape>%?) in (?<n>${number}) secs`),
  details: line("Details \\(average, fastest, slowest\\):"),
  statuses: line("Status code distribution:"),
  status: line("\\[(?<code>\\d{3})\\] (?<count>\\d+) responses"),
  errors: line("Error distribution:"),
  error: line("\\[(?<count>\\d+)\\] (?<text>.+)"),
};
const stages = ["DNS-lookup", "req write", "resp wait", "resp read"];

/** Reads hey's text; throws on a line that is missing or too much. */
export function readText(text: string): HeyText {
  const lines = new Lines("hey", text);
  const read = { ...summary(lines), ...distributions(lines), ...outcomes(lines) };
  lines.end();
  // Only the line's end tells that an error's last words are all there; in between, that the words are known.
  const lastError = read.errors.at(-1)?.[1];
  if (lastError !== undefined && !text.endsWith("\n")) unparsed("hey", "an error that may be cut off", lastError);
  const unknown = read.errors.find(([, words]) => !hasKnownEnd(words));
  if (unknown !== undefined) unparsed("hey", "an error in words that are not known", unknown[1]);
  return read;
}

function summary(lines: Lines) {
  lines.next(forms.summary);
  const [totalS, slowestS, fastestS] = [forms.total, forms.slowest, forms.fastest].map((form) => next(lines, form));
  const average = next(lines, forms.average);
  const rps = next(lines, forms.rate);
  if (lines.maybe(forms.totalData) !== undefined) lines.next(forms.sizeRequest);
  const averageS = Number.isNaN(average) ? null : average;
  return { totalS: totalS as number, slowestS: slowestS as number, fastestS: fastestS as number, averageS, rps };
}

function distributions(lines: Lines) {
  lines.next(forms.histogram);
  const bars = lines.all(forms.bar).map(({ mark, count }) => [Number(mark), Number(count)] as const);
  lines.next(forms.distribution);
  const percentiles = lines.all(forms.percentile);
  lines.next(forms.details);
  const { least, most } = lines.next(detail("DNS\\+dialup"));
  stages.forEach((stage) => lines.next(detail(stage)));
  const isOld = percentiles.some(({ escape }) => escape === "");
  return {
    bars,
    percentilesS: percentiles.map(({ percent, n }) => [Number(percent), Number(n)] as const),
    again: isOld ? ([Number(least), Number(most)] as const) : undefined,
  };
}

function outcomes(lines: Lines) {
  lines.next(forms.statuses);
  const statuses = lines.all(forms.status).map(({ code = "", count }) => [code, Number(count)] as const);
  const failed = lines.maybe(forms.errors) !== undefined;
  const first = failed ? [lines.next(forms.error)] : [];
  const errors = [...first, ...(failed ? lines.all(forms.error) : [])];
  return { statuses, errors: errors.map(({ count, text = "" }) => [Number(count), text] as const) };
}

const next = (lines: Lines, form: RegExp): number => Number(lines.next(form).n);
