import {
  expectedResponses,
  unstatedLatency,
  type Asked,
  type Caveat,
  type Interval,
  type JobOutput,
  type Latency,
  type LatencyBasis,
  type LoadResult,
} from "@gatebench/core/contract";
import { isSealed, unseal } from "../sealed";
import { refuseFailed, unparsed } from "../unparsed-output";
import { checkAsked, checkFigures, checkPerfTest, checkRecorded } from "./consistency";
import { readFigures, readPerfTest, type Figures, type PerfTest, type Recorded } from "./figures";

/** Reads what our client prints, or the controller's description of a finished test as a person pasted it. */
export function parseNGrinder(output: JobOutput, asked?: Asked): LoadResult {
  refuseFailed("ngrinder", output);
  const figures = isSealed(output.stdout) ? sealedFigures(output.stdout) : pastedFigures(readPerfTest(output.stdout));
  checkFigures(figures);
  if (asked !== undefined) checkAsked(figures, asked);
  return figures.recorded === null
    ? controllersResult(figures, asked)
    : recordedResult(figures, figures.recorded, asked);
}

function sealedFigures(stdout: string): Figures {
  const { figures, others } = unseal("ngrinder", stdout);
  const [other] = others;
  if (other !== undefined) unparsed("ngrinder", "another tool's words beside the figures", other);
  const read = readFigures(figures);
  if (read.recorded !== null) checkRecorded(read.recorded, read);
  return read;
}

function pastedFigures(test: PerfTest): Figures {
  checkPerfTest(test);
  const { status, startTime, finishTime, tests, errors, tps, peakTps, meanTestTime } = test;
  return {
    state: status.name as Figures["state"],
    expect: null,
    lastedMs: finishTime - startTime,
    ...{ tests, errors, tps, peakTps, meanTestTimeMs: meanTestTime },
    processes: test.agentCount * test.processes,
    samples: null,
    recorded: null,
  };
}

/** Exact: every request of every process, counted where it was sent. */
function recordedResult(figures: Figures, recorded: Recorded, asked?: Asked): LoadResult {
  const { statuses, errors, histogram } = recorded;
  const durationS = recorded.durationUs / 1e6;
  const responses = total(statuses);
  return {
    tool: { name: "ngrinder" },
    durationS,
    responses,
    statuses,
    errors,
    rps: expectedResponses(statuses, asked?.expect) / durationS,
    // nGrinder's own counts the time its JVMs took to start and to wait for the end.
    attemptsPerS: (responses + total(errors)) / durationS,
    latencyMs: recordedLatency(recorded, responses),
    latencyBasis: { ...basis, population: "responses", resolutionMs: 0.001, samples: responses },
    processes: { asked: figures.processes, reported: recorded.reported },
    peakPerS: figures.peakTps,
    series: recorded.seconds.map(([atS, answers, failed]) => ({ atS, responses: answers, errors: failed })),
    histogram: { unit: "us", counts: histogram },
    caveats: responses === 0 ? ["no-samples"] : [],
  };
}

/** A test is sending and reading an answer, and connecting where no connection is kept. */
const basis = { includes: { queue: false, connect: true, tls: true }, omission: "none" } as const;

function recordedLatency({ histogram, ...all }: Recorded, count: number): Latency {
  if (count === 0 || all.minUs === null || all.maxUs === null) return unstatedLatency;
  const meanUs = all.sumUs / count;
  const longestUs = all.maxUs;
  const at = (share: number) => ms(Math.min(upperEdge(histogram, Math.ceil(share * count)), longestUs));
  return {
    min: ms(all.minUs),
    mean: ms(meanUs),
    ...{ p50: at(0.5), p75: at(0.75), p90: at(0.9), p95: at(0.95), p99: at(0.99), p999: at(0.999) },
    max: ms(longestUs),
    stdev: ms(Math.sqrt(Math.max(0, all.squaresUs / count - meanUs ** 2))),
  };
}

function upperEdge(histogram: Recorded["histogram"], rank: number): number {
  let counted = 0;
  return histogram.find(([, count]) => (counted += count) >= rank)?.[0] ?? 0;
}

const ms = (us: number) => Number((us / 1e3).toFixed(6));

/** What the controller had heard when it stopped the test: good tests, and errors of any kind. */
function controllersResult(figures: Figures, asked?: Asked): LoadResult {
  const { tests, errors, tps, peakTps, lastedMs, meanTestTimeMs, samples } = figures;
  const durationS = tps === 0 ? lastedMs / 1e3 : tests / tps;
  const statuses = tests === 0 ? {} : { [statusKey(figures.expect)]: tests };
  const controllersBasis: LatencyBasis = { ...basis, population: "2xx", resolutionMs: 1, samples: tests };
  return {
    tool: { name: "ngrinder" },
    durationS,
    responses: tests,
    statuses,
    errors: errors === 0 ? {} : { other: errors },
    rps: expectedResponses(statuses, asked?.expect) / durationS,
    attemptsPerS: tps,
    latencyMs: { ...unstatedLatency, mean: tests === 0 ? null : meanTestTimeMs },
    latencyBasis: controllersBasis,
    peakPerS: peakTps,
    ...(samples === null ? {} : { series: seriesOf(samples) }),
    caveats: controllersCaveats(figures),
  };
}

/** Our script calls good what was expected; nGrinder's template lets redirects pass too. */
function statusKey(expect: Figures["expect"]): string {
  if (expect === null) return "2xx-3xx";
  const [least, most] = [Math.min(...expect), Math.max(...expect)];
  if (least === most) return `${least}`;
  const [from, to] = [Math.floor(least / 100), Math.floor(most / 100)];
  return from === to ? `${from}xx` : `${from}xx-${to}xx`;
}

function seriesOf({ intervalS, tests, errors }: NonNullable<Figures["samples"]>): Interval[] {
  return tests.flatMap((responses, index) =>
    responses === null ? [] : [{ atS: index * intervalS, responses, errors: errors[index] ?? 0 }],
  );
}

function controllersCaveats({ tests, errors, expect }: Figures): Caveat[] {
  const found: readonly (Caveat | false)[] = [
    expect?.length !== 1 && "classes-only",
    errors > 0 && "failures-unsorted",
    tests > 0 && "resolution",
    tests === 0 && "no-samples",
  ];
  return found.filter((caveat) => caveat !== false);
}

const total = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
