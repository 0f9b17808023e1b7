import { compared, comparisonLimits, type ComparisonOptions } from "./comparison";
import { detectableErrors } from "./power";
import type { Random } from "./random";
import { mean, standardDeviation } from "./statistics";

/** One gateway measured twice in each round, under two names: whatever differs between them is noise. */
export interface NoiseRecord {
  /** Units of the one and of the other, round by round. */
  readonly left: readonly number[];
  readonly right: readonly number[];
}

/** The deviation of one unit, on the scale of logarithms: nearly its coefficient of variation. */
export interface Noise {
  /** Against one of the same round: without what drifts. */
  readonly inTurns: number;
  /** Against one measured at another time of this record. */
  readonly apart: number;
}

/** The noise in a record; null of fewer than two rounds, or where a value is not positive. */
export function noiseOf({ left, right }: NoiseRecord): Noise | null {
  if (left.length < 2 || left.length !== right.length || [...left, ...right].some((value) => !(value > 0))) return null;
  const [ours, theirs] = [left.map(Math.log), right.map(Math.log)];
  // Both are the same gateway: their difference is known to be none, and what is seen of one is noise too.
  const squares = ours.map((value, round) => (value - (theirs[round] as number)) ** 2);
  return {
    inTurns: Math.sqrt((mean(squares) as number) / 2),
    apart: standardDeviation([...ours, ...theirs]) as number,
  };
}

/** The relative difference that so many units of each side find in 80 % of all tries. */
export function detectableWith(noise: Noise, units: number, inTurns: boolean): number {
  const design = { units: [units, units], inTurns, chance: comparisonLimits.chance } as const;
  return Math.expm1(detectableErrors(design) * noise[inTurns ? "inTurns" : "apart"] * Math.sqrt(2 / units));
}

/** What is asked of a record. */
export interface PowerAsked {
  /** Units of each side. */
  readonly units: number;
  /** The relative difference to be found. */
  readonly difference: number;
  /** How many comparisons it is made from. @default 10,000, known to half a point */
  readonly draws?: number;
  readonly options?: ComparisonOptions;
}

/**
 * The chance of finding a difference in the noise of a record, whatever its distribution: the comparison itself, carried
 * out on units drawn from the record. Where noise is normal, `powerOf` says the same without a record.
 */
export function powerIn(
  record: NoiseRecord,
  { units, difference, draws = 10_000, options = {} }: PowerAsked,
  random: Random,
): number {
  const draw = options.inTurns ? rounds(record, random) : sides(record, random);
  let found = 0;
  for (let turn = 0; turn < draws; turn++) {
    const pairs = Array.from({ length: units }, draw);
    const [left, right] = [pairs.map(([ours]) => ours * (1 + difference)), pairs.map(([, theirs]) => theirs)];
    const { finding } = compared({ values: left, unit: "run" }, { values: right, unit: "run" }, options) ?? {};
    if (finding === (difference > 0 ? "higher" : "lower")) found++;
  }
  return found / draws;
}

type Pair = readonly [left: number, right: number];

/** Two of one round; which of them is left means nothing. */
function rounds({ left, right }: NoiseRecord, random: Random): () => Pair {
  return () => {
    const round = Math.floor(random() * left.length);
    const [one, other] = [left[round] as number, right[round] as number];
    return random() < 0.5 ? [one, other] : [other, one];
  };
}

/** Any two, from what they are around the middle of their side. */
function sides({ left, right }: NoiseRecord, random: Random): () => Pair {
  const around = [left, right].flatMap((values) => values.map((value) => value / (mean(values) as number)));
  const any = () => around[Math.floor(random() * around.length)] as number;
  return () => [any(), any()];
}
