import {
  expectedResponses,
  secondsOf,
  unstatedLatency,
  type Asked,
  type Caveat,
  type JobOutput,
  type Latency,
  type LatencyBasis,
  type LoadResult,
} from "@gatebench/core/contract";
import { refuseFailed, requireAscending, unparsed } from "../unparsed-output";
import { checkBars, isMeanOf } from "./bars";
import { errorsByKind } from "./errors";
import { meanBounds } from "./mean-bounds";
import { readOwn, type OwnReport } from "./own-template";
import { isOurs, readTemplate, type HeyReport } from "./template";
import { readText, type HeyText } from "./text";

/** hey times, and tells the status of, so many responses; later ones it only counts (`maxRes` in its report.go). */
const cap = 1_000_000;
/** hey's percentiles, in its order; 0 in place of those there are too few samples for. */
const percents = [10, 25, 50, 75, 90, 95, 99];

/** What all forms of output say, in seconds. */
interface Figures {
  readonly totalS: number;
  readonly ratePerS: number;
  /** Answers and failures. */
  readonly attempts: number;
  readonly responses: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly errors: readonly (readonly [count: number, text: string])[];
  /** How many answers were timed. */
  readonly samples: number;
  readonly meanS: number | null;
  /** null where somebody's own template leaves the ends out. */
  readonly fastestS: number | null;
  readonly slowestS: number | null;
  readonly percentilesS: readonly (readonly [percent: number, seconds: number])[];
  readonly bodyBytes?: number;
  readonly exact: boolean;
  /** How many answers hey times and tells the status of. */
  readonly cap: number;
}

/** Reads hey's output: through a template exactly, or as a person pasted it, rounded. */
export function parseHey(output: JobOutput, asked?: Asked, capped: number = cap): LoadResult {
  refuseFailed("hey", output);
  const figures = figuresOf(output.stdout, capped);
  check(figures);
  if (asked !== undefined) checkAsked(figures, asked);
  return result(figures, asked);
}

function figuresOf(stdout: string, capped: number): Figures {
  if (isOurs(stdout)) return fromTemplate(readTemplate(stdout), capped);
  const start = stdout.trimStart();
  if (start.startsWith("{")) return fromOwn(readOwn(stdout), capped);
  // Failures are no rows, and nothing says how many rows or seconds there were: one cut short looks whole.
  if (start.startsWith("response-time,"))
    return unparsed("hey", "single answers as CSV, without failures, count or time; leave -o csv out", start);
  return fromText(readText(stdout), capped);
}

function fromTemplate(report: HeyReport, capped: number): Figures {
  const { requests, samples, latencySumS, fastestS, slowestS, totalS, rps, bodyBytes, errors } = report;
  const responses = requests - sum(errors.map(([count]) => count));
  return {
    ...{ totalS, ratePerS: rps, attempts: requests, responses, errors, samples, fastestS, slowestS },
    ...{ exact: true, cap: capped },
    statuses: report.statuses ?? {},
    meanS: responses > 0 ? latencySumS / responses : null,
    percentilesS: percentilesOf(report.latency),
    // 0: chunked or unpacked bodies, whose size hey does not see.
    ...(bodyBytes > 0 ? { bodyBytes } : {}),
  };
}

function fromOwn(report: OwnReport, capped: number): Figures {
  const { numRes, samples, average, sizeTotal = 0, sizeReq, fastest = null, slowest = null } = report;
  const errors = Object.entries(report.errors).map(([text, count]) => [count, text] as const);
  const responses = numRes - sum(errors.map(([count]) => count));
  return {
    ...{ totalS: report.totalSeconds, ratePerS: report.rps, attempts: numRes, responses, errors, samples },
    ...{ fastestS: fastest, slowestS: slowest, exact: true, cap: capped },
    statuses: report.status ?? {},
    meanS: average === null || samples === responses ? average : (average * samples) / responses,
    percentilesS: percentilesOf(report.latency),
    // Bytes that stand there once are nobody's to check.
    ...(sizeTotal > 0 && sizeReq !== undefined ? { bodyBytes: sizeTotal } : {}),
  };
}

const percentilesOf = (latency: HeyReport["latency"]) =>
  (latency ?? []).map(({ Percentage, Latency }) => [Percentage, Latency] as const);

function fromText(text: HeyText, capped: number): Figures {
  const { totalS, rps, errors, percentilesS, fastestS, slowestS } = text;
  const samples = sum(text.statuses.map(([, count]) => count));
  const failed = sum(errors.map(([count]) => count));
  checkBars(text);
  const barred = sum(text.bars.map(([, count]) => count));
  if (barred !== samples) unparsed("hey", "bars that do not add up to the statuses", `${barred} and ${samples}`);
  // Beyond its cap hey prints no count; its rate and time still give one, to within their rounding.
  const counted = Math.max(Math.round(rps * totalS), samples + failed);
  const ownCap = capOf(text, samples, counted - failed, capped);
  const attempts = samples === ownCap ? counted : samples + failed;
  const over = attempts - failed > samples;
  if (samples > 0 && samples < ownCap) checkMean(text);
  return {
    ...{ totalS, ratePerS: rps, attempts, responses: attempts - failed, errors, samples, percentilesS, exact: false },
    ...{ statuses: Object.fromEntries(text.statuses), meanS: over ? null : text.averageS, fastestS, slowestS },
    cap: ownCap,
  };
}

/**
 * The cap of a hey that was built with a smaller one: a power of ten at which statuses end while its average, the sum of
 * all by the number of samples, goes on. Where lines were lost the average is that of the bars, and no cap explains it.
 */
function capOf(text: HeyText, samples: number, responses: number, capped: number): number {
  const { averageS } = text;
  const isRound = samples >= 1e4 && samples < capped && /^10+$/.test(`${samples}`);
  if (!isRound || averageS === null || isMeanOf(text, averageS)) return capped;
  return isMeanOf(text, (averageS * samples) / responses) ? samples : capped;
}

function checkMean(text: HeyText): void {
  const { averageS } = text;
  const fits = averageS !== null && isMeanOf(text, averageS);
  if (!fits) unparsed("hey", "an average outside of its bars", `${averageS} s`);
}

function check(figures: Figures): void {
  const { attempts, responses, samples, statuses, ratePerS, totalS, exact, cap: capped } = figures;
  const told = sum(Object.values(statuses));
  if (told !== samples) unparsed("hey", "statuses that do not add up to the samples", `${told} and ${samples}`);
  if (samples !== Math.min(responses, capped)) unparsed("hey", "samples lost", `${samples} of ${responses}`);
  const [fewest, most] = exact ? [1 - 1e-9, 1 + 1e-9].map((part) => ratePerS * totalS * part) : span(figures);
  const fits = attempts >= (fewest as number) && attempts <= (most as number);
  if (!fits) unparsed("hey", "a rate that is not requests by time", `${attempts} in ${totalS} s`);
  checkLatencies(figures);
}

/** What rate × time can be, both being rounded to four digits. */
function span({ ratePerS, totalS }: Figures): readonly [number, number] {
  const half = 0.0000501;
  return [(ratePerS - half) * (totalS - half), (ratePerS + half) * (totalS + half)];
}

function checkLatencies(figures: Figures): void {
  const { samples, responses, fastestS, slowestS, percentilesS, meanS, exact } = figures;
  const stated = percentilesS.filter(([percent]) => percent > 0);
  const rising = [fastestS, ...stated.map(([, seconds]) => seconds), slowestS];
  requireAscending("hey", rising);
  const isWhole = percents.every((percent, index) => isStated(percent, percentilesS[index]));
  if (samples > 0 && (!isWhole || percentilesS.length !== percents.length))
    unparsed("hey", "percentiles are missing", JSON.stringify(percentilesS));
  if (samples === 0 || samples !== responses) return;
  // Below ten samples hey shifts its percentiles.
  const [least, most] = exact && samples >= 10 ? meanBounds(figures) : [fastestS ?? 0, slowestS ?? Infinity];
  if (!isBetween(meanS, least, most)) unparsed("hey", "a mean outside of what it is the mean of", `${meanS} s`);
}

/** hey prints `0% in 0.0000 secs` where it has too few samples. */
function isStated(percent: number, [stated, seconds]: readonly [number, number] = [NaN, NaN]): boolean {
  return stated === percent || (stated === 0 && seconds === 0);
}

function isBetween(mean: number | null, least: number, most: number): boolean {
  // Sums of binary fractions are a little off.
  return mean !== null && mean >= least * (1 - 1e-9) && mean <= most * (1 + 1e-9);
}

/** hey prints figures, early, where it is interrupted. */
function checkAsked({ totalS }: Figures, { load }: Asked): void {
  if (load.duration === undefined || load.model !== "closed") return;
  const askedS = secondsOf(load.duration);
  if (totalS < 0.98 * askedS) unparsed("hey", `a run of other than ${askedS} s`, `${totalS} s`);
}

function result(figures: Figures, asked?: Asked): LoadResult {
  const { totalS, attempts, responses, statuses, errors, samples, bodyBytes } = figures;
  // Beyond the cap, the share of good answers among the first million stands for all; the caveat says so.
  const good = samples === 0 ? 0 : (expectedResponses(statuses, asked?.expect) / samples) * responses;
  return {
    tool: { name: "hey" },
    durationS: totalS,
    attempts,
    responses,
    statuses,
    errors: errorsByKind(errors),
    rps: good / totalS,
    attemptsPerS: figures.ratePerS,
    latencyMs: latency(figures),
    latencyBasis: basis(figures),
    ...(bodyBytes === undefined ? {} : { bytes: { value: bodyBytes, kind: "body" } }),
    caveats: caveats(figures, asked),
  };
}

function latency({ samples, meanS, fastestS, slowestS, percentilesS }: Figures): Latency {
  if (samples === 0) return unstatedLatency;
  const ends = { min: msOrNull(fastestS), mean: msOrNull(meanS), max: msOrNull(slowestS) };
  // Below ten samples hey shifts its percentiles (`latencies` in its report.go gives each sample to one of them only).
  const trusted = samples < 10 ? [] : percentilesS.filter(([percent]) => percent >= 50);
  return { ...unstatedLatency, ...ends, ...Object.fromEntries(trusted.map(([p, s]) => [`p${p}`, ms(s)])) };
}

function basis({ samples, exact }: Figures): LatencyBasis {
  return {
    // From asking for a connection to the last byte of the body.
    includes: { queue: false, connect: true, tls: true },
    population: "responses",
    omission: "none",
    resolutionMs: exact ? 0.001 : 0.1,
    samples,
  };
}

function caveats(figures: Figures, asked?: Asked): Caveat[] {
  const { samples, responses, exact } = figures;
  const found: readonly (Caveat | false)[] = [
    responses > samples && "sample-cap",
    responses > samples && "status-cap",
    !exact && "resolution",
    latency(figures).p99 === null && "no-samples",
    // Go sends again what it sent on a kept connection that died; output does not tell whether connections were kept.
    asked?.load.connection !== "per-request" && "repeats-unseen",
  ];
  return found.filter((caveat) => caveat !== false);
}

/** Milliseconds to the nanosecond, which is what Go measures. */
const ms = (seconds: number) => Number((seconds * 1e3).toFixed(6));
const msOrNull = (seconds: number | null) => (seconds === null ? null : ms(seconds));
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
