import { secondsOf, type Asked } from "@gatebench/core/contract";
import { requireAscending, unparsed } from "../unparsed-output";
import type { Figures, PerfTest, Recorded } from "./figures";

const known = ["connect", "reset", "timeout", "dns", "tls", "eof", "read", "write", "ports", "files", "other"];

/** Throws where the controller's figures contradict themselves. */
export function checkFigures({
  tests,
  errors,
  tps,
  peakTps,
  lastedMs,
  meanTestTimeMs,
  samples,
  recorded,
}: Figures): void {
  insist(tests > 0 === tps > 0, "tests without a rate, or a rate without tests", `${tests} tests, ${tps}/s`);
  insist(peakTps >= tps - 0.01, "a peak below the mean", `${peakTps} and ${tps}`);
  insist(tests > 0 || meanTestTimeMs === 0, "a time of no tests", `${meanTestTimeMs}`);
  insist(meanTestTimeMs <= lastedMs, "tests longer than the run", `${meanTestTimeMs} of ${lastedMs}`);
  insist(recorded !== null || tests + errors > 0, "a test that sent nothing", "0 tests, 0 errors");
  // nGrinder samples from the first report to the last; its rate has two digits after the point.
  const longestS = tests / Math.max(0.001, tps - 0.006);
  insist(tests / (tps + 0.006) <= lastedMs / 1e3 + 2, "a rate that is not tests by time", `${tests} at ${tps}/s`);
  insist(tests === 0 || longestS > 0, "a rate that is not tests by time", `${tests} at ${tps}/s`);
  checkSamples(samples, tests);
}

function checkSamples(samples: Figures["samples"], tests: number): void {
  if (samples === null) return;
  const counts = [...samples.tests, ...samples.errors].filter((count) => count !== null);
  insist(counts.every(Number.isInteger), "parts of tests in an interval", counts.join(" "));
  const told = samples.tests.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  insist(told <= tests, "more tests in intervals than in all", `${told} of ${tests}`);
}

/** Throws where the scripts' figures contradict themselves or the controller's. */
export function checkRecorded(recorded: Recorded, { processes, tests, errors }: Figures): void {
  const answers = sum(Object.values(recorded.statuses));
  const failures = sum(Object.values(recorded.errors));
  const kinds = Object.keys(recorded.errors).filter((kind) => !known.includes(kind));
  insist(kinds.length === 0, "errors of kinds nobody knows", kinds.join(" "));
  insist(recorded.reported <= processes, "more processes than were started", `${recorded.reported} of ${processes}`);
  insist(
    sum(recorded.histogram.map(([, n]) => n)) === answers,
    "latencies that are not those of the answers",
    `${answers}`,
  );
  insist(
    sum(recorded.seconds.map(([, n]) => n)) === answers,
    "seconds that do not add up to the answers",
    `${answers}`,
  );
  insist(
    sum(recorded.seconds.map(([, , n]) => n)) === failures,
    "seconds that do not add up to the errors",
    `${failures}`,
  );
  insist(recorded.shortestUs <= recorded.durationUs, "a process longer than all", `${recorded.shortestUs}`);
  // The controller knows what processes reported, which is at most what they did.
  const isWhole = recorded.reported === processes;
  insist(
    !isWhole || answers + failures >= tests + errors,
    "fewer requests than tests",
    `${answers + failures} of ${tests + errors}`,
  );
  checkLatencies(recorded, answers);
}

function checkLatencies({ histogram, minUs, maxUs, sumUs }: Recorded, answers: number): void {
  requireAscending(
    "ngrinder",
    histogram.map(([edge]) => edge),
  );
  insist(
    answers > 0 === (minUs !== null && maxUs !== null),
    "latencies without answers, or answers without",
    `${answers}`,
  );
  if (minUs === null || maxUs === null) return;
  const [first = 0, last = 0] = [histogram[0]?.[0], histogram.at(-1)?.[0]];
  insist(holds(first, minUs), "a histogram without its smallest", `${minUs}`);
  insist(holds(last, maxUs), "a histogram without its largest", `${maxUs}`);
  insist(sumUs >= minUs * answers && sumUs <= maxUs * answers, "a mean outside of the latencies", `${sumUs}`);
}

/** Whether the bucket named by this upper edge is the one a latency belongs to. */
const holds = (edge: number, us: number) => edge >= us && edge <= us * (1 + 1 / 1024) + 1;

/** Throws where a pasted test is not over, did not end as it should, or contradicts itself. */
export function checkPerfTest(test: PerfTest): void {
  const { status, startTime, finishTime, runtime, vuserPerAgent, processes, threads } = test;
  const isOver = ["FINISHED", "FINISHED_WITH_WARNING"].includes(status.name);
  insist(isOver, "a test that did not run to its end", status.name);
  const category = status.name === "FINISHED" ? "FINISHED" : "WARNED";
  insist(status.category === category, "a state of another category", `${status.name} ${status.category}`);
  const seconds = Math.floor(finishTime / 1e3) - Math.floor(startTime / 1e3);
  insist(secondsIn(runtime) === seconds, "a runtime that is not start to finish", `${runtime} and ${seconds} s`);
  insist(vuserPerAgent === processes * threads, "users that are not processes × threads", `${vuserPerAgent}`);
  const isLongEnough = test.threshold === "R" || finishTime - startTime >= 0.98 * test.duration;
  insist(isLongEnough, "a test that ended early", `${finishTime - startTime} ms of ${test.duration}`);
}

const secondsIn = (clock: string) => clock.split(":").reduce((seconds, part) => seconds * 60 + Number(part), 0);

/** Throws where the run was not the one asked for. */
export function checkAsked({ recorded, tests, errors, lastedMs }: Figures, { load }: Asked): void {
  const whole = recorded === null || recorded.reported > 0;
  if (load.model === "iterations" && whole) {
    const runs =
      recorded === null
        ? tests + errors
        : sum([...Object.values(recorded.statuses), ...Object.values(recorded.errors)]);
    insist(runs <= load.users * load.perUser, "more requests than were asked for", `${runs}`);
  }
  if (load.duration === undefined) return;
  const seconds = secondsOf(load.duration);
  const lastedS = recorded === null ? lastedMs / 1e3 : recorded.shortestUs / 1e6;
  insist(lastedS >= 0.98 * seconds, `a run of other than ${seconds} s`, `${lastedS} s`);
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

function insist(holds: boolean, why: string, excerpt: string): void {
  if (!holds) unparsed("ngrinder", why, excerpt);
}
