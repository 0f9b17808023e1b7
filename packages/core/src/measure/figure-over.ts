import type { QueriedFigure, RunFigure } from "../contract";
import { counted } from "./counted-over";
import { quantileOf } from "./bucket-quantile";
import { gauged } from "./gauged-over";
import type { RawSample, RawSeries } from "./raw-series";
import type { Window } from "./usage";

/** What is known of the scraping around a run. */
export interface Scraping {
  readonly window: Window;
  readonly intervalS: number;
  /** Prometheus' `up` of what a figure is about, by scrape job: 1 where a scrape was answered. */
  readonly up: Readonly<Record<string, readonly RawSeries[]>>;
  /** `process_start_time_seconds` of Prometheus itself: another one after a restart. */
  readonly startedS: readonly RawSample[];
}

/** A figure's value, or why there is none. */
export type Reckoned = { readonly value: number } | { readonly missing: string };

export const missing = (reason: string): Reckoned => ({ missing: reason });

/** One figure of one run from the samples scraped around it. What is not known for certain is missing, never zero. */
export function figureOver(figure: QueriedFigure, series: readonly RawSeries[], scraping: Scraping): Reckoned {
  const reason = unknowable(scraping);
  if (reason !== undefined) return missing(reason);
  const filled = series.filter(({ samples }) => samples.length > 0);
  if (filled.length === 0) return missing("no samples: nothing that was scraped matches the query");
  if (figure.kind === "counter") return counted(figure, filled, scraping);
  return figure.kind === "gauge" ? gauged(figure, filled, scraping) : quantileOf(figure, filled, scraping);
}

/** Why nothing of this kind can be known of a run, whatever was scraped. */
export const unknowable = (scraping: Scraping): string | undefined =>
  tooShort(scraping) ?? restarted(scraping) ?? down(scraping);

/** As it stands in a run. */
export const runFigure = ({ name, unit }: QueriedFigure, query: string, reckoned: Reckoned): RunFigure => ({
  ...{ name, unit, query },
  ...reckoned,
});

function tooShort({ window, intervalS }: Scraping): string | undefined {
  const lengthS = (window.endMs - window.startMs) / 1000;
  return lengthS >= 2 * intervalS
    ? undefined
    : `the run lasted ${lengthS.toFixed(1)} s, less than two scrapes ${intervalS} s apart`;
}

/** What it had not written yet is lost, and whoever started it may have done so with other files. */
function restarted({ window, startedS }: Scraping): string | undefined {
  const latest = Math.max(...startedS.map(([, value]) => value * 1000));
  if (startedS.length === 0) return "Prometheus has no samples of itself around the run";
  return latest > window.startMs
    ? `Prometheus was started again at ${clock(latest)}, after the run had begun`
    : undefined;
}

const clock = (atMs: number): string => new Date(atMs).toISOString().slice(11, 19);

function down({ up, window, intervalS }: Scraping): string | undefined {
  for (const [job, series] of Object.entries(up)) {
    const around = series.flatMap(({ samples }) => samples).filter(([atMs]) => isAround(atMs, window, intervalS));
    const failed = around.filter(([, value]) => value !== 1);
    if (around.length === 0) return `${job} was not scraped`;
    if (failed.length > 0) return `${job} did not answer ${failed.length} of ${around.length} scrapes`;
  }
  return undefined;
}

const isAround = (atMs: number, { startMs, endMs }: Window, intervalS: number): boolean =>
  atMs >= startMs - intervalS * 1000 && atMs <= endMs + intervalS * 1000;
