import { askedRatePerS, resultOf, type Cell, type Figure, type LatencyBasis, type Load, type Run } from "../contract";
import { mergeHistograms, percentileMs } from "./histogram";
import { allOrNone, sampleOf } from "./sample";
import { mean, meanInterval, median, medianInterval } from "./statistics";

/** The figures of a cell, as the result states them. */
export type CellFigures = Pick<Cell, "rps" | "p99Ms" | "tlsTps" | "intervals" | "mergedP99Ms" | "cpuMicrosPerRequest">;

/**
 * From the answering runs to the cell's figures.
 *
 * Rates over equal times may be averaged; percentiles may not, so that the P99 is the median of the runs' P99, with the
 * P99 of all their latencies together beside it. Where the gateway was deployed several times, its deployments are what
 * is averaged: more runs of one tell nothing of the next.
 */
export function cellFigures(runs: readonly Run[]): CellFigures {
  const valuesOf = (figure: Figure) => sampleOf(runs, figure).values;
  const [rps, p99Ms, tlsTps] = [valuesOf("rps"), valuesOf("p99Ms"), valuesOf("tlsTps")];
  const { histogram } = mergeHistograms(runs.map((run) => resultOf(run)?.histogram));
  return {
    rps: mean(rps),
    p99Ms: median(p99Ms),
    tlsTps: mean(tlsTps),
    intervals: { rps: meanInterval(rps), p99Ms: medianInterval(p99Ms), tlsTps: meanInterval(tlsTps) },
    mergedP99Ms: histogram && percentileMs(histogram, 99),
    cpuMicrosPerRequest: mean(allOrNone(runs.map((run) => run.cpuMicrosPerRequest ?? null))),
  };
}

/** What a latency has to be known by before it stands beside another. */
export interface LatencyOrigin {
  readonly load: Load;
  readonly latencyBasis: LatencyBasis;
}

/** Whether latencies may stand in one ranking, or why not. */
export type Comparability = { readonly comparable: true } | { readonly comparable: false; readonly reason: string };

/**
 * Latencies are compared where they are the same quantity at the same offered rate, and nowhere else.
 *
 * As fast as it can, a closed load only tells how many connections wait: latency = connections / rate (Little's law).
 */
export function comparable(left: LatencyOrigin, right: LatencyOrigin): Comparability {
  const different = differentBasis(left.latencyBasis, right.latencyBasis);
  if (different) return { comparable: false, reason: `their latencies differ in ${different}` };
  const unpaced = [left.load, right.load].find((load) => askedRatePerS(load) === undefined);
  if (unpaced)
    return {
      comparable: false,
      reason: `a ${unpaced.model} load without a rate: P99 ranks only at equal offered rate`,
    };
  return sameOffer(left.load, right.load);
}

/** Resolution and samples make a latency coarser or less sure, not another quantity; `caveats` and warnings tell. */
function differentBasis(left: LatencyBasis, right: LatencyBasis): string | undefined {
  const parts = ({ includes: { queue, connect, tls }, population, omission, client }: LatencyBasis) => ({
    ...{ "waiting for a connection": queue, connecting: connect, "the TLS handshake": tls },
    ...{ "the requests timed": population, "the treatment of omissions": omission },
    "the client that sent": client,
  });
  const [ours, theirs] = [Object.entries(parts(left)), Object.values(parts(right))];
  return ours.find(([, value], index) => value !== theirs[index])?.[0];
}

function sameOffer(left: Load, right: Load): Comparability {
  const [ours, theirs] = [left, right].map((load) => askedRatePerS(load) as number) as [number, number];
  if (ours !== theirs) return { comparable: false, reason: `${ours} and ${theirs} requests/s were offered` };
  const [how, other] = [left, right].map(({ connection = "keep-alive" }) => connection);
  return how === other
    ? { comparable: true }
    : { comparable: false, reason: `their connections are ${how} and ${other}` };
}

/** What a gateway costs against the path without it. null: cannot be told. */
export interface Difference {
  /** The gateway's rate as a fraction of the path's own. */
  readonly rpsRatio: number | null;
  readonly tlsTpsRatio: number | null;
  /** P99 more than without the gateway, in ms: a difference of two percentiles, not a percentile of differences. */
  readonly addedP99Ms: number | null;
}

/** A cell read against its baseline; `latency`: what `comparable` says of the two. */
export function differenceTo(baseline: CellFigures, figures: CellFigures, latency: Comparability): Difference {
  const ratio = (figure: "rps" | "tlsTps") => {
    const [ours, theirs] = [figures[figure], baseline[figure]];
    return ours === null || theirs === null || theirs === 0 ? null : ours / theirs;
  };
  const known = latency.comparable && figures.p99Ms !== null && baseline.p99Ms !== null;
  return {
    rpsRatio: ratio("rps"),
    tlsTpsRatio: ratio("tlsTps"),
    addedP99Ms: known ? (figures.p99Ms as number) - (baseline.p99Ms as number) : null,
  };
}
