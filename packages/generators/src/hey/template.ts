import { z } from "zod";
import { unparsed } from "../unparsed-output";

/** What the template prints of hey's report. `.Average` is left out: it is wrong above a million. */
const fields = {
  rps: "{{.Rps}}",
  totalS: "{{.Total.Seconds}}",
  requests: "{{.NumRes}}",
  samples: "{{len .Lats}}",
  latencySumS: "{{.AvgTotal}}",
  fastestS: "{{.Fastest}}",
  slowestS: "{{.Slowest}}",
  bodyBytes: "{{.SizeTotal}}",
  latency: "{{jsonify .LatencyDistribution}}",
  statuses: "{{jsonify .StatusCodeDist}}",
};

/**
 * hey fills in any Go template given as `-o`: exact figures where its own text rounds to 0.1 ms. A template cannot make a
 * checksum, so each figure stands there twice, the second time from the last to the first. Each error has a line of its
 * own, because errors hold port numbers and can be thousands; of it, count and length say whether it is whole.
 */
export const template = [
  `{"tool":"hey","figures":${object(Object.entries(fields))},`,
  `"again":${object(Object.entries(fields).toReversed())},`,
  '"errors":[{{range $text, $count := .ErrorDist}}{{"\\n"}}[{{$count}},{{jsonify $text}},{{$count}},{{len $text}}],{{end}}[0,"",0,0]]}',
].join('{{"\\n"}}');

function object(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([name, value]) => `"${name}":${value}`).join(",")}}`;
}

export const count = z.int().nonnegative();
export const seconds = z.number().nonnegative();
/** Percentage 0: too few samples for this one. */
export const latencySchema = z.array(z.strictObject({ Percentage: z.int(), Latency: seconds })).nullable();
export const statusesSchema = z.record(z.string().regex(/^\d{3}$/), z.int().positive()).nullable();

const figuresSchema = z.strictObject({
  rps: z.number().positive(),
  totalS: z.number().positive(),
  requests: count,
  samples: count,
  latencySumS: seconds,
  fastestS: seconds,
  slowestS: seconds,
  bodyBytes: count,
  latency: latencySchema,
  statuses: statusesSchema,
});
const reportSchema = z.strictObject({
  tool: z.literal("hey"),
  figures: figuresSchema,
  again: figuresSchema,
  errors: z.array(z.tuple([count, z.string(), count, count])),
});
export type HeyReport = z.infer<typeof figuresSchema> & {
  readonly errors: readonly (readonly [count: number, text: string])[];
};

/** Whether an output is what our template makes, or the beginning of it. */
export const isOurs = (stdout: string): boolean => stdout.trimStart().startsWith('{"tool":');

/** Reads what our template made of hey's figures; throws unless both times say the same. */
export function readTemplate(stdout: string): HeyReport {
  const parsed = reportSchema.safeParse(jsonOf(stdout));
  if (!parsed.success) unparsed("hey", "figures of another form", stdout);
  const { figures, again, errors } = parsed.data;
  const differ = Object.entries(figures).find(([name, value]) => !isSame(value, again[name as keyof typeof again]));
  if (differ !== undefined) unparsed("hey", "two different figures", JSON.stringify(differ));
  const changed = errors.find((error) => !isWhole(error));
  if (changed !== undefined) unparsed("hey", "an error cut off or changed", JSON.stringify(changed));
  return { ...figures, errors: errors.map(([count, text]) => [count, text] as const) };
}

/** 0.1.4 prints through Printf, which makes `%!b(MISSING)` of `%20`: of such an error the length is another. */
function isWhole([count, text, same, length]: readonly [number, string, number, number]): boolean {
  return count === same && (text.includes("%!") || Buffer.byteLength(text) === length);
}

const isSame = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return unparsed("hey", "figures cut off or mixed", text.trim().slice(-200));
  }
}
