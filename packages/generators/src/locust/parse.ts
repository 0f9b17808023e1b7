import {
  expectedResponses,
  unstatedLatency,
  type Asked,
  type Caveat,
  type JobOutput,
  type Latency,
  type LoadResult,
} from "@gatebench/core/contract";
import { isSealed } from "../sealed";
import { refuseFailed, requireAscending } from "../unparsed-output";
import { checkAsked } from "./asked";
import { readFigures, total, type Figures } from "./figures";
import { parseOrdinary } from "./ordinary";

/** Reads our recorder's figures, or the JSON that Locust itself prints. */
export function parseLocust(output: JobOutput, asked?: Asked): LoadResult {
  if (!isSealed(output.stdout)) return parseOrdinary(output, asked);
  refuseFailed("locust", output);
  const figures = readFigures(output.stdout);
  if (asked !== undefined) checkAsked(figures, asked);
  return result(figures, asked);
}

function result(figures: Figures, asked?: Asked): LoadResult {
  const { client, statuses, errors, durationS, processes, overloaded, bytes, histogram, series } = figures;
  const [responses, failures] = [total(statuses), total(errors)];
  return {
    tool: { name: "locust", version: figures.locust },
    durationS,
    attempts: responses + failures,
    responses,
    statuses,
    errors,
    rps: expectedResponses(statuses, asked?.expect) / durationS,
    attemptsPerS: (responses + failures) / durationS,
    latencyMs: latencyOf(figures),
    latencyBasis: {
      includes: { queue: false, connect: true, tls: true },
      population: "responses",
      omission: "none",
      resolutionMs: 0.001,
      client: { fast: "FastHttpUser", http: "HttpUser", own: "own locustfile" }[client],
      samples: responses,
    },
    processes,
    ...(overloaded === null ? {} : { overloaded }),
    bytes: { value: bytes, kind: "body" },
    series: series.map(([atS, answered, failed]) => ({ atS, responses: answered, errors: failed })),
    ...(histogram === null ? {} : { histogram: { unit: "us" as const, counts: histogram } }),
    caveats: caveats(figures, responses, asked),
  };
}

function latencyOf({ latencyUs }: Figures): Latency {
  if (latencyUs === null) return unstatedLatency;
  const { min, p50, p75, p90, p95, p99, p999, max } = latencyUs;
  requireAscending("locust", [min, p50, p75, p90, p95, p99, p999, max]);
  const entries = Object.entries(latencyUs).map(([name, us]) => [name, Number((us / 1e3).toFixed(6))]);
  return Object.fromEntries(entries) as Latency;
}

function caveats({ repeats }: Figures, responses: number, asked?: Asked): Caveat[] {
  const found: readonly (Caveat | false)[] = [
    repeats && asked?.load.connection !== "per-request" && "repeats-unseen",
    responses === 0 && "no-samples",
  ];
  return found.filter((caveat) => caveat !== false);
}
