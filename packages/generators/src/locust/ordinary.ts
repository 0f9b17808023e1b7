import {
  expectedResponses,
  secondsOf,
  unstatedLatency,
  type Asked,
  type IterationsLoad,
  type JobOutput,
  type Latency,
  type LoadResult,
} from "@gatebench/core/contract";
import { z } from "zod";
import { refuseFailed, unparsed } from "../unparsed-output";
import { bucketOf, insist, total } from "./figures";

const count = z.int().nonnegative();
const counts = z.record(z.string().regex(/^\d+$/), count);
const ms = z.number().nonnegative();

/** One row of Locust's statistics, as `--json` and `--json-file` write it: of one name and method. */
const entrySchema = z.strictObject({
  name: z.string(),
  method: z.string().nullable(),
  last_request_timestamp: z.number(),
  start_time: z.number(),
  num_requests: z.int().positive(),
  num_none_requests: count,
  num_failures: count,
  total_response_time: ms,
  max_response_time: ms,
  min_response_time: ms.nullable(),
  total_content_length: count,
  /** By whole milliseconds, above 100 by two digits. */
  response_times: counts,
  num_reqs_per_sec: counts,
  num_fail_per_sec: counts,
});
type Entry = z.infer<typeof entrySchema>;

/** Reads Locust's own JSON. It knows neither statuses nor how long requests were sent. */
export function parseOrdinary(output: JobOutput, asked?: Asked): LoadResult {
  const entries = readEntries(output.stdout);
  entries.forEach(checkEntry);
  const failures = sumOf(entries, ({ num_failures }) => num_failures);
  // Locust's exit code is 1 where any request failed.
  if (!(output.exitCode === 1 && failures > 0)) refuseFailed("locust", output);
  return result(entries, durationOf(entries, asked), failures, asked);
}

function readEntries(stdout: string): readonly Entry[] {
  const [first = ""] = stdout.trim().split("\n");
  insist(
    !first.startsWith("Type,Name,"),
    "a file of --csv, which may lack the last second; give what --json prints",
    first,
  );
  insist(!/^Type +Name /.test(first), "tables, whose figures are rounded; give what --json prints", first);
  const parsed = z.array(entrySchema).min(1).safeParse(jsonIn(stdout));
  if (!parsed.success) unparsed("locust", "neither our figures nor what --json prints", stdout.trim());
  return parsed.data;
}

function jsonIn(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

function checkEntry(entry: Entry): void {
  const { num_requests: requests, num_none_requests: untimed, num_failures: failures, name } = entry;
  const timed = buckets([entry]);
  const samples = total(entry.response_times);
  insist(samples === requests - untimed, `"${name}" has another number of latencies than requests`, `${samples}`);
  const [seconds, failed] = [total(entry.num_reqs_per_sec), total(entry.num_fail_per_sec)];
  insist(seconds === requests, `"${name}" has seconds that do not add up to its requests`, `${seconds} of ${requests}`);
  insist(failed === failures, `"${name}" has seconds that do not add up to its failures`, `${failed} of ${failures}`);
  insist(failures <= requests, `"${name}" has more failures than requests`, `${failures} of ${requests}`);
  checkTimes(entry, timed);
}

function checkTimes(entry: Entry, timed: readonly (readonly [number, number])[]): void {
  const { start_time: start, last_request_timestamp: last, name } = entry;
  const seconds = Object.keys(entry.num_reqs_per_sec).map(Number);
  const isSpan = Math.floor(start) === Math.min(...seconds) && Math.floor(last) === Math.max(...seconds);
  insist(isSpan && last >= start, `"${name}" has seconds outside its time`, `${start} ${last}`);
  const [least, most] = [timed[0]?.[0], timed.at(-1)?.[0]];
  if (least === undefined || most === undefined) return;
  const isRange = near(least, entry.min_response_time ?? NaN) && near(most, entry.max_response_time);
  insist(isRange, `"${name}" has latencies outside its least and most`, `${least} ${most}`);
  const sum = timed.reduce((all, [value, n]) => all + value * n, 0);
  const within = timed.reduce((all, [value, n]) => all + widthOf(value) * n * 0.51, 0);
  insist(Math.abs(sum - entry.total_response_time) <= within, `"${name}" has a sum of other latencies`, `${sum}`);
}

const near = (bucket: number, exact: number) => Math.abs(bucket - exact) <= widthOf(bucket) * 0.51;

/** Milliseconds a bucket is wide: Locust rounds to two digits, but not below one millisecond. */
const widthOf = (bucket: number): number => (bucket < 100 ? 1 : 10 ** (String(bucket).length - 2));

function buckets(entries: readonly Entry[]): readonly (readonly [ms: number, count: number])[] {
  const sums = new Map<number, number>();
  for (const [bucket, n] of entries.flatMap((entry) => Object.entries(entry.response_times))) {
    sums.set(Number(bucket), (sums.get(Number(bucket)) ?? 0) + n);
  }
  return [...sums].toSorted(([left], [right]) => left - right);
}

const sumOf = (entries: readonly Entry[], of: (entry: Entry) => number): number =>
  entries.reduce((sum, entry) => sum + of(entry), 0);

/** The load's, where it is known: Locust notes only when the first and the last answer came. */
function durationOf(entries: readonly Entry[], asked?: Asked): number {
  const first = Math.min(...entries.map(({ start_time }) => start_time));
  const last = Math.max(...entries.map(({ last_request_timestamp }) => last_request_timestamp));
  const span = Number((last - first).toFixed(6));
  insist(span > 0, "one answer, which is no rate", `${span} s`);
  if (asked?.load.model === "iterations") checkIterations(entries, asked.load);
  if (asked?.load.duration === undefined) return span;
  const seconds = secondsOf(asked.load.duration);
  const isWhole = span >= 0.9 * seconds - 0.5 && span <= seconds + 0.2;
  insist(isWhole, `a run of other than ${seconds} s`, `${span} s`);
  return seconds;
}

function checkIterations(entries: readonly Entry[], { users, perUser }: IterationsLoad): void {
  const sent = sumOf(entries, ({ num_requests }) => num_requests);
  insist(sent === users * perUser, `a run of other than ${users * perUser} iterations`, `${sent}`);
}

function result(entries: readonly Entry[], durationS: number, failures: number, asked?: Asked): LoadResult {
  const requests = sumOf(entries, ({ num_requests }) => num_requests);
  const timed = buckets(entries);
  const good = requests - failures;
  const statuses: Record<string, number> = good > 0 ? { "2xx-3xx": good } : {};
  return {
    tool: { name: "locust" },
    durationS,
    attempts: requests,
    responses: good,
    statuses,
    errors: failures > 0 ? { other: failures } : {},
    rps: expectedResponses(statuses, asked?.expect) / durationS,
    attemptsPerS: requests / durationS,
    latencyMs: latencyOf(entries, timed),
    latencyBasis: {
      includes: { queue: false, connect: true, tls: true },
      population: "all",
      omission: "none",
      resolutionMs: widthOf(timed.at(-1)?.[0] ?? 0),
      samples: timed.reduce((sum, [, n]) => sum + n, 0),
    },
    bytes: { value: sumOf(entries, ({ total_content_length }) => total_content_length), kind: "body" },
    caveats: [
      "classes-only",
      "resolution",
      ...(failures > 0 ? (["failures-unsorted"] as const) : []),
      ...(timed.length === 0 ? (["no-samples"] as const) : []),
      // FastHttpUser's library does, unless it is told not to.
      "repeats-unseen",
    ],
  };
}

/** Percentiles are buckets' names, but never outside the least and the most, which are exact. */
function latencyOf(entries: readonly Entry[], timed: readonly (readonly [number, number])[]): Latency {
  if (timed.length === 0) return unstatedLatency;
  const samples = timed.reduce((sum, [, n]) => sum + n, 0);
  const min = Math.min(...entries.flatMap(({ min_response_time }) => min_response_time ?? []));
  const max = Math.max(...entries.map(({ max_response_time }) => max_response_time));
  const at = (part: number) => Math.min(max, Math.max(min, bucketOf(timed, Math.ceil((part * samples) / 1000))));
  const mean = sumOf(entries, ({ total_response_time }) => total_response_time) / samples;
  const ranks = { p50: at(500), p75: at(750), p90: at(900), p95: at(950), p99: at(990), p999: at(999) };
  return { ...unstatedLatency, min, mean, max, ...ranks };
}
