import type { GaugeFigure } from "../contract";
import type { Reckoned, Scraping } from "./figure-over";
import type { RawSeries } from "./raw-series";

/** Of the samples inside the run alone. Whether several series are to be added or averaged is the query's to say. */
export function gauged({ take = "mean" }: GaugeFigure, series: readonly RawSeries[], { window }: Scraping): Reckoned {
  const [first, ...others] = series;
  if (!first || others.length > 0)
    return { missing: `the query gives ${series.length} series; write sum(…), avg(…) or max(…) around it` };
  const values = first.samples
    .filter(([atMs]) => atMs > window.startMs && atMs <= window.endMs)
    .map(([, value]) => value);
  if (values.length === 0) return { missing: "no samples inside the run" };
  const value = take === "max" ? Math.max(...values) : values.reduce((sum, one) => sum + one, 0) / values.length;
  return Number.isFinite(value) ? { value } : { missing: `the query gives ${value}, which is no number` };
}
