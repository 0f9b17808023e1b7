import type { CounterFigure } from "../contract";
import type { Reckoned, Scraping } from "./figure-over";
import { nameOf, resetIn, type RawSample, type RawSeries } from "./raw-series";

/**
 * The last sample at or before the start to the first at or after the end: with one idle scrape on each side nothing
 * outside the run is counted, and nothing is guessed. All series are added up.
 */
export function counted({ perSecond }: CounterFigure, series: readonly RawSeries[], scraping: Scraping): Reckoned {
  const { startMs, endMs } = scraping.window;
  let total = 0;
  for (const one of series) {
    const difference = differenceOf(one, scraping);
    if (typeof difference === "string") return { missing: difference };
    total += difference;
  }
  return { value: perSecond ? total / ((endMs - startMs) / 1000) : total };
}

/** Scrapes further from an edge than this would count what came before the run, or after it. */
const mostScrapesAway = 2;

function differenceOf(series: RawSeries, { window: { startMs, endMs }, intervalS }: Scraping): number | string {
  const farMs = mostScrapesAway * intervalS * 1000;
  const from = series.samples.findLastIndex(([atMs]) => atMs <= startMs && atMs >= startMs - farMs);
  const to = series.samples.findIndex(([atMs]) => atMs >= endMs && atMs <= endMs + farMs);
  if (from < 0) return `${nameOf(series)} has no sample in the ${farMs / 1000} s before the run`;
  if (to < 0) return `${nameOf(series)} has no sample in the ${farMs / 1000} s after the run`;
  const between = series.samples.slice(from, to + 1);
  const reset = resetIn(between);
  if (reset)
    return `${nameOf(series)} fell from ${reset[0][1]} to ${reset[1][1]} during the run: it began to count anew`;
  return (between.at(-1) as RawSample)[1] - (between[0] as RawSample)[1];
}
