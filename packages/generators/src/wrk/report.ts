import { z } from "zod";
import { unparsed } from "../unparsed-output";
import { tag } from "./script";

const count = z.int().nonnegative();
const us = z.number().nonnegative();

/** What our script prints, in wrk's microseconds. */
const reportSchema = z.strictObject({
  durationUs: z.int().positive(),
  requests: count,
  bytes: count,
  errors: z.strictObject({ connect: count, read: count, write: count, status: count, timeout: count }),
  statuses: z.record(z.string().regex(/^\d{3}$/), count).optional(),
  latencyUs: z.strictObject({
    min: us.nullable(),
    mean: us,
    stdev: us,
    max: us,
    p50: us,
    p75: us,
    p90: us,
    p95: us,
    p99: us,
    p999: us,
  }),
  /** null, like the histogram, where reading wrk's own would have taken too long. */
  samples: count.nullable(),
  histogram: z.array(z.tuple([us, z.int().positive()])).nullable(),
});
export type WrkReport = z.infer<typeof reportSchema>;

/** Our script's lines and wrk's own, apart. No report: the script was not used. */
export function separate(stdout: string): { readonly text: string; readonly report?: WrkReport } {
  const lines = stdout.split("\n");
  const own = lines.filter((line) => line.startsWith(tag)).map((line) => line.slice(tag.length));
  const text = lines.filter((line) => !line.startsWith(tag)).join("\n");
  return own.length === 0 ? { text } : { text, report: readReport(own) };
}

function readReport([announced, ...lines]: readonly string[]): WrkReport {
  if (announced !== "figures follow") unparsed("wrk", "figures that were not announced", announced ?? "");
  const parsed = reportSchema.safeParse(jsonOf(lines.join("")));
  return parsed.success
    ? parsed.data
    : unparsed("wrk", "figures of another form", parsed.error.issues[0]?.message ?? "");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return unparsed("wrk", "figures cut off or mixed", text.slice(-200));
  }
}
