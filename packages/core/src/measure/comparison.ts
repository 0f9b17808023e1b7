import tCdf from "@stdlib/stats-base-dists-t-cdf";
import tQuantile from "@stdlib/stats-base-dists-t-quantile";
import { detectableErrors } from "./power";
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
  if (left.unit !== right.unit || [...left.values, ...right.values].some((value) => !(value > 0))) return null;
  const inTurns = options.inTurns === true && left.values.length === right.values.length;
  const [ours, theirs] = [left, right].map(({ values }) => values.map(Math.log)) as [number[], number[]];
  const estimate = inTurns ? ofPairs(ours, theirs) : ofTwo(ours, theirs);
  return estimate && comparisonOf(left, right, estimate, options);
}

function comparisonOf(left: Sample, right: Sample, estimate: Estimate, options: ComparisonOptions): Comparison {
  const { difference, standardError, freedom } = estimate;
  const { matters = comparisonLimits.matters } = options;
  const half = tQuantile((1 + coverage) / 2, freedom) * standardError;
  const allowed = comparisonLimits.chance / Math.max(1, options.among ?? 1);
  const chance = chanceOf(estimate);
  const smallestDetectable = detectable(estimate, allowed);
  const isFound = chance < allowed && isVisible(left, right, options.resolution ?? 0);
  const none: Finding = smallestDetectable <= matters ? "not-distinguishable" : "cannot-tell";
  return {
    ratio: Math.exp(difference),
    interval: [Math.exp(difference - half), Math.exp(difference + half)],
    finding: !isFound ? none : difference > 0 ? "higher" : "lower",
    chance,
    smallestDetectable,
    unit: left.unit,
    units: [left.values.length, right.values.length],
    unitsNeeded: unitsNeeded(left, right, estimate, allowed, Math.max(Math.abs(Math.expm1(difference)), matters)),
  };
}

/** Pairs of one round. */
function ofPairs(left: readonly number[], right: readonly number[]): Estimate | null {
  const differences = left.map((value, index) => value - (right[index] as number));
  const deviation = standardDeviation(differences);
  if (deviation === null) return null;
  const { length } = differences;
  return {
    difference: mean(differences) as number,
    standardError: deviation / Math.sqrt(length),
    freedom: length - 1,
  };
}

/** Welch's test, with the degrees of freedom of Welch and Satterthwaite. */
function ofTwo(left: readonly number[], right: readonly number[]): Estimate | null {
  const parts = [left, right].map((values) => ({ deviation: standardDeviation(values), count: values.length }));
  if (parts.some(({ deviation }) => deviation === null)) return null;
  const variances = parts.map(({ deviation, count }) => (deviation as number) ** 2 / count);
  const total = sum(variances);
  const spread = sum(variances.map((variance, side) => variance ** 2 / ((parts[side]?.count as number) - 1)));
  return {
    difference: (mean(left) as number) - (mean(right) as number),
    standardError: Math.sqrt(total),
    freedom: spread === 0 ? left.length + right.length - 2 : total ** 2 / spread,
  };
}

function chanceOf({ difference, standardError, freedom }: Estimate): number {
  if (standardError === 0) return difference === 0 ? 1 : 0;
  return 2 * tCdf(-Math.abs(difference / standardError), freedom);
}

/** Whether the tool that gave the values could have seen the difference at all. */
function isVisible(left: Sample, right: Sample, resolution: number): boolean {
  return Math.abs((mean(left.values) as number) - (mean(right.values) as number)) > resolution;
}

function detectable({ standardError, freedom }: Estimate, chance: number): number {
  return Math.expm1(detectableErrors(freedom, chance) * standardError);
}

/** With more units the error shrinks as their root, and the noise is known better. */
function unitsNeeded(left: Sample, right: Sample, estimate: Estimate, chance: number, wanted: number): number | null {
  const now = 2 / (1 / left.values.length + 1 / right.values.length);
  const isEnough = (units: number): boolean => {
    const grown = units / now;
    const freedom = (estimate.freedom * (units - 1)) / (now - 1);
    return (
      detectable({ ...estimate, standardError: estimate.standardError / Math.sqrt(grown), freedom }, chance) <= wanted
    );
  };
  let [few, enough]: [number, number] = [1, comparisonLimits.mostUnits];
  if (!isEnough(enough)) return null;
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else few = middle;
  }
  return enough;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
