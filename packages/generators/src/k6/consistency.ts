import { isDeepStrictEqual } from "node:util";
import { inFlightBound, secondsOf, type Asked } from "@gatebench/core/contract";
import { requireAscending, unparsed } from "../unparsed-output";
import { durationS, type Counts } from "./counts";
import { agrees, isCounter, type Metric, type Summary } from "./summary";

/** Throws where a summary contradicts itself. */
export function checkSummary(summary: Summary): void {
  const metrics = Object.values(summary.metrics);
  const counters = metrics.filter(isCounter);
  const astray = counters.find((counter) => !agrees(counter, summary.runNs));
  insist(astray === undefined, "a rate that is not its count by time", JSON.stringify(astray));
  const trends = metrics.filter(isTrend);
  const statistics = new Set(trends.map((trend) => Object.keys(trend).sort().join(" ")));
  insist(statistics.size <= 1, "latencies of which one lacks what another states", [...statistics].join(" and "));
  trends.forEach(checkTrend);
  checkFailed(summary);
  checkParts(summary);
}

/** Neither a count nor a share nor a gauge. */
const isTrend = (metric: Metric) => !["rate", "value", "passes"].some((name) => name in metric);

/** "p(99.9)" is 99.9; "min", "med" and "max" are the ends and the middle. */
function rankOf(name: string): number | undefined {
  const [, percent] = /^p\((\d+(?:\.\d+)?)\)$/.exec(name) ?? [];
  return percent === undefined ? { min: 0, med: 50, max: 100 }[name] : Number(percent);
}

function checkTrend(trend: Metric): void {
  const ranked = Object.entries(trend).flatMap(([name, ms]) => {
    const rank = rankOf(name);
    return rank === undefined ? [] : [[rank, ms] as const];
  });
  const rising = ranked.toSorted(([left], [right]) => left - right).map(([, ms]) => ms);
  requireAscending("k6", rising);
  const { avg = 0, min = 0, max = Infinity } = trend;
  // Sums of binary fractions are a little off.
  insist(avg >= min * (1 - 1e-9) && avg <= max * (1 + 1e-9), "a mean outside of what it is the mean of", `${avg} ms`);
}

/** `http_req_failed` counts the failed as "passes": what passes is the condition of having failed. */
function checkFailed({ metrics }: Summary): void {
  const { http_reqs: requests, http_req_failed: failed, http_req_duration: all } = metrics;
  if (failed === undefined) return;
  const { passes = NaN, fails = NaN, value = failed["rate"] } = failed;
  insist(passes + fails === requests?.["count"], "failed and good that do not add up", JSON.stringify(failed));
  insist(value === passes / (passes + fails), "a share of failures that is none", JSON.stringify(failed));
  const good = metrics["http_req_duration{expected_response:true}"];
  insist(good !== undefined || fails === 0, "no latencies of the good", `${fails}`);
  insist((good?.["count"] ?? fails) === fails, "latencies of other than the good", `${fails}`);
  insist((all?.["count"] ?? passes + fails) === passes + fails, "latencies of other than all", `${passes + fails}`);
  if (good !== undefined && all !== undefined) checkPart(good, fails, all, passes + fails);
  const same = passes > 0 || isDeepStrictEqual(good, all);
  insist(same, "two different latencies of the same answers", JSON.stringify(good));
}

/** The good are some of all: none of them is further out, and their sum is no larger. */
function checkPart(good: Metric, fails: number, all: Metric, attempts: number): void {
  if (fails === 0) return;
  const [goodMs, allMs] = [(good["avg"] ?? 0) * fails, (all["avg"] ?? Infinity) * attempts];
  const isWithin = (good["min"] ?? Infinity) >= (all["min"] ?? 0) && (good["max"] ?? 0) <= (all["max"] ?? Infinity);
  insist(isWithin && goodMs <= allMs * (1 + 1e-9), "latencies of the good beyond those of all", JSON.stringify(good));
}

/** A duration is sending, waiting and receiving (`Trail` in k6's tracer.go), and so are their means. */
function checkParts({ metrics }: Summary): void {
  const parts = ["sending", "waiting", "receiving"].map((part) => metrics[`http_req_${part}`]?.["avg"] ?? NaN);
  const [whole, sum] = [metrics["http_req_duration"]?.["avg"] ?? NaN, parts.reduce((total, ms) => total + ms, 0)];
  const differs = Math.abs(whole - sum) > 1e-9 * whole + 1e-6;
  insist(!differs, "a mean that is not the sum of its parts", `${whole} ms`);
}

/** Throws where the run was not the one asked for. */
export function checkAsked(summary: Summary, counts: Counts, { load }: Asked): void {
  const { own, metrics } = summary;
  const isOther = own !== undefined && !isDeepStrictEqual(own.load, JSON.parse(JSON.stringify(load)));
  insist(!isOther, "another load than was asked for", JSON.stringify(own?.load));
  const users = metrics["vus_max"]?.["max"] ?? inFlightBound(load);
  insist(users === inFlightBound(load), `a run of other than ${inFlightBound(load)} users`, `${users}`);
  const seconds = durationS(summary);
  const askedS = secondsOf(load.duration ?? "0s");
  // k6 ends early, with figures, where it is interrupted.
  insist(seconds >= 0.98 * askedS, `a run of other than ${askedS} s`, `${seconds} s`);
  if (load.model !== "iterations") return;
  const [wanted, made] = [load.users * load.perUser, counts.iterations + counts.dropped];
  insist(made === wanted, `a run of other than ${wanted} iterations`, `${made}`);
}

export function insist(holds: boolean, why: string, excerpt: string): asserts holds {
  if (!holds) unparsed("k6", why, excerpt);
}
