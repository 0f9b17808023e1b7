import { z } from "zod";
import { unparsed } from "../unparsed-output";
import { hasKnownEnd } from "./errors";
import { count, jsonOf, latencySchema, seconds, statusesSchema } from "./template";

/** Figures that people have hey print by a template of their own: each of them once, named as in hey's report. */
const ownSchema = z.strictObject({
  rps: z.number().positive(),
  totalSeconds: z.number().positive(),
  numRes: count,
  /** `len .Lats` */
  samples: count,
  /** null: NaN, because there was no answer. Beyond hey's cap too large: the sum of all by the number of samples. */
  average: seconds.nullable(),
  latency: latencySchema,
  status: statusesSchema,
  errors: z.record(z.string(), z.int().positive()),
  avgTotal: seconds.optional(),
  fastest: seconds.optional(),
  slowest: seconds.optional(),
  sizeTotal: count.optional(),
  sizeReq: count.optional(),
  avgConn: seconds.nullable().optional(),
});
export type OwnReport = z.infer<typeof ownSchema>;

const names = Object.keys(ownSchema.shape).join(", ");

/** Reads figures of somebody's own template; throws unless those that depend on each other agree. */
export function readOwn(stdout: string): OwnReport {
  // Go prints what has no value as NaN, which JSON has no word for.
  const parsed = ownSchema.safeParse(jsonOf(stdout.replace(/":NaN(?=[,}])/g, '":null')));
  if (!parsed.success) return unparsed("hey", `figures of another form; read are ${names}`, stdout);
  const report = parsed.data;
  const wrong = faults(report).find(([, isWrong]) => isWrong);
  if (wrong !== undefined) unparsed("hey", wrong[0], stdout);
  return report;
}

/** To the last digit: both sides are what Go made of the same numbers. */
function faults(report: OwnReport): readonly (readonly [why: string, isWrong: boolean])[] {
  const { rps, totalSeconds, numRes, samples, average, avgTotal, fastest, slowest, sizeTotal, sizeReq } = report;
  const isSome = samples > 0;
  const sizes = isSome ? Math.floor((sizeTotal ?? 0) / samples) : 0;
  return [
    ["a rate that is not requests by time", rps !== numRes / totalSeconds],
    ["an average of nothing, or none of something", (average !== null) !== isSome],
    [
      "an average that is not the sum by the samples",
      isSome && avgTotal !== undefined && average !== avgTotal / samples,
    ],
    ["one end of the latencies only", (fastest === undefined) !== (slowest === undefined)],
    ["a size that is not the bytes by the samples", sizeTotal !== undefined && (sizeReq ?? sizes) !== sizes],
    ["an error in words that are not known", !Object.keys(report.errors).every(hasKnownEnd)],
  ];
}
