import {
  askedRatePerS,
  broken,
  figures,
  resultOf,
  warning,
  worse,
  type Figure,
  type Grade,
  type Load,
  type Purpose,
  type ResolvedScenario,
  type Run,
  type Verdict,
  type Verification,
  type Warning,
} from "../contract";
import { cellFigures, type CellFigures } from "./cell-figures";
import { one } from "./run-facts";
import { sampleOf } from "./sample";
import { cv, median, relativeHalfWidth, type Range } from "./statistics";
import { asksTlsTps } from "./tls-tps";
import { wantedHalfWidth } from "./until-stable";

/** Everything a cell's figures are graded by. */
export interface VerdictFacts {
  readonly load: Load;
  readonly scenario: ResolvedScenario;
  readonly purpose: Purpose;
  /** All runs of the target, whatever became of them. */
  readonly history: readonly Run[];
  /** Those the figures are taken from: the protocol's `answer`. */
  readonly answer: readonly Run[];
  /** What the protocol was after and did not reach: its `missed`. */
  readonly missed?: string;
  /** Roles that share a machine; empty: each has its own. */
  readonly sharedRoles: readonly string[];
  /** undefined: it was not verified. */
  readonly verification?: Verification;
  /** The cell this one is read against; undefined for the baseline itself. */
  readonly baseline?: { readonly name: string; readonly figures?: CellFigures };
}

/** The limits a cell is held to. */
export const cellLimits = {
  /** With three runs the 95 % interval of a mean is ± 5 % where runs differ by 2 %; with five ± 2.5 %. */
  runs: 5,
  /** Coefficient of variation between runs; at 5 % five runs leave ± 6.2 %. */
  cv: 0.05,
  /** Latencies behind a P99: with 10,000 its rank is known to lie between the 98.8th and 99.2nd percentile. */
  samples: 10_000,
  /** Below this, start-up is a visible part of a run; TechEmpower's shortest level. */
  seconds: 15,
  /** How many times the gateway's figure the path alone should carry, and must. */
  headroomWanted: 2,
  headroom: 1.5,
} as const;

/**
 * How far each figure of a cell can be relied on, and why.
 *
 * A figure gets the worst grade of the warnings that touch it; null where it was not asked for or the tool does not
 * state it. *Invalid* is for numbers that are wrong; what only makes them less sure caps at *indicative*.
 */
export function verdictOf(facts: VerdictFacts): Verdict {
  const stated = cellFigures(facts.answer);
  const warnings = folded([
    ...verificationWarnings(facts),
    ...protocolWarnings(facts),
    ...spreadWarnings(facts, stated),
    ...(stated.p99Ms === null ? [] : latencyWarnings(facts)),
    ...surroundingWarnings(facts, stated),
    ...facts.answer.flatMap((run) => run.warnings),
  ]);
  const grade = (figure: Figure): Grade => gradeOf(figure, warnings);
  const asksTls = asksTlsTps(facts.load, facts.scenario);
  const measured = facts.answer.length > 0;
  return {
    rps: grade("rps"),
    p99Ms: measured && stated.p99Ms === null ? null : grade("p99Ms"),
    // Asked for and not counted: whatever stands in its place is not a number of handshakes.
    tlsTps: !asksTls ? null : stated.tlsTps === null ? "invalid" : grade("tlsTps"),
    warnings,
  };
}

function gradeOf(figure: Figure, warnings: readonly Warning[]): Grade {
  const touching = warnings.filter((seen) => seen.figures.includes(figure));
  return touching.reduce<Grade>((grade, { cap }) => worse(grade, cap), "sound");
}

/** An untested law is said and costs nothing: a limit too high to be reached cannot be tested, and does not matter. */
function verificationWarnings({ verification }: VerdictFacts): readonly Warning[] {
  if (!verification) {
    const nothing = { law: "everything", reason: "the target was not verified" };
    return [warning("not-verified", "indicative", figures, nothing)];
  }
  const untested = verification.laws.flatMap(({ law, finding }) =>
    finding.verdict === "untested" ? [{ law, reason: finding.reason }] : [],
  );
  return [
    ...broken(verification).map((seen) => warning("verification-failed", "invalid", figures, seen)),
    ...untested.map((seen) => warning("not-verified", "sound", figures, seen)),
  ];
}

function protocolWarnings({ history, answer, missed }: VerdictFacts): readonly Warning[] {
  const runs = answer.length;
  const failures = history.flatMap(({ outcome }) => ("failure" in outcome ? [outcome.failure.message] : []));
  const few = runs > 0 && runs < cellLimits.runs;
  return [
    ...one(runs === 0 && warning("no-runs", "invalid", figures, { runs })),
    ...failures.map((reason) => warning("run-failed", "indicative", figures, { reason })),
    ...one(few && warning("few-runs", "indicative", figures, { runs, wanted: cellLimits.runs })),
    ...one(missed !== undefined && warning("target-not-reached", "indicative", figures, { goal: missed })),
    ...shortRuns(answer),
  ];
}

/** A tool stops up to a tenth of a second before or after the time asked for. */
const timingToleranceS = 0.1;

function shortRuns(answer: readonly Run[]): readonly Warning[] {
  const shortest = Math.min(...answer.flatMap((run) => resultOf(run)?.durationS ?? []));
  const seconds = Number(shortest.toFixed(1));
  const isShort = shortest < cellLimits.seconds - timingToleranceS;
  return one(isShort && warning("short-runs", "indicative", figures, { seconds, wanted: cellLimits.seconds }));
}

/** Each figure for itself: how much runs differ, and how well its middle is known. */
function spreadWarnings({ answer }: VerdictFacts, stated: CellFigures): readonly Warning[] {
  return figures.flatMap((figure) => {
    const { values } = sampleOf(answer, figure);
    const spread = cv(values) ?? 0;
    const relative = figure === "p99Ms" ? ofMedian(stated.intervals.p99Ms, values) : (relativeHalfWidth(values) ?? 0);
    const wanted = wantedHalfWidth[figure];
    return [
      ...one(
        spread > cellLimits.cv && warning("unstable", "indicative", [figure], { cv: spread, limit: cellLimits.cv }),
      ),
      ...one(relative > wanted && warning("interval-wide", "indicative", [figure], { relative, wanted })),
    ];
  });
}

/** Half of an interval's width as a fraction of the median; 0 where no interval can be had, which `unstable` makes up for. */
function ofMedian(interval: Range | null, values: readonly number[]): number {
  const middle = median(values);
  return interval && middle ? (interval[1] - interval[0]) / 2 / middle : 0;
}

function latencyWarnings({ load, answer }: VerdictFacts): readonly Warning[] {
  const results = answer.flatMap((run) => resultOf(run) ?? []);
  const samples = Math.min(...results.map(({ latencyBasis, responses }) => latencyBasis.samples ?? responses));
  const few = samples < cellLimits.samples;
  const { model } = load;
  return [
    ...one(few && warning("few-samples", "indicative", ["p99Ms"], { samples, wanted: cellLimits.samples })),
    ...one(askedRatePerS(load) === undefined && warning("closed-loop-p99", "indicative", ["p99Ms"], { model })),
  ];
}

function surroundingWarnings(facts: VerdictFacts, stated: CellFigures): readonly Warning[] {
  const { sharedRoles, answer } = facts;
  const roles = sharedRoles.join(", ");
  return [
    ...one(sharedRoles.length > 0 && warning("hosts-shared", "indicative", figures, { roles })),
    ...(answer.length > 0 ? headroomWarnings(facts, stated) : []),
  ];
}

/**
 * The path alone must carry more than the gateway did, or the path is what was measured. Not where a rate is offered:
 * there both carry the same by intention.
 */
function headroomWarnings({ load, purpose, baseline }: VerdictFacts, stated: CellFigures): readonly Warning[] {
  if (!baseline || purpose === "ceiling" || askedRatePerS(load) !== undefined) return [];
  const ofPath = baseline.figures;
  if (ofPath?.rps === null || ofPath?.rps === undefined) {
    return [warning("headroom-unknown", "indicative", figures, { baseline: baseline.name })];
  }
  return [
    // P99 of a load that fills the path is limited by the path as its rate is.
    ...headroom(["rps", "p99Ms"], ofPath.rps, stated.rps),
    ...headroom(["tlsTps"], ofPath.tlsTps, stated.tlsTps),
  ];
}

function headroom(touched: readonly Figure[], path: number | null, figure: number | null): readonly Warning[] {
  if (path === null || figure === null || figure === 0) return [];
  const ratio = path / figure;
  const cap: Grade = ratio < cellLimits.headroom ? "indicative" : "sound";
  const wanted = cap === "sound" ? cellLimits.headroomWanted : cellLimits.headroom;
  return one(ratio < wanted && warning("headroom-small", cap, touched, { ratio, wanted }));
}

/** Several runs say the same: one warning for each subject, with the worst that was seen. */
function folded(warnings: readonly Warning[]): readonly Warning[] {
  const worst = new Map<string, Warning>();
  for (const seen of warnings) {
    const before = worst.get(subjectOf(seen));
    if (!before || isWorse(seen, before)) worst.set(subjectOf(seen), seen);
  }
  return [...worst.values()];
}

/** What a warning is about: its code, the figures it touches, and whom it names. */
function subjectOf({ code, figures: touched, evidence }: Warning): string {
  const named = ["of", "between", "status", "law", "baseline"] as const;
  return JSON.stringify([code, touched, ...named.map((name) => (evidence as Readonly<Record<string, unknown>>)[name])]);
}

function isWorse(left: Warning, right: Warning): boolean {
  if (left.cap !== right.cap) return worse(left.cap, right.cap) === left.cap;
  return severityOf(left) > severityOf(right);
}

/** More is worse, among warnings of one code. Those without a number keep the first. */
function severityOf({ code, evidence }: Warning): number {
  switch (code) {
    case "generator-busy":
    case "upstream-busy":
    case "host-saturated":
    case "not-idle":
      return evidence.cpuFraction;
    case "errors":
    case "retransmits":
    case "steal":
      return evidence.fraction;
    case "counts-disagree":
    case "statuses-disagree":
      return Math.abs(evidence.left - evidence.right) - evidence.allowed;
    case "connections-not-kept":
      return evidence.connections / evidence.requests;
    case "connections-reused":
      return evidence.requests / Math.max(1, evidence.connections);
    case "rate-missed":
      return evidence.askedPerS / Math.max(1, evidence.achievedPerS);
    case "dropped":
      return evidence.iterations;
    case "accept-queue-overflow":
      return evidence.drops;
    default:
      return 0;
  }
}
