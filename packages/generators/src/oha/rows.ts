import { z } from "zod";
import { requireAscending, unparsed } from "../unparsed-output";
import { checkedReport, responsesOf, type OhaReport } from "./report";

const count = z.int().nonnegative();

/** What our SQL prints: oha's report, and what the table of answers adds to it. */
const figuresSchema = z.strictObject({
  report: z.unknown(),
  samples: count,
  /** Whether oha was told to time from the intended start. */
  corrects: z.boolean(),
  /** Answers so timed. */
  corrected: count,
  sumNs: count,
  bytes: count,
  statuses: z.record(z.string().regex(/^\d{3}$/), z.int().positive()),
  histogram: z.array(z.tuple([count, z.int().positive()])),
  /** From second, answers, P99 in microseconds. */
  series: z.array(z.tuple([count, z.int().positive(), count])),
});
export type OhaRows = Omit<z.infer<typeof figuresSchema>, "report">;

/** oha's report and the reduced table; throws where they contradict each other. */
export function checkedFigures(value: unknown): { readonly report: OhaReport; readonly rows: OhaRows } {
  const parsed = figuresSchema.safeParse(value);
  if (!parsed.success) unparsed("oha", "figures of another form", parsed.error.issues[0]?.message ?? "");
  const { report: unchecked, ...rows } = parsed.data;
  const report = checkedReport(unchecked);
  checkTotals(rows, report);
  if (rows.samples > 0) checkHistogram(rows, report);
  return { report, rows };
}

function checkTotals(rows: OhaRows, report: OhaReport): void {
  const { samples, corrects, corrected, statuses, sumNs, bytes } = rows;
  const { statusCodeDistribution, summary } = report;
  const counted = [responsesOf(report), sum(rows.histogram), sum(rows.series), sum(Object.entries(statuses))];
  insist(
    counted.every((n) => n === samples),
    "rows of another run than the report",
    `${samples}, ${counted.join(", ")}`,
  );
  const isSame = Object.entries(statuses).every(([code, n]) => statusCodeDistribution[code] === n);
  insist(isSame, "two numbers of statuses", JSON.stringify(statuses));
  insist(bytes === summary.totalData, "two numbers of bytes", `${bytes} and ${summary.totalData}`);
  insist(
    corrected === (corrects ? samples : 0),
    "latencies corrected that should not be, or the other way",
    `${corrected} of ${samples}`,
  );
  const meanNs = (summary.average ?? 0) * 1e9;
  insist(Math.abs(meanNs * samples - sumNs) <= 1e-6 * sumNs, "two different means", `${summary.average}`);
}

function checkHistogram({ histogram, series, samples }: OhaRows, { summary, latencyPercentiles }: OhaReport): void {
  requireAscending(
    "oha",
    histogram.map(([edge]) => edge),
  );
  requireAscending(
    "oha",
    series.map(([atS]) => atS),
  );
  const ranks = Object.entries(latencyPercentiles).map(([name, seconds]) => {
    return [name, Math.floor((Number(name.slice(1)) / 100) * samples), seconds] as const;
  });
  const ends = [["min", 0, summary.fastest] as const, ["max", samples - 1, summary.slowest] as const];
  for (const [name, rank, seconds] of [...ranks, ...ends]) {
    insist(holds(histogram, rank, (seconds ?? 0) * 1e6), `a histogram without its ${name}`, `${seconds} s`);
  }
}

/** Whether the latency of this rank, from 0, lies in the bucket named by its upper edge. */
function holds(histogram: OhaRows["histogram"], rank: number, us: number): boolean {
  let seen = 0;
  const bucket = histogram.find(([, n]) => (seen += n) > rank);
  return bucket !== undefined && bucket[0] >= us - 0.001 && bucket[0] <= us * (1 + 1 / 1024) + 1;
}

function insist(holds: boolean, why: string, excerpt: string): void {
  if (!holds) unparsed("oha", why, excerpt);
}

const sum = (counts: readonly (readonly [unknown, number, ...unknown[]])[]): number =>
  counts.reduce((total, [, n]) => total + n, 0);
