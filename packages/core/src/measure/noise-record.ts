import { compared, type ComparisonOptions } from "./comparison";
import type { Random } from "./random";
import { mean } from "./statistics";

/** One gateway measured twice in each round, under two names: whatever differs between them is noise. */
export interface NoiseRecord {
  /** Units of the one and of the other, round by round. */
  readonly left: readonly number[];
  readonly right: readonly number[];
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
