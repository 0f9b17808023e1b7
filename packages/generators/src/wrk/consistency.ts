import { secondsOf, type Asked } from "@gatebench/core/contract";
import { requireAscending, unparsed } from "../unparsed-output";
import { agrees, type Rounded } from "./figures";
import type { WrkReport } from "./report";
import type { WrkText } from "./text";

/** Throws where wrk's text contradicts itself. */
export function checkText(text: WrkText): void {
  const { requests, errors, durationUs } = text;
  const times = Object.values(text.percentilesUs).map(({ value }) => value);
  requireAscending("wrk", [...times, text.maxUs.value]);
  insist(errors.status <= requests, "more bad answers than answers", `${errors.status} of ${requests}`);
  insist(errors.timeout <= requests, "more late answers than answers", `${errors.timeout} of ${requests}`);
  insist(text.timed === requests > errors.timeout, "latencies without answers, or answers without", `${requests}`);
  insist(agrees(durationUs, runtimeUs(text)), "a rate that is not requests by time", `${requests} requests`);
  checkBytes(text);
}

/**
 * The run's time as exactly as the text knows it. wrk measures whole microseconds and divides by them, so of all times
 * that round to the rate printed there must be a whole one.
 */
export function runtimeUs({ requests, ratePerS, durationUs }: WrkText): number {
  if (requests === 0) return ratePerS.value === 0 ? durationUs.value : NaN;
  const shortest = (requests / (ratePerS.value + ratePerS.within)) * 1e6;
  const longest = (requests / (ratePerS.value - ratePerS.within)) * 1e6;
  const middle = Math.round((requests / ratePerS.value) * 1e6);
  const whole = middle >= shortest && middle <= longest ? middle : Math.ceil(shortest);
  return whole <= longest ? whole : NaN;
}

function checkBytes(text: WrkText): void {
  const { bytes, bytesPerS, ratePerS } = text;
  const runtimeS = runtimeUs(text) / 1e6;
  const perS = bytes.value / runtimeS;
  // Of few requests, the rate's rounding leaves the time open by some parts in a million.
  const timing = text.requests === 0 ? 0 : ratePerS.within / ratePerS.value;
  const within = bytesPerS.within + bytes.within / runtimeS + perS * timing;
  insist(Math.abs(perS - bytesPerS.value) <= within, "a transfer that is not bytes by time", `${bytes.value}`);
}

/** Throws where our script's figures contradict wrk's text or themselves. */
export function checkReport(report: WrkReport, text: WrkText): void {
  const { latencyUs, requests } = report;
  insist(requests === text.requests, "two numbers of requests", `${requests} and ${text.requests}`);
  insist(report.threads === text.threads, "two numbers of threads", `${report.threads} and ${text.threads}`);
  const differ = Object.entries(report.errors).filter(
    ([kind, n]) => n !== text.errors[kind as keyof WrkText["errors"]],
  );
  insist(differ.length === 0, "two numbers of errors", differ.join(" "));
  for (const [name, printed, exact] of twice(report, text)) {
    insist(agrees(printed, exact), `two different figures for ${name}`, `${exact} and ${printed.value}`);
  }
  const { min, p50, p75, p90, p95, p99, p999, max } = latencyUs;
  requireAscending("wrk", [min, p50, p75, p90, p95, p99, p999, max]);
  checkStatuses(report);
  checkHistogram(report);
}

/** What both state: the text rounded, the script exactly. */
function twice({ latencyUs, ...report }: WrkReport, text: WrkText): readonly (readonly [string, Rounded, number])[] {
  const { p50, p75, p90, p99 } = latencyUs;
  const percentiles = Object.entries({ p50, p75, p90, p99 }).flatMap(([name, exact]) => {
    const printed = text.percentilesUs[name];
    return printed === undefined ? [] : [[name, printed, exact] as const];
  });
  return [
    ["mean", text.meanUs, latencyUs.mean],
    ["stdev", text.stdevUs, latencyUs.stdev],
    ["max", text.maxUs, latencyUs.max],
    ...percentiles,
    ["duration", text.durationUs, report.durationUs],
    ["bytes", text.bytes, report.bytes],
    ["rate", text.ratePerS, (report.requests / report.durationUs) * 1e6],
    ["transfer", text.bytesPerS, (report.bytes / report.durationUs) * 1e6],
  ];
}

function checkStatuses({ statuses, requests, errors }: WrkReport): void {
  if (statuses === null) return;
  const entries = Object.entries(statuses);
  const sum = (of: typeof entries) => of.reduce((total, [, n]) => total + n, 0);
  const bad = sum(entries.filter(([code]) => Number(code) > 399));
  insist(sum(entries) === requests, "statuses that do not add up to the requests", `${sum(entries)} of ${requests}`);
  insist(bad === errors.status, "statuses that contradict the errors", `${bad} and ${errors.status}`);
}

function checkHistogram({ histogram, samples, latencyUs, requests, errors }: WrkReport): void {
  if (histogram === null || samples === null) return;
  const total = histogram.reduce((sum, [, n]) => sum + n, 0);
  insist(total === samples, "a histogram of another size than its samples", `${total} and ${samples}`);
  // wrk may add samples, but has one at least for each answer in time.
  insist(samples >= requests - errors.timeout, "fewer samples than answers", `${samples} of ${requests}`);
  requireAscending(
    "wrk",
    histogram.map(([edge]) => edge),
  );
  const { p50, p75, p90, p95, p99, p999, min, max } = latencyUs;
  const ranks = Object.entries({ 50: p50, 75: p75, 90: p90, 95: p95, 99: p99, 99.9: p999 });
  for (const [percent, us] of samples === 0 ? [] : ranks) {
    const rank = Math.min(Math.round((Number(percent) / 100) * samples + 0.5), samples);
    insist(holds(histogram, rank, us), `a histogram without its percentile ${percent}`, `${us}`);
  }
  insist(samples === 0 || holds(histogram, 1, min ?? 0), "a histogram without its smallest", `${min}`);
  insist(samples === 0 || holds(histogram, samples, max), "a histogram without its largest", `${max}`);
}

/** Whether the sample of this rank lies in the bucket this latency belongs to. */
function holds(histogram: NonNullable<WrkReport["histogram"]>, rank: number, us: number): boolean {
  let counted = 0;
  const bucket = histogram.find(([, n]) => (counted += n) >= rank);
  return bucket !== undefined && bucket[0] >= us && bucket[0] <= us * (1 + 1 / 1024) + 1;
}

/** Throws where the run was not the one asked for. */
export function checkAsked({ askedS, connections, threads }: WrkText, runtimeS: number, { load }: Asked): void {
  if (load.model !== "closed" || load.duration === undefined) return;
  const seconds = secondsOf(load.duration);
  insist(connections === load.connections, `a run of other than ${load.connections} connections`, `${connections}`);
  insist(threads === (load.threads ?? threads), `a run of other than ${load.threads} threads`, `${threads}`);
  insist(agrees(askedS, seconds), `a run of other than ${seconds} s`, `${askedS.value} s`);
  // wrk ends early, with figures, where it is interrupted.
  insist(runtimeS >= 0.98 * seconds, `a run of other than ${seconds} s`, `${runtimeS} s`);
}

function insist(holds: boolean, why: string, excerpt: string): void {
  if (!holds) unparsed("wrk", why, excerpt);
}
