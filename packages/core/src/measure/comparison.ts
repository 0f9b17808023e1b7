import tCdf from "@stdlib/stats-base-dists-t-cdf";
import tQuantile from "@stdlib/stats-base-dists-t-quantile";
import { detectableErrors, welchError, type Design } from "./power";
import type { Sample } from "./sample";
import { coverage, mean, standardDeviation, type Range } from "./statistics";

/** `cannot-tell`: no difference was found, but one that matters might have been missed. */
export type Finding = "higher" | "lower" | "not-distinguishable" | "cannot-tell";

/** Left against right. Fractions are of 1. */
export interface Comparison {
  /** Left / right, of geometric means. */
  readonly ratio: number;
  /** 95 % interval of the ratio. */
  readonly interval: Range;
  /** What left is against right. */
  readonly finding: Finding;
  /** How often chance alone gives a difference as large. */
  readonly chance: number;
  /** The relative difference that so many units of this noise find in 80 % of all tries. */
  readonly smallestDetectable: number;
  readonly unit: Sample["unit"];
  /** Units of each side: left, right. */
  readonly units: readonly [left: number, right: number];
  /** Of each side, to find the difference seen or the one that matters, whichever is larger; null: more than 1,000. */
  readonly unitsNeeded: number | null;
}

export interface ComparisonOptions {
  /** Both took turns, value by value: what drifts falls on both alike and is taken out. @default false */
  readonly inTurns?: boolean;
  /** The relative difference that matters to whoever asks. @default 0.03 */
  readonly matters?: number;
  /** How many comparisons are made at once: a false difference shall be rare among all of them. @default 1 */
  readonly among?: number;
  /** Below it a difference means nothing, in the unit of the values. @default 0 */
  readonly resolution?: number;
}

export const comparisonLimits = {
  /** Of false differences. Below the 5 % of an interval, so that 5 % holds for noise that is not quite normal too. */
  chance: 0.04,
  /** Gateways that differ by less are alike for whoever chooses one. */
  matters: 0.03,
  mostUnits: 1000,
} as const;

/** Noise on the scale of logarithms, where a ratio is a difference and a/b says the same as b/a. */
interface Estimate {
  readonly difference: number;
  readonly standardError: number;
  readonly freedom: number;
}

/**
 * Left against right: Student's t on logarithms; of pairs where both took turns, else Welch's, for noise that differs.
 *
 * null where nothing can be said: below two units of a side, units that differ, or a value that is not positive.
 */
export function compared(left: Sample, right: Sample, options: ComparisonOptions = {}): Comparison | null {
  const units = [left.values.length, right.values.length] as const;
  if (left.unit !== right.unit || Math.min(...units) < 2) return null;
  if ([...left.values, ...right.values].some((value) => !(value > 0))) return null;
  const { matters = comparisonLimits.matters, among = 1, resolution = 0 } = options;
  const inTurns = options.inTurns === true && units[0] === units[1];
  const design: Design = { units, inTurns, chance: comparisonLimits.chance / Math.max(1, among) };
  const estimate = estimated(left.values.map(Math.log), right.values.map(Math.log), inTurns);
  const { difference, standardError, freedom } = estimate;
  const half = tQuantile((1 + coverage) / 2, freedom) * standardError;
  const chance = chanceOf(estimate);
  const smallestDetectable = detectable(standardError, design);
  const isFound = chance < design.chance && isVisible(left, right, resolution);
  const none: Finding = smallestDetectable <= matters ? "not-distinguishable" : "cannot-tell";
  return {
    ratio: Math.exp(difference),
    interval: [Math.exp(difference - half), Math.exp(difference + half)],
    finding: !isFound ? none : difference > 0 ? "higher" : "lower",
    chance,
    smallestDetectable,
    unit: left.unit,
    units,
    unitsNeeded: unitsNeeded(standardError, design, Math.max(Math.abs(Math.expm1(difference)), matters)),
  };
}

function estimated(left: readonly number[], right: readonly number[], inTurns: boolean): Estimate {
  const difference = (mean(left) as number) - (mean(right) as number);
  if (!inTurns) {
    const ofMeans = [varianceOfMean(left), varianceOfMean(right)] as const;
    return { difference, ...welchError(ofMeans, [left.length, right.length]) };
  }
  const pairs = left.map((value, turn) => value - (right[turn] as number));
  return { difference, standardError: Math.sqrt(varianceOfMean(pairs)), freedom: left.length - 1 };
}

const varianceOfMean = (values: readonly number[]): number =>
  (standardDeviation(values) as number) ** 2 / values.length;

function chanceOf({ difference, standardError, freedom }: Estimate): number {
  if (standardError === 0) return difference === 0 ? 1 : 0;
  return 2 * tCdf(-Math.abs(difference / standardError), freedom);
}

/** Whether the tool that gave the values could have shown the difference at all. */
function isVisible(left: Sample, right: Sample, resolution: number): boolean {
  return Math.abs((mean(left.values) as number) - (mean(right.values) as number)) > resolution;
}

const detectable = (standardError: number, design: Design): number =>
  Math.expm1(detectableErrors(design) * standardError);

/** With more units the error shrinks as their root, and the noise is known better. */
function unitsNeeded(
  standardError: number,
  { units: [left, right], ...design }: Design,
  wanted: number,
): number | null {
  const ofOne = standardError / Math.sqrt(1 / left + 1 / right);
  const isEnough = (units: number) =>
    detectable(ofOne * Math.sqrt(2 / units), { ...design, units: [units, units] }) <= wanted;
  let [few, enough]: [number, number] = [1, comparisonLimits.mostUnits];
  if (!isEnough(enough)) return null;
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else few = middle;
  }
  return enough;
}
