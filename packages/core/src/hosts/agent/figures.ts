import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { QueriedFigure, RunFigure } from "../../contract";
import { asksWindow, jobMatcher, overWindow } from "../../contract/figure-query";
import { figureOver, missing, runFigure, unknowable, type Scraping } from "../../measure/figure-over";
import type { RawSeries } from "../../measure/raw-series";
import type { Window } from "../../measure/usage";
import type { AskedFigure, ObservatoryOrder } from "../job-record";
import { clockOf, rawSamples, valuesAt, valuesOver } from "./prometheus";
import type { Supervision } from "./supervision";

const lookMs = 50;
/** Scrapes to wait for one in which everything took part; then what is missing is missing. */
const patience = 3;
/** Prometheus looks for targets every five seconds: one that has just been started scrapes nothing yet. */
const beginsWithinS = 10;

/**
 * Waits until everything was scraped once more, so that a counter is known on both sides of a run while nothing counts.
 * For a Prometheus that is gone nobody waits.
 */
export async function idleScrape(
  observatory: ObservatoryOrder,
  withinS = beginsWithinS + patience * observatory.scrapeIntervalS,
): Promise<void> {
  const deadline = Date.now() + withinS * 1000;
  try {
    const since = await clockOf(observatory);
    while (Date.now() < deadline && (await leastScrapedMs(observatory)) < since) await sleep(lookMs);
  } catch {
    // The figures will say why.
  }
}

/** When that was scraped last whose last scrape is the longest ago; 0 where something was never scraped yet. */
async function leastScrapedMs(observatory: ObservatoryOrder): Promise<number> {
  const [least] = await valuesAt(observatory, `min(timestamp(up)) and count(up) >= ${observatory.targets}`);
  return (least?.samples[0]?.[1] ?? 0) * 1000;
}

/** The figures of a run that has ended, by samples that are kept beside its output. None of them can fail the run. */
export async function figuresOver(
  { folder, order: { observatory }, mask }: Supervision,
  run: Window,
): Promise<readonly RunFigure[] | undefined> {
  if (!observatory) return undefined;
  await idleScrape(observatory);
  const said = await asked(observatory, run);
  // A page of metrics may hold what its server was configured with.
  writeFileSync(join(folder, "figures.json"), mask(JSON.stringify(said, null, 1)), { mode: 0o600 });
  return said.figures;
}

/** What Prometheus was asked and answered, for whoever reckons again. */
interface Said {
  /** By Prometheus' clock. */
  readonly window: Window;
  readonly figures: readonly RunFigure[];
  readonly samples: Readonly<Record<string, readonly RawSeries[]>>;
}

async function asked(observatory: ObservatoryOrder, run: Window): Promise<Said> {
  try {
    const look = await lookAfter(observatory, run);
    const each = await Promise.all(observatory.figures.map((one) => reckoned(look, one)));
    const samples = Object.fromEntries(each.map(({ figure, series }) => [figure.name, series]));
    return { window: look.window, figures: each.map(({ figure }) => figure), samples };
  } catch (error) {
    const reason = missing((error as Error).message);
    return { window: run, figures: observatory.figures.map(({ figure }) => stated(figure, run, reason)), samples: {} };
  }
}

/** Prometheus after a run. */
interface Look {
  readonly observatory: ObservatoryOrder;
  readonly window: Window;
  readonly nowMs: number;
  /** When it says it was started. */
  readonly startedS: Scraping["startedS"];
}

async function lookAfter(observatory: ObservatoryOrder, run: Window): Promise<Look> {
  const askedMs = clockMs();
  const nowMs = await clockOf(observatory);
  const aheadMs = nowMs - (askedMs + clockMs()) / 2;
  // In whole milliseconds, as Prometheus keeps time.
  const window = { startMs: Math.round(run.startMs + aheadMs), endMs: Math.round(run.endMs + aheadMs) };
  const look = { observatory, window, nowMs, startedS: [] };
  const itself = await raw(look, `process_start_time_seconds{${jobMatcher([observatory.job])}}`);
  return { ...look, startedS: itself.flatMap(({ samples }) => samples) };
}

const clockMs = (): number => performance.timeOrigin + performance.now();

interface ReckonedFigure {
  readonly figure: RunFigure;
  readonly series: readonly RawSeries[];
}

async function reckoned(look: Look, { figure, jobs, missing: reason }: AskedFigure): Promise<ReckonedFigure> {
  const without = (why: string) => ({ figure: stated(figure, look.window, missing(why)), series: [] });
  if (reason !== undefined) return without(reason);
  try {
    const scraping = { ...look, intervalS: look.observatory.scrapeIntervalS, up: await answeredScrapes(look, jobs) };
    const against = unknowable(scraping);
    if (against !== undefined) return without(against);
    const series = await samplesOf(look, figure);
    return { figure: stated(figure, look.window, figureOver(figure, series, scraping)), series };
  } catch (error) {
    return without((error as Error).message);
  }
}

const stated = (figure: QueriedFigure, window: Window, value: ReturnType<typeof figureOver>): RunFigure =>
  runFigure(figure, queryOver(figure, window), value);

const queryOver = ({ query }: QueriedFigure, { startMs, endMs }: Window): string => overWindow(query, endMs - startMs);

/** Counts as they were scraped. Anything else inside the run alone: the first moment asked for has a scrape before it. */
function samplesOf(look: Look, figure: QueriedFigure): Promise<readonly RawSeries[]> {
  const { observatory, window } = look;
  const query = queryOver(figure, window);
  if (figure.kind !== "gauge") return raw(look, query);
  if (asksWindow(figure.query)) return valuesAt(observatory, query, window.endMs);
  const stepS = observatory.scrapeIntervalS;
  return valuesOver(observatory, query, window.startMs + stepS * 1000, window.endMs, stepS);
}

async function answeredScrapes(look: Look, jobs: readonly string[]): Promise<Scraping["up"]> {
  const each = jobs.map(async (job) => [job, await raw(look, `up{${jobMatcher([job])}}`)] as const);
  return Object.fromEntries(await Promise.all(each));
}

/** From a few scrapes before the run until now. */
function raw({ observatory, window, nowMs }: Look, selector: string): Promise<readonly RawSeries[]> {
  const lengthMs = nowMs - window.startMs + patience * observatory.scrapeIntervalS * 1000;
  return rawSamples(observatory, selector, nowMs, lengthMs);
}
