import {
  expectedResponses,
  unstatedLatency,
  type Asked,
  type Caveat,
  type JobOutput,
  type Latency,
  type LatencyBasis,
  type Load,
  type LoadResult,
} from "@gatebench/core/contract";
import { refuseFailed } from "../unparsed-output";
import { checkAsked, checkSummary } from "./consistency";
import { countsOf, durationS, type Counts } from "./counts";
import { readSummary, type Summary } from "./summary";

/** k6's exit code where a threshold was crossed: a verdict of the user's script, on figures that are whole. */
const thresholdsCrossed = 99;

/** Reads what our script prints, or a summary that a person has at hand. */
export function parseK6(output: JobOutput, asked?: Asked): LoadResult {
  refuseFailed("k6", output.exitCode === thresholdsCrossed ? { ...output, exitCode: 0 } : output);
  const summary = readSummary(output.stdout);
  checkSummary(summary);
  const counts = countsOf(summary, asked?.expect);
  if (asked !== undefined) checkAsked(summary, counts, asked);
  return result(summary, counts, asked);
}

function result(summary: Summary, counts: Counts, asked?: Asked): LoadResult {
  const { attempts, responses, statuses, errors, dropped, bytes } = counts;
  const seconds = durationS(summary);
  const load = summary.own?.load ?? asked?.load;
  return {
    tool: { name: "k6" },
    durationS: seconds,
    ...{ attempts, responses, dropped },
    statuses: { ...statuses },
    errors: { ...errors },
    rps: expectedResponses(statuses, asked?.expect) / seconds,
    // k6's own rate; it would divide by a user's setup and teardown too.
    attemptsPerS: attempts / seconds,
    latencyMs: latency(summary, counts),
    latencyBasis: basis(counts, load),
    ...(bytes === undefined ? {} : { bytes: { value: bytes, kind: "wire" } }),
    caveats: caveats(counts, load),
  };
}

/** Of good answers where k6 was not told that every answer is one. */
function latency({ metrics }: Summary, { samples }: Counts): Latency {
  const stated = metrics["http_req_duration{expected_response:true}"];
  if (samples === 0 || stated === undefined) return unstatedLatency;
  const of = (name: string) => stated[name] ?? null;
  return {
    ...{ min: of("min"), mean: of("avg"), p50: of("med") ?? of("p(50)"), p75: of("p(75)"), p90: of("p(90)") },
    ...{ p95: of("p(95)"), p99: of("p(99)"), p999: of("p(99.9)"), max: of("max"), stdev: null },
  };
}

/** `http_req_duration` is sending, waiting and receiving; waiting for a connection, connecting and TLS stand apart. */
function basis({ samples, responses, attempts, known }: Counts, load: Load | undefined): LatencyBasis {
  const isAll = samples === responses && (known === "codes" || responses === attempts);
  return {
    includes: { queue: false, connect: false, tls: false },
    // By default k6 times 2xx and 3xx together; no other word comes nearer.
    population: isAll ? "responses" : "2xx",
    // An arrival begins when it is due or never: one without a free user is dropped, and no latency is made up for it.
    // Where k6 lacks CPU its clock itself is late, and this is not true.
    omission: load?.model === "open" ? "intended-start" : "none",
    // Go measures nanoseconds.
    resolutionMs: 0.001,
    samples,
  };
}

function caveats({ samples, known, attempts, responses }: Counts, load: Load | undefined): Caveat[] {
  const found: readonly (Caveat | false)[] = [
    samples === 0 && "no-samples",
    known === "classes" && "classes-only",
    known !== "codes" && attempts > responses && "failures-unsorted",
    load?.connection !== "per-request" && "repeats-unseen",
  ];
  return found.filter((caveat) => caveat !== false);
}
