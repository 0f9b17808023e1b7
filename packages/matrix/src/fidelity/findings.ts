import { mean, ratioInterval, type Range, type Ratio } from "@gatebench/core/measure";
import { added, total, type Parts } from "./harness-usage";
import { misreadings, ownFigures } from "./own-figures";
import type { SeenRun } from "./rig";
import { differences } from "./tool-process";
import type { Pair, Side } from "./turns";

export type Pairs = readonly Pair<SeenRun>[];

/** What gatebench may take from a measurement. */
export const bounds = {
  /** Of one core, everything of ours together. */
  harness: 0.02,
  /** Each pair, where the load keeps to a pace. */
  paced: [0.99, 1.01] as Range,
  /** The interval of all pairs, where it goes as fast as it can. */
  saturated: [0.97, 1.03] as Range,
};

/** Of all CPUs. Where the rest of the machine uses more, a run says more about it than about us. */
const mostOthers = 0.1;

/** Whether the rest of the machine left both runs alone. */
const isCalm = ({ gatebench, byHand }: Pair<SeenRun>): boolean =>
  gatebench.others <= mostOthers && byHand.others <= mostOthers;

/** untold: the machine was too busy. */
export type Verdict = "held" | "broken" | "untold";

/** One of the four checks. */
interface Checked {
  readonly verdict: Verdict;
}

const heldIf = (held: boolean): Verdict => (held ? "held" : "broken");

/** (a) The tool's arguments, environment and CPU set are those of the command by hand, and the figures its own. */
export interface ToolFinding extends Checked {
  readonly pairs: number;
  readonly differences: readonly string[];
  readonly misreadings: readonly string[];
  /** Tools whose output nobody here can read but their adapter. */
  readonly unread: readonly string[];
}

export function toolFinding(pairs: Pairs): ToolFinding {
  const runs = pairs.flatMap(({ gatebench, byHand }) => [gatebench, byHand]);
  const differing = pairs.flatMap(({ gatebench, byHand }) => differences(gatebench.tool, byHand.tool));
  const misread = runs.flatMap(misreadingsOf);
  return {
    verdict: heldIf(differing.length === 0 && misread.length === 0),
    pairs: pairs.length,
    differences: unique(differing),
    misreadings: unique(misread),
    unread: unique(runs.filter((run) => ownOf(run) === undefined).map(({ result }) => result.tool.name)),
  };
}

const ownOf = ({ result, stdout }: SeenRun) => ownFigures(result.tool.name, stdout);

function misreadingsOf(run: SeenRun): readonly string[] {
  const own = ownOf(run);
  return own ? misreadings(own, run.result) : [];
}

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

/** (b) CPU of everything of gatebench while a load ran, as fractions of one core. */
export interface HarnessFinding extends Checked {
  readonly fraction: number;
  readonly worstFraction: number;
  readonly byPart: Parts;
  readonly windowS: number;
  readonly runs: number;
}

export function harnessFinding(pairs: Pairs): HarnessFinding {
  const windows = pairs.flatMap(({ gatebench }) => gatebench.harness ?? []);
  const windowS = windows.reduce((sum, one) => sum + one.windowS, 0);
  const parts = added(windows.map((one) => one.parts));
  const fraction = total(parts) / windowS;
  return {
    verdict: heldIf(fraction <= bounds.harness),
    fraction,
    worstFraction: Math.max(...windows.map((one) => total(one.parts) / one.windowS)),
    byPart: Object.fromEntries(Object.entries(parts).map(([part, cpuS]) => [part, cpuS / windowS])),
    windowS,
    runs: windows.length,
  };
}

/** What a comparison of rates was made of. */
interface Compared extends Checked {
  readonly pairs: number;
  /** Pairs that were left out because others used the machine. */
  readonly disturbed: number;
  /** Of all CPUs, the rest of the machine on average: alike on both sides, or it is not the rest. */
  readonly others: { readonly gatebench: number; readonly byHand: number };
}

function othersOf(pairs: Pairs): Compared["others"] {
  const others = (side: Side) => mean(pairs.map((pair) => pair[side].others)) as number;
  return { gatebench: others("gatebench"), byHand: others("byHand") };
}

/** (c) At a pace that asks little of anybody, both sides carry out the same. */
export interface PacedFinding extends Compared {
  readonly offeredRps: number;
  readonly ratios: readonly number[];
}

export function pacedFinding(pairs: Pairs, offeredRps: number, wanted: number): PacedFinding {
  const ratios = telling(pairs).map(ratioOf);
  const isBroken = ratios.some((ratio) => !isWithin(ratio, bounds.paced));
  return {
    verdict: isBroken ? "broken" : ratios.length < wanted ? "untold" : "held",
    offeredRps,
    ratios,
    pairs: ratios.length,
    disturbed: pairs.length - ratios.length,
    others: othersOf(pairs),
  };
}

/** Others on the machine drive two runs apart, never together: a pair that agrees in spite of them counts. */
export const telling = (pairs: Pairs): Pairs =>
  pairs.filter((pair) => isCalm(pair) || isWithin(ratioOf(pair), bounds.paced));

/** (d) At saturation, where runs differ by more than any harness takes, all pairs together; noise widens the interval. */
export interface SaturatedFinding extends Compared {
  /** null, like the interval: a single pair has none. */
  readonly ratio: number | null;
  readonly interval: Range | null;
  readonly meanRps: { readonly gatebench: number | null; readonly byHand: number | null };
}

export function saturatedFinding(pairs: Pairs): SaturatedFinding {
  const compared = calmIfEnough(pairs);
  const { ratio, interval } = ratioOfAll(compared) ?? { ratio: null, interval: null };
  const [lower, upper] = bounds.saturated;
  const rps = (side: Side) => mean(compared.map((pair) => pair[side].result.rps));
  return {
    verdict: interval === null ? "untold" : heldIf(interval[1] >= lower && interval[0] <= upper),
    ratio,
    interval,
    meanRps: { gatebench: rps("gatebench"), byHand: rps("byHand") },
    pairs: compared.length,
    disturbed: pairs.length - compared.length,
    others: othersOf(pairs),
  };
}

/** Below this, an interval may be narrow by chance. */
const leastPairs = 10;

/** A single build beside one run weighs more than all of ours; where the machine is never left alone, all count. */
function calmIfEnough(pairs: Pairs): Pairs {
  const calm = pairs.filter(isCalm);
  return calm.length >= leastPairs ? calm : pairs;
}

/** Whether more pairs could only say the same. */
export function isSettled(pairs: Pairs): boolean {
  const interval = ratioOfAll(calmIfEnough(pairs))?.interval;
  return pairs.length >= leastPairs && !!interval?.every((end) => isWithin(end, bounds.saturated));
}

const ratioOf = ({ gatebench, byHand }: Pair<SeenRun>): number => gatebench.result.rps / byHand.result.rps;
const ratioOfAll = (pairs: Pairs): Ratio | null =>
  ratioInterval(pairs.map(({ gatebench, byHand }) => [gatebench.result.rps, byHand.result.rps]));
const isWithin = (value: number, [lower, upper]: Range): boolean => value >= lower && value <= upper;
