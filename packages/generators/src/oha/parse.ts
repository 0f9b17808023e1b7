import {
  expectedResponses,
  secondsOf,
  unstatedLatency,
  type Asked,
  type JobOutput,
  type Latency,
  type LatencyBasis,
  type LoadResult,
} from "@gatebench/core/contract";
import { isSealed, unseal } from "../sealed";
import { refuseFailed, unparsed } from "../unparsed-output";
import { errorsByKind } from "./errors";
import { checkedReport, responsesOf, roundedMs, type OhaReport } from "./report";
import { checkedFigures, type OhaRows } from "./rows";

/** Reads oha's output: our sealed figures, or its JSON as a person pasted it. */
export function parseOha(output: JobOutput, asked?: Asked): LoadResult {
  refuseFailed("oha", output);
  const { report, rows } = isSealed(output.stdout)
    ? planned(output.stdout)
    : { report: pasted(output.stdout), rows: undefined };
  if (asked !== undefined) checkAsked(report, asked);
  const omission = omissionOf(rows, asked);
  return { ...result(report, omission, asked?.expect), ...rowsOnly(rows) };
}

function planned(stdout: string): ReturnType<typeof checkedFigures> {
  const { figures, others } = unseal("oha", stdout);
  const [other] = others;
  if (other !== undefined) unparsed("oha", "more than one run, or another tool's words", other);
  return checkedFigures(figures);
}

function pasted(stdout: string): OhaReport {
  if (!stdout.trimStart().startsWith("{")) {
    unparsed(
      "oha",
      "not JSON. oha's text rounds everything; give the output of --output-format json",
      stdout.trim().slice(0, 80),
    );
  }
  return checkedReport(jsonOf(stdout));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return unparsed("oha", "figures cut off or mixed", text.trim().slice(-200));
  }
}

/** oha ends early, with figures, where it is interrupted. Of a rate it sends less where it falls behind, never more. */
function checkAsked(report: OhaReport, { load }: Asked): void {
  if (load.duration === undefined) return;
  const { total, requestsPerSec } = report.summary;
  const seconds = secondsOf(load.duration);
  if (total < 0.98 * seconds) unparsed("oha", `a run of other than ${seconds} s`, `${total} s`);
  const most = load.model === "open" ? load.ratePerS * seconds + load.maxInFlight + 1 : Infinity;
  if (requestsPerSec * total > most) unparsed("oha", "more requests than were asked for", `${requestsPerSec}/s`);
}

/** Our figures tell whether latencies were corrected; JSON alone does not, and is then taken at the load's word. */
function omissionOf(rows: OhaRows | undefined, asked: Asked | undefined): LatencyBasis["omission"] {
  const isOpen = asked?.load.model === "open";
  const isCorrected = rows?.corrects ?? isOpen;
  if (asked !== undefined && isCorrected !== isOpen) {
    unparsed("oha", `latencies ${isCorrected ? "" : "not "}corrected, in a load of model "${asked.load.model}"`, "");
  }
  return isCorrected ? "intended-start" : "none";
}

function result(report: OhaReport, omission: LatencyBasis["omission"], expect?: readonly number[]): LoadResult {
  const { summary, statusCodeDistribution: statuses, errorDistribution } = report;
  const responses = responsesOf(report);
  const errors = errorsByKind(errorDistribution);
  return {
    tool: { name: "oha" },
    durationS: summary.total,
    attempts: responses + Object.values(errors).reduce((sum, count) => sum + count, 0),
    responses,
    statuses,
    errors,
    rps: expectedResponses(statuses, expect) / summary.total,
    attemptsPerS: summary.requestsPerSec,
    latencyMs: latency(report),
    latencyBasis: basis(omission, responses),
    bytes: { value: summary.totalData, kind: "body" },
    caveats: responses === 0 ? ["no-samples"] : [],
  };
}

function latency({ summary, latencyPercentiles }: OhaReport): Latency {
  const { p50, p75, p90, p95, p99, "p99.9": p999 } = latencyPercentiles;
  const { fastest: min, average: mean, slowest: max } = summary;
  const ms = Object.entries({ min, mean, p50, p75, p90, p95, p99, p999, max }).map(([name, s]) => [name, roundedMs(s)]);
  return { ...unstatedLatency, ...Object.fromEntries(ms) };
}

/** The first request of a connection holds connecting and the handshake; a corrected one also its wait for a connection. */
function basis(omission: LatencyBasis["omission"], samples: number): LatencyBasis {
  return {
    includes: { queue: omission === "intended-start", connect: true, tls: true },
    population: "responses",
    omission,
    resolutionMs: 0.001,
    samples,
  };
}

function rowsOnly(rows: OhaRows | undefined): Pick<LoadResult, "histogram" | "series"> {
  if (rows === undefined || rows.samples === 0) return {};
  const { histogram, series } = rows;
  return {
    histogram: { unit: "us", counts: histogram },
    series: series.map(([atS, responses, p99Us]) => ({ atS, responses, p99Ms: p99Us / 1000 })),
  };
}
