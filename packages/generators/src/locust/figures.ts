import { z } from "zod";
import { unparsed } from "../unparsed-output";
import { unseal } from "../sealed";

const count = z.int().nonnegative();
const us = z.int().nonnegative();

/** What our recorder prints. */
const figuresSchema = z.strictObject({
  locust: z.string(),
  client: z.enum(["fast", "http", "own"]),
  model: z.enum(["closed", "users", "iterations"]),
  /** As many as were started at the same time. */
  users: count,
  measuredFrom: z.enum(["start", "after-ramp"]),
  durationS: z.number().nonnegative(),
  processes: z.strictObject({ asked: z.int().positive(), reported: count }),
  /** Whether requests were sent again, unseen, when a connection died. */
  repeats: z.boolean(),
  /** Locust's own words. */
  overloaded: z.string().nullable(),
  /** Of users' own code. */
  exceptions: z.strictObject({ count, first: z.string().nullable() }),
  /** Events without an HTTP response. */
  foreign: count,
  statuses: z.record(z.string().regex(/^\d{3}$/), count),
  errors: z.record(z.string(), count),
  bytes: count,
  latencyUs: z
    .strictObject({
      min: us,
      mean: z.number().nonnegative(),
      stdev: z.number().nonnegative(),
      max: us,
      p50: us,
      p75: us,
      p90: us,
      p95: us,
      p99: us,
      p999: us,
    })
    .nullable(),
  /** null where it would have been too long to print. */
  histogram: z.array(z.tuple([us, z.int().positive()])).nullable(),
  /** Second, answers, errors. */
  series: z.array(z.tuple([count, count, count])),
});
export type Figures = z.infer<typeof figuresSchema>;

/** The recorder's figures, which contradict neither themselves nor what can be true of a run. */
export function readFigures(stdout: string): Figures {
  const { figures, others } = unseal("locust", stdout);
  const [foreign] = others;
  if (foreign !== undefined) unparsed("locust", "another's words between the figures", foreign);
  const parsed = figuresSchema.safeParse(figures);
  if (!parsed.success) unparsed("locust", "figures of another form", parsed.error.issues[0]?.message ?? "");
  checkRun(parsed.data);
  checkCounts(parsed.data);
  return parsed.data;
}

export const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, each) => sum + each, 0);

/** Throws where something other than the load was run. */
function checkRun({ exceptions, foreign, durationS, processes }: Figures): void {
  insist(
    exceptions.count === 0,
    `${exceptions.count} exceptions of the locustfile; catch them there`,
    exceptions.first ?? "",
  );
  insist(foreign === 0, "requests without an HTTP response, which have no status", `${foreign}`);
  insist(durationS > 0, "a run that ended before its figures began", `${durationS} s`);
  insist(
    processes.reported <= processes.asked,
    "more processes than were asked",
    `${processes.reported} of ${processes.asked}`,
  );
}

function checkCounts({ statuses, errors, latencyUs, histogram, series }: Figures): void {
  const responses = total(statuses);
  const [answered, failed] = [1, 2].map((at) => series.reduce((sum, row) => sum + (row[at] ?? 0), 0));
  insist((latencyUs === null) === (responses === 0), "latencies without answers, or answers without", `${responses}`);
  insist(answered === responses, "seconds that do not add up to the answers", `${answered} of ${responses}`);
  insist(failed === total(errors), "seconds that do not add up to the errors", `${failed} of ${total(errors)}`);
  if (histogram === null || latencyUs === null) return;
  const samples = histogram.reduce((sum, [, n]) => sum + n, 0);
  insist(samples === responses, "a histogram of another size than its answers", `${samples} of ${responses}`);
  const { p50, p75, p90, p95, p99, p999, max } = latencyUs;
  for (const [part, stated] of Object.entries({ 50: p50, 75: p75, 90: p90, 95: p95, 99: p99, 99.9: p999 })) {
    const found = Math.min(bucketOf(histogram, Math.ceil((Number(part) * samples) / 100)), max);
    insist(found === stated, `a histogram without its percentile ${part}`, `${stated}`);
  }
}

/** The upper edge of the bucket that holds the sample of this rank. */
export function bucketOf(counts: readonly (readonly [edge: number, count: number])[], rank: number): number {
  let seen = 0;
  return counts.find(([, n]) => (seen += n) >= rank)?.[0] ?? NaN;
}

export function insist(holds: boolean, why: string, excerpt: string): asserts holds {
  if (!holds) unparsed("locust", why, excerpt);
}
