import { z } from "zod";
import { unparsed } from "../unparsed-output";
import { abortedOf } from "./errors";

const count = z.int().nonnegative();
/** null: oha makes null of NaN, where there was no answer. */
const number = z.number().nullable();
const spread = z.strictObject({ average: number, fastest: number, slowest: number });
const percentiles = z.strictObject({
  ...{ p10: number, p25: number, p50: number, p75: number, p90: number, p95: number, p99: number },
  ...{ "p99.9": number, "p99.99": number },
});
const bins = z.record(z.string(), count);

/** oha's JSON: seconds, except `metrics`, which says the same in milliseconds to the microsecond. */
const reportSchema = z.strictObject({
  summary: z.strictObject({
    successRate: number,
    total: z.number().positive(),
    ...{ slowest: number, fastest: number, average: number },
    requestsPerSec: z.number().nonnegative(),
    totalData: count,
    sizePerRequest: count.nullable(),
    sizePerSec: z.number().nonnegative(),
  }),
  metrics: z.strictObject({
    success_rate: number,
    requests_per_sec: z.number().nonnegative(),
    latency_ms: z.strictObject({ min: number, mean: number, p50: number, p95: number, p99: number, max: number }),
  }),
  responseTimeHistogram: bins,
  latencyPercentiles: percentiles,
  firstByteHistogram: bins,
  firstBytePercentiles: percentiles,
  rps: z.strictObject({ mean: number, stddev: number, max: number, min: number, percentiles }),
  details: z.strictObject({ DNSDialup: spread, DNSLookup: spread, firstByte: spread }),
  statusCodeDistribution: z.record(z.string().regex(/^\d{3}$/), z.int().positive()),
  errorDistribution: z.record(z.string(), z.int().positive()),
});
export type OhaReport = z.infer<typeof reportSchema>;

/** oha's report; throws where it is of another form or contradicts itself. */
export function checkedReport(value: unknown): OhaReport {
  const parsed = reportSchema.safeParse(value);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0] as z.core.$ZodIssue;
    unparsed("oha", "a report of another form", `${path.join(".")}: ${message}`);
  }
  checkCounts(parsed.data);
  checkLatencies(parsed.data);
  return parsed.data;
}

export const responsesOf = ({ statusCodeDistribution }: OhaReport): number => sum(statusCodeDistribution);

/** oha prints its numbers whole, so that what it divided can be divided again. */
function checkCounts({ summary, metrics, ...report }: OhaReport): void {
  const { total, requestsPerSec, totalData, sizePerSec, sizePerRequest, successRate } = summary;
  const [answers, failures] = [sum(report.statusCodeDistribution), sum(report.errorDistribution)];
  const tried = answers + failures - abortedOf(report.errorDistribution);
  insist(requestsPerSec === (answers + failures) / total, "a rate that is not requests by time", `${requestsPerSec}`);
  insist(metrics.requests_per_sec === requestsPerSec, "two different rates", `${metrics.requests_per_sec}`);
  insist(sizePerSec === totalData / total, "a transfer that is not bytes by time", `${sizePerSec}`);
  const perRequest = answers === 0 ? null : Math.floor(totalData / answers);
  insist(sizePerRequest === perRequest, "a size that is not bytes by requests", `${sizePerRequest}`);
  insist(successRate === (tried === 0 ? null : answers / tried), "a success rate of other counts", `${successRate}`);
  insist(metrics.success_rate === successRate, "two different success rates", `${metrics.success_rate}`);
}

function checkLatencies(report: OhaReport): void {
  const { summary, metrics, latencyPercentiles } = report;
  const { p10, p25, p50, p75, p90, p95, p99, "p99.9": p999, "p99.99": p9999 } = latencyPercentiles;
  const { fastest, slowest, average } = summary;
  const rising = [fastest, p10, p25, p50, p75, p90, p95, p99, p999, p9999, slowest];
  const stated = [...rising, average].filter((value) => value !== null);
  const answers = responsesOf(report);
  insist(stated.length === (answers === 0 ? 0 : 12), "latencies without answers, or answers without", `${answers}`);
  insist(isRising(rising), "latencies that must rise do not", rising.join(" "));
  const twice = { min: fastest, mean: average, p50, p95, p99, max: slowest };
  for (const [name, seconds] of Object.entries(twice)) {
    const ms = metrics.latency_ms[name as keyof typeof twice];
    insist(ms === roundedMs(seconds), `two different figures for ${name}`, `${seconds} s and ${ms} ms`);
  }
  if (answers > 0) checkBins(report, answers);
}

/** Eleven bins of equal width from the fastest to the slowest; each percentile lies in the bin its rank falls into. */
function checkBins({ summary, latencyPercentiles, responseTimeHistogram }: OhaReport, answers: number): void {
  const [fastest, slowest] = [summary.fastest as number, summary.slowest as number];
  // Of one latency only, oha prints one bin, and not always its count.
  if (fastest === slowest) return;
  const sorted = Object.entries(responseTimeHistogram).map(([edge, n]) => [Number(edge), n] as const);
  sorted.sort(([left], [right]) => left - right);
  const step = (slowest - fastest) / 10;
  const even = sorted.every(([edge], index) => Math.abs(edge - (fastest + step * index)) <= 1e-9 * slowest);
  insist(sorted.length === 11 && even, "bins that are not even", sorted.map(([edge]) => edge).join(" "));
  insist(sum(responseTimeHistogram) === answers, "bins that do not add up to the answers", `${answers}`);
  for (const [name, seconds] of Object.entries(latencyPercentiles)) {
    const rank = Math.floor((Number(name.slice(1)) / 100) * answers);
    insist(isInBin(sorted, rank, seconds as number, step), `bins without ${name}`, `${seconds}`);
  }
}

/** Whether the latency of this rank, from 0, lies in the bin named by its upper edge. */
function isInBin(bins: readonly (readonly [number, number])[], rank: number, seconds: number, step: number): boolean {
  let seen = 0;
  const bin = bins.find(([, n]) => (seen += n) > rank);
  // The bin's edge is the sum of binary fractions, and so a little off.
  const off = 1e-9 * seconds;
  return bin !== undefined && seconds <= bin[0] + off && seconds >= bin[0] - step - off;
}

/** Milliseconds to the microsecond, rounded as oha rounds `metrics`. */
export function roundedMs(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds * 1000 * 1000) / 1000;
}

function isRising(values: readonly (number | null)[]): boolean {
  const stated = values.filter((value) => value !== null);
  return stated.every((value, index) => value >= (stated[index - 1] ?? 0));
}

function insist(holds: boolean, why: string, excerpt: string): void {
  if (!holds) unparsed("oha", why, excerpt);
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, n) => total + n, 0);
