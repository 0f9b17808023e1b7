import type { Scraping } from "./figure-over";
import type { RawSample, RawSeries } from "./raw-series";

/** For tests: a run of ten seconds, scraped each second. */
export const runStartMs = Date.parse("2026-01-01T00:00:00.000Z");
export const window = { startMs: runStartMs, endMs: runStartMs + 10_000 };

/** Scrapes from 3 s before the run to 3 s after it, each late by the same part of a second; the value is a function of seconds since its start. */
export function series(
  value: (s: number) => number | undefined,
  labels: RawSeries["labels"] = {},
  lateS = 0.25,
): RawSeries {
  const seconds = Array.from({ length: 17 }, (_, index) => index - 3 + lateS);
  const samples = seconds.flatMap((s): RawSample[] => {
    const at = value(s);
    return at === undefined ? [] : [[runStartMs + s * 1000, at]];
  });
  return { labels: { __name__: "requests_total", ...labels }, samples };
}

/** Idle before the run and after it, so many per second between. */
export const steady = (perS: number, from = 0) =>
  series((s) => from + perS * Math.min(10, Math.max(0, s)), { code: "200" });

export const answering: Scraping = {
  window,
  intervalS: 1,
  up: { "gateway-envoy": [series(() => 1)] },
  startedS: [[runStartMs - 2000, runStartMs / 1000 - 600]],
};
