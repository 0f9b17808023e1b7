import { z } from "zod";
import { unparsed } from "../unparsed-output";

/**
 * hey fills in any Go template given as `-o`: exact figures where its own text rounds to 0.1 ms. Each error has a line
 * of its own, because errors hold port numbers and can be thousands. `.Average` is left out: it is wrong above a million.
 */
export const template = [
  '{"tool":"hey","rps":{{.Rps}},"totalS":{{.Total.Seconds}},"requests":{{.NumRes}},',
  '"samples":{{len .Lats}},"latencySumS":{{.AvgTotal}},"fastestS":{{.Fastest}},"slowestS":{{.Slowest}},',
  '"bodyBytes":{{.SizeTotal}},"latency":{{jsonify .LatencyDistribution}},"statuses":{{jsonify .StatusCodeDist}},',
  '"errors":[{{range $text, $count := .ErrorDist}}{{"\\n"}}[{{$count}},{{jsonify $text}}],{{end}}[0,""]]}',
].join('{{"\\n"}}');

const count = z.int().nonnegative();
const seconds = z.number().nonnegative();

const reportSchema = z.strictObject({
  tool: z.literal("hey"),
  rps: z.number().positive(),
  totalS: z.number().positive(),
  requests: count,
  samples: count,
  latencySumS: seconds,
  fastestS: seconds,
  slowestS: seconds,
  bodyBytes: count,
  /** Percentage 0: too few samples for this one. */
  latency: z.array(z.strictObject({ Percentage: z.int(), Latency: seconds })).nullable(),
  statuses: z.record(z.string().regex(/^\d{3}$/), z.int().positive()).nullable(),
  errors: z.array(z.tuple([count, z.string()])),
});
export type HeyReport = z.infer<typeof reportSchema>;

/** Reads what our template made of hey's figures. */
export function readTemplate(stdout: string): HeyReport {
  const parsed = reportSchema.safeParse(jsonOf(stdout));
  return parsed.success ? parsed.data : unparsed("hey", "figures of another form", stdout);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return unparsed("hey", "figures cut off or mixed", text.trim().slice(-200));
  }
}
