import { z } from "zod";
import { sealOf } from "../sealed";
import { unparsed } from "../unparsed-output";
import { withoutDone } from "./done-lines";
import { announcement, announcementWithScript, sealTag, tag } from "./script";
import { isLineOfWrk } from "./text";

const count = z.int().nonnegative();
const us = z.number().nonnegative();

/** What our script prints, in wrk's microseconds. */
const reportSchema = z.strictObject({
  threads: z.int().positive(),
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

/** wrk's own lines, our script's (none: it was not used), and what somebody's own `done` said in its place. */
export function separate(stdout: string): {
  readonly text: string;
  readonly own: readonly string[];
  readonly said: readonly object[];
} {
  const lines = stdout.split("\n");
  const own = lines.filter((line) => line.startsWith("@gatebench"));
  const others = lines.filter((line) => !line.startsWith("@gatebench"));
  // A user's script prints what it likes; of wrk's own words none can be missing, or there twice.
  const isMixed = own[0] === tag + announcementWithScript;
  if (isMixed) return { text: others.filter(isLineOfWrk).join("\n"), own, said: [] };
  const { lines: theirs, said } = own.length === 0 ? withoutDone(others) : { lines: others, said: [] };
  return { text: theirs.join("\n"), own, said };
}

/** Reads our script's lines; throws unless all are there, and as they were said. */
export function readReport([announced = "", ...lines]: readonly string[]): WrkReport {
  const isAnnounced = [announcement, announcementWithScript].some((words) => announced === tag + words);
  if (!isAnnounced) unparsed("wrk", "figures that were not announced", announced);
  const text = sealedText(lines);
  const parsed = reportSchema.safeParse(jsonOf(text));
  return parsed.success
    ? parsed.data
    : unparsed("wrk", "figures of another form", parsed.error.issues[0]?.message ?? "");
}

/** What our lines say together; the last of them is the seal. */
function sealedText(lines: readonly string[]): string {
  const [said, seal = ""] = [lines.slice(0, -1), lines.at(-1)];
  const isWhole = seal.startsWith(sealTag) && said.every((line) => line.startsWith(tag));
  if (!isWhole) unparsed("wrk", "figures missing, cut off, or of two runs", seal);
  const text = said.map((line) => line.slice(tag.length)).join("");
  if (sealOf(text) !== seal.slice(sealTag.length).trim()) unparsed("wrk", "figures that do not fit their seal", text);
  return text;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return unparsed("wrk", "figures cut off or mixed", text.slice(-200));
  }
}
