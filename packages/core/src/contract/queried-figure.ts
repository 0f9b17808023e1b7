import { z } from "zod";

interface FigureCommon {
  /** Kebab-case; no two of one run have the same. */
  readonly name: string;
  /** As people read it: "requests/s", "cores", "bytes". */
  readonly unit: string;
  /** PromQL. It may hold placeholders; figure-query.ts has them. */
  readonly query: string;
}

/** What was counted over a run: the difference of raw samples, all series of the selector added up. */
export interface CounterFigure extends FigureCommon {
  readonly kind: "counter";
  /** Divided by the run's length. Default false. */
  readonly perSecond?: boolean;
}

/** What rises and falls, seen at each scrape inside a run. The query gives one series; it may be any expression. */
export interface GaugeFigure extends FigureCommon {
  readonly kind: "gauge";
  /** Default "mean". */
  readonly take?: "mean" | "max";
}

/** A quantile of what a histogram's buckets counted inside a run; no finer than its buckets are. */
export interface QuantileFigure extends FigureCommon {
  readonly kind: "histogram-quantile";
  /** Above 0, below 1. */
  readonly quantile: number;
}

/**
 * A figure by PromQL over exactly a run's window, as data.
 *
 * Gateways, upstreams and generators declare what their own metrics are good for beside the page that has them; users
 * add theirs. Samples are fetched as they were scraped and reckoned with by measure/figure-over.ts, not by Prometheus:
 * its `rate` extrapolates to the edges of a window, and a run's edges are known.
 */
export type QueriedFigure = CounterFigure | GaugeFigure | QuantileFigure;

/** Who declared a figure: the gateway's adapter, what runs beside it (upstream, generator, hosts), or the user. */
export type FigureOwner = "adapter" | "service" | "user";

/** A figure of one run with the query as it was asked. One without data is missing, with the reason; never zero. */
export type RunFigure = { readonly name: string; readonly unit: string; readonly query: string } & (
  { readonly value: number } | { readonly missing: string }
);

/** An observatory as results state it: scraping costs, and what it costs is in every figure. */
export interface ObservatoryNote {
  readonly scrapeIntervalS: number;
}

const named = { name: z.string(), unit: z.string(), query: z.string() };

/** The form of a figure in a file. */
export const figureSchema = z.discriminatedUnion("kind", [
  z.strictObject({ ...named, kind: z.literal("counter"), perSecond: z.boolean().optional() }),
  z.strictObject({ ...named, kind: z.literal("gauge"), take: z.enum(["mean", "max"]).optional() }),
  z.strictObject({ ...named, kind: z.literal("histogram-quantile"), quantile: z.number() }),
]);

export const runFigureSchema = z.union([
  z.strictObject({ ...named, value: z.number() }),
  z.strictObject({ ...named, missing: z.string() }),
]);

export const observatoryNoteSchema = z.strictObject({ scrapeIntervalS: z.number().positive() });
