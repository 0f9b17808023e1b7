import { z } from "zod";

const ms = z.number().nonnegative().nullable();

/** Milliseconds, as the tool states them. null: the tool does not state it; nothing is ever interpolated. */
export const latencySchema = z.strictObject({
  min: ms,
  mean: ms,
  p50: ms,
  p75: ms,
  p90: ms,
  p95: ms,
  p99: ms,
  p999: ms,
  max: ms,
  stdev: ms,
});
export type Latency = Readonly<z.infer<typeof latencySchema>>;

/** What a tool's latency is made of. Results whose bases differ never stand in one ranking. */
export const latencyBasisSchema = z.strictObject({
  /** Whether waiting for a free slot, connecting, and the TLS handshake are inside. */
  includes: z.strictObject({ queue: z.boolean(), connect: z.boolean(), tls: z.boolean() }),
  /** Which requests were timed. */
  population: z.enum(["all", "2xx", "responses"]),
  /** What is done about requests that were not sent because the answer before them was late. */
  omission: z.enum(["none", "intended-start", "backfill"]),
  resolutionMs: z.number().positive(),
  /** Which of its clients the tool sent with, where it has several that time differently. */
  client: z.string().optional(),
  /** How many latencies stand behind the percentiles; null where the tool does not say. */
  samples: z.int().nonnegative().nullable(),
});
export type LatencyBasis = Readonly<z.infer<typeof latencyBasisSchema>>;

/** Counts by latency, mergeable: `[upper edge of the bucket in µs, count]`, ascending. */
export const histogramSchema = z.strictObject({
  unit: z.literal("us"),
  counts: z.array(z.tuple([z.number().nonnegative(), z.int().positive()])),
});
export type Histogram = z.infer<typeof histogramSchema>;

/** Things a reader of a tool's figures must know. A closed list: `describeCaveat` has a sentence for each. */
export const caveats = {
  "sample-cap":
    "the tool kept only its first latencies, hey a million of them; percentiles are of the beginning of the run",
  "status-cap": "the tool stopped counting statuses after its first responses, hey after a million",
  backfilled: "the tool added samples it did not measure, to make up for requests it could not send",
  "floored-connections": "the tool rounded the connections down to a multiple of its threads",
  "late-responses-uncounted": "responses later than the tool's timeout are counted but not timed",
  resolution: "the tool rounds its latencies; differences below the resolution mean nothing",
  "no-samples": "too few responses for the tool to state percentiles",
  "classes-only": "the tool tells good from bad responses, but no status codes",
  "failures-unsorted": "the tool counts bad statuses and transport errors together",
  "repeats-unseen":
    "the tool's HTTP library sends a request again, unseen, when a kept connection died under it; trust the server's count",
  "not-merged": "several processes sent the load, and not all gave a histogram their percentiles could be merged from",
} as const;
export type Caveat = keyof typeof caveats;
export const describeCaveat = (caveat: Caveat): string => caveats[caveat];

const counts = z.record(z.string(), z.int().nonnegative());

/** One second (or so) of a run, where the tool gives it. */
export const intervalSchema = z.strictObject({
  atS: z.number(),
  responses: z.int().nonnegative(),
  errors: z.int().nonnegative().optional(),
  p99Ms: ms.optional(),
});
export type Interval = Readonly<z.infer<typeof intervalSchema>>;

/** What a generator says of one run, in one shape for all generators. */
export const loadResultSchema = z.strictObject({
  tool: z.strictObject({ name: z.string(), version: z.string().optional() }),
  durationS: z.number().positive(),
  attempts: z.int().nonnegative().optional(),
  /** Received, any status. */
  responses: z.int().nonnegative(),
  /** By code; by class ("2xx") or a run of classes ("2xx-3xx") where the tool states no more. */
  statuses: counts,
  /** Transport errors by kind: connect, reset, timeout, dns, tls, eof, read, write, ports, files, other. */
  errors: counts,
  /** Goodput: responses with an expected status per second, from counts. */
  rps: z.number().nonnegative(),
  /** What the tool itself calls its rate; counts failures in most tools. */
  attemptsPerS: z.number().nonnegative(),
  latencyMs: latencySchema,
  latencyBasis: latencyBasisSchema,
  connectionsOpened: z.int().nonnegative().optional(),
  /** Connections that were asked for and never open: the tool went on with fewer. */
  connectionsMissing: z.int().nonnegative().optional(),
  /** Iterations the tool could not start in time. */
  dropped: z.int().nonnegative().optional(),
  /** Processes the load was given to, and those whose figures stand here to the end of the run. */
  processes: z.strictObject({ asked: z.int().positive(), reported: z.int().nonnegative() }).optional(),
  /** That the generator could not keep up with what was asked, and how it shows. */
  overloaded: z.string().optional(),
  /** The highest rate of one interval, where the tool states it. */
  peakPerS: z.number().nonnegative().optional(),
  bytes: z.strictObject({ value: z.int().nonnegative(), kind: z.enum(["body", "headers+body", "wire"]) }).optional(),
  series: z.array(intervalSchema).optional(),
  histogram: histogramSchema.optional(),
  caveats: z.array(z.enum(Object.keys(caveats) as [Caveat, ...Caveat[]])),
});
export type LoadResult = z.infer<typeof loadResultSchema>;

/** The codes a key of `statuses` stands for: "404" is 404 to 404, "4xx" 400 to 499, "2xx-3xx" 200 to 399. */
export function statusRange(key: string): readonly [from: number, to: number] {
  const [first = key, last = first] = key.split("-");
  return [Number(first.replaceAll("x", "0")), Number(last.replaceAll("x", "9"))];
}

/** Responses whose status is one of these (any 2xx without), as exactly as the keys of `statuses` can tell. */
export function expectedResponses(statuses: LoadResult["statuses"], expect?: readonly number[]): number {
  const expected = expect?.map(String) ?? ["2xx"];
  const kept = Object.entries(statuses).filter(([key]) => expected.some((status) => overlap(key, status)));
  return kept.reduce((sum, [, count]) => sum + count, 0);
}

function overlap(left: string, right: string): boolean {
  const [leftFrom, leftTo] = statusRange(left);
  const [rightFrom, rightTo] = statusRange(right);
  return leftFrom <= rightTo && rightFrom <= leftTo;
}

/** The kinds of transport errors a result may hold. */
export type TransportError =
  "connect" | "reset" | "timeout" | "dns" | "tls" | "eof" | "read" | "write" | "ports" | "files" | "other";

/** A latency about which nothing is stated. */
export const unstatedLatency: Latency = {
  min: null,
  mean: null,
  p50: null,
  p75: null,
  p90: null,
  p95: null,
  p99: null,
  p999: null,
  max: null,
  stdev: null,
};
