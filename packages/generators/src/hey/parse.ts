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
import { checkBars } from "./bars";
import { errorsByKind } from "./errors";
import { readTemplate, type HeyReport } from "./template";
import { readText, type HeyText } from "./text";

/** hey times, and tells the status of, so many responses; later ones it only counts (`maxRes` in its report.go). */
const cap = 1_000_000;
/** hey's percentiles, in its order; 0 in place of those there are too few samples for. */
const percents = [10, 25, 50, 75, 90, 95, 99];

/** What both forms of output say, in seconds. */
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
  readonly fastestS: number;
  readonly slowestS: number;
  readonly percentilesS: readonly (readonly [percent: number, seconds: number])[];
  readonly bodyBytes?: number;
  readonly exact: boolean;
}

/** Reads hey's output: through our template exactly, or as a person pasted it, rounded. */
export function parseHey(output: JobOutput, asked?: Asked, capped: number = cap): LoadResult {
  refuseFailed("hey", output);
  const figures = output.stdout.trimStart().startsWith("{")
    ? fromTemplate(readTemplate(output.stdout))
    : fromText(readText(output.stdout), capped);
  check(figures, capped);
  if (asked !== undefined) checkAsked(figures, asked);
  return result(figures, asked);
}

function fromTemplate(report: HeyReport): Figures {
  const { requests, samples, latencySumS, fastestS, slowestS, totalS, rps, bodyBytes, errors } = report;
  const responses = requests - sum(errors.map(([count]) => count));
  return {
    ...{ totalS, ratePerS: rps, attempts: requests, responses, errors, samples, fastestS, slowestS, exact: true },
    statuses: report.statuses ?? {},
    meanS: responses > 0 ? latencySumS / responses : null,
    percentilesS: (report.latency ?? []).map(({ Percentage, Latency }) => [Percentage, Latency]),
    // 0: chunked or unpacked bodies, whose size hey does not see.
    ...(bodyBytes > 0 ? { bodyBytes } : {}),
  };
}

function fromText(text: HeyText, capped: number): Figures {
  const { totalS, rps, errors, percentilesS, fastestS, slowestS } = text;
  const samples = sum(text.statuses.map(([, count]) => count));
  const failed = sum(errors.map(([count]) => count));
  checkBars(text, capped);
  const barred = sum(text.bars.map(([, count]) => count));
  if (barred !== samples) unparsed("hey", "bars that do not add up to the statuses", `${barred} and ${samples}`);
  // Beyond its cap hey prints no count; its rate and time still give one, to within their rounding.
  const attempts = samples === capped ? Math.max(Math.round(rps * totalS), samples + failed) : samples + failed;
  const over = attempts - failed > samples;
  return {
    ...{ totalS, ratePerS: rps, attempts, responses: attempts - failed, errors, samples, percentilesS, exact: false },
    ...{ statuses: Object.fromEntries(text.statuses), meanS: over ? null : text.averageS, fastestS, slowestS },
  };
}

function check(figures: Figures, capped: number): void {
  const { attempts, responses, samples, statuses, ratePerS, totalS, exact } = figures;
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

function checkLatencies({ samples, responses, fastestS, slowestS, percentilesS, meanS }: Figures): void {
  const stated = percentilesS.filter(([percent]) => percent > 0);
  const rising = [fastestS, ...stated.map(([, seconds]) => seconds), slowestS];
  requireAscending("hey", rising);
  const isWhole = percents.every((percent, index) => isStated(percent, percentilesS[index]));
  if (samples > 0 && (!isWhole || percentilesS.length !== percents.length))
    unparsed("hey", "percentiles are missing", JSON.stringify(percentilesS));
  if (samples > 0 && samples === responses && !isBetween(meanS, fastestS, slowestS)) {
    unparsed("hey", "a mean outside of what it is the mean of", `${meanS} s`);
  }
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
  const ends = { min: ms(fastestS), mean: meanS === null ? null : ms(meanS), max: ms(slowestS) };
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
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
