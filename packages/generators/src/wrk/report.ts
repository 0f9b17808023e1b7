import { z } from "zod";
import { unparsed } from "../unparsed-output";
import { announcement, tag } from "./script";

const count = z.int().nonnegative();
const us = z.number().nonnegative();

/** What our script prints, in wrk's microseconds. */
const reportSchema = z.strictObject({
  durationUs: z.int().positive(),
  requests: count,
  bytes: count,
  errors: z.strictObject({ connect: count, read: count, write: count, status: count, timeout: count }),
  /** null: not counted. */
  statuses: z.record(z.string().regex(/^\d{3}$/), count).nullable(),
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

/** wrk's own lines, and our script's; none of these: the script was not used. */
export function separate(stdout: string): { readonly text: string; readonly own: readonly string[] } {
  const lines = stdout.split("\n");
  const own = lines.filter((line) => line.startsWith(tag)).map((line) => line.slice(tag.length));
  return { text: lines.filter((line) => !line.startsWith(tag)).join("\n"), own };
}

/** Reads our script's lines; throws unless all are there. */
export function readReport([announced, ...lines]: readonly string[]): WrkReport {
  if (announced !== announcement) unparsed("wrk", "figures that were not announced", announced ?? "");
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
