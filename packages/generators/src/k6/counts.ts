import { expectedResponses } from "@gatebench/core/contract";
import { unparsed } from "../unparsed-output";
import { errorCodes, errorWords } from "./counted";
import type { Metric, Summary } from "./summary";

/** How many of what. */
export interface Counts {
  /** Answers and failures. */
  readonly attempts: number;
  readonly responses: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, number>>;
  /** "codes": each status apart. "some": the rest failed, unanswered or not. "classes": good and failed only. */
  readonly known: "codes" | "some" | "classes";
  /** Answers that were timed. */
  readonly samples: number;
  readonly iterations: number;
  readonly dropped: number;
  /** On the wire: with headers, TLS records and handshakes. Not where nothing in the output holds it. */
  readonly bytes?: number;
}

/** Seconds of traffic. */
export const durationS = ({ runNs, asideS }: Summary): number => Number((runNs / 1e9 - asideS).toFixed(9));

/** Counts; throws where those of statuses that are expected are not known. */
export function countsOf(summary: Summary, expect: readonly number[] = []): Counts {
  const { metrics, own, lacksRates } = summary;
  const { http_reqs: requests, data_received: received } = metrics;
  if (requests === undefined || received === undefined) {
    return unparsed("k6", "no count of requests or bytes", Object.keys(metrics).join(" "));
  }
  const attempts = countOf(requests);
  const iterations = countOf(metrics["iterations"]);
  if (own !== undefined && !own.isUsers && iterations > attempts) {
    return unparsed("k6", "requests it could not even try to send", `${attempts} of ${iterations}`);
  }
  // Absent where none was.
  const dropped = countOf(metrics["dropped_iterations"]);
  const common = { attempts, iterations, dropped, ...(lacksRates ? {} : { bytes: countOf(received) }) };
  const declared = tagged(metrics, "status");
  return Object.keys(declared).length > 0
    ? { ...common, ...byCode(summary, attempts, declared, expect) }
    : { ...common, ...byClass(metrics, attempts) };
}

type Parts = Pick<Counts, "responses" | "statuses" | "errors" | "known" | "samples">;

function byCode(
  { metrics, own }: Summary,
  attempts: number,
  declared: Readonly<Record<string, number>>,
  expect: readonly number[],
): Parts {
  const strange = Object.keys(declared).find((status) => !/^(0|[1-9]\d\d)$/.test(status));
  if (strange !== undefined) return unparsed("k6", "a status that is none", strange);
  const told = sum(declared);
  if (own === undefined && told < attempts && isRestFailed(metrics, declared, expect))
    return bySome(metrics, attempts, declared);
  if (told !== attempts) return unparsed("k6", unnamed(own === undefined), `${told} of ${attempts} requests`);
  const { "0": unanswered = 0, ...statuses } = declared;
  const responses = attempts - unanswered;
  const samples = own === undefined ? goodOf(metrics, statuses, responses) : timed(metrics);
  if (own !== undefined && samples !== responses) {
    return unparsed("k6", "latencies of other than all answers", `${samples} of ${responses}`);
  }
  return { responses, statuses: without0(statuses), errors: errorsOf(metrics, unanswered), known: "codes", samples };
}

/**
 * Whether thresholds name every status that is good or expected, so that those they do not name can only be failures.
 * Where they name 0, which is no answer, the rest are answers that nobody has a name for.
 */
function isRestFailed(
  metrics: Summary["metrics"],
  declared: Readonly<Record<string, number>>,
  expect: readonly number[],
): boolean {
  const isNamed = expect.every((status) => status < 400 || `${status}` in declared);
  return (
    isNamed && !("0" in declared) && metrics["http_req_failed"]?.["fails"] === expectedResponses(declared, usuallyGood)
  );
}

/** Of the failed that no threshold names it is not known whether they were answered. */
function bySome(metrics: Summary["metrics"], attempts: number, declared: Readonly<Record<string, number>>): Parts {
  const responses = sum(declared);
  const errors = errorsOf(metrics, attempts - responses);
  return {
    ...{ responses, errors, statuses: without0(declared), known: "some" },
    samples: expectedResponses(declared, usuallyGood),
  };
}

/** Answers k6 took for good, and so timed: 2xx and 3xx, or all. Other rules (`setResponseCallback`) are not known here. */
function goodOf(metrics: Summary["metrics"], statuses: Readonly<Record<string, number>>, responses: number): number {
  const good = metrics["http_req_failed"]?.["fails"] ?? 0;
  if (good === expectedResponses(statuses, usuallyGood) || good === responses) return good;
  return unparsed("k6", "answers called good by a rule of the script's own", `${good} of ${responses}`);
}

const usuallyGood = Array.from({ length: 200 }, (_, index) => 200 + index);

const timed = (metrics: Summary["metrics"]) => countOf(metrics["http_req_duration{expected_response:true}"]);

const unnamed = (isPasted: boolean) =>
  `statuses it was not told to count; ${isPasted ? `name them in thresholds, such as "http_reqs{status:418}": ["count>=0"]` : "name them in k6({ statuses: [...] })"}`;

/** Without thresholds that name them, statuses are good (2xx and 3xx) or failed, and failed may be unanswered too. */
function byClass(metrics: Summary["metrics"], attempts: number): Parts {
  const failed = metrics["http_req_failed"];
  if (failed === undefined && attempts > 0) return unparsed("k6", "no count of the failed", `${attempts} requests`);
  const { passes = 0, fails = 0 } = failed ?? {};
  return {
    ...{ responses: fails, samples: fails, known: "classes" },
    ...{ statuses: without0({ "2xx-3xx": fails }), errors: without0({ other: passes }) },
  };
}

/** Failures by kind, and those whose kind k6 was not told to count. */
function errorsOf(metrics: Summary["metrics"], unanswered: number): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  const codes = Object.entries(tagged(metrics, "error_code")).map(
    ([code, count]) => [errorCodes[code], count] as const,
  );
  const words = Object.entries(tagged(metrics, "error")).map(([word, count]) => [errorWords[word], count] as const);
  for (const [kind = "other", count] of [...codes, ...words]) sums[kind] = (sums[kind] ?? 0) + count;
  const other = unanswered - sum(sums);
  if (other < 0) return unparsed("k6", "more errors than unanswered requests", `${sum(sums)} of ${unanswered}`);
  return without0({ ...sums, other: (sums["other"] ?? 0) + other });
}

/** Counts of `http_reqs` by the values of one tag. */
function tagged(metrics: Summary["metrics"], tag: string): Readonly<Record<string, number>> {
  const prefix = `http_reqs{${tag}:`;
  const named = Object.entries(metrics).filter(([name]) => name.startsWith(prefix) && name.endsWith("}"));
  return Object.fromEntries(named.map(([name, metric]) => [name.slice(prefix.length, -1), countOf(metric)]));
}

function countOf(metric: Metric | undefined): number {
  if (metric === undefined) return 0;
  const { count } = metric;
  return Number.isSafeInteger(count) && (count as number) >= 0
    ? (count as number)
    : unparsed("k6", "a count that is none", JSON.stringify(metric));
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((total, n) => total + n, 0);

const without0 = (counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
