import { compared, comparisonLimits } from "./comparison";
import { powerIn } from "./noise-record";
import { detectableErrors } from "./power";
import { randomFrom } from "./random";
import { simulatedNoises } from "./simulated-noise";

/** A comparison of two gateways on a machine whose noise is known, to be drawn many times. */
export interface Simulation {
  readonly noise: keyof typeof simulatedNoises;
  readonly cv: number;
  readonly units: number;
  readonly inTurns: boolean;
}

/** What came out of all draws, as fractions of 1. */
export interface Outcome extends Simulation {
  /** Differences found between two that are alike. */
  readonly falseDifferences: number;
  /** 95 % intervals that hold the true ratio. */
  readonly coverage: number;
  /** The difference that `power` and `computed` are about. */
  readonly difference: number;
  /** Of that true difference: found with the right sign, and with the wrong one. */
  readonly power: number;
  readonly wrongSign: number;
  /** The power as computed from a record of the noise, drawn apart. */
  readonly computed: number;
}

/** As long as to know the distribution: what is tested is the arithmetic, not the luck of a record. */
const recordUnits = 10_000;

export function simulated(simulation: Simulation, draws: number, seed: number): Outcome {
  const { noise, cv, units, inTurns } = simulation;
  const random = randomFrom(seed);
  const options = { inTurns };
  const design = { units: [units, units], inTurns, chance: comparisonLimits.chance } as const;
  const difference = Math.expm1(detectableErrors(design) * cv * Math.sqrt(2 / units));
  const count = { falseDifferences: 0, coverage: 0, power: 0, wrongSign: 0 };
  for (let draw = 0; draw < draws; draw++) {
    const { left, right } = simulatedNoises[noise](cv, units, random);
    const verdictOn = (values: readonly number[]) =>
      compared({ values, unit: "run" }, { values: right, unit: "run" }, options);
    const [alike, apart] = [verdictOn(left), verdictOn(left.map((value) => value * (1 + difference)))];
    const [lower = 1, upper = 1] = alike?.interval ?? [];
    if (alike?.finding === "higher" || alike?.finding === "lower") count.falseDifferences++;
    if (lower <= 1 && 1 <= upper) count.coverage++;
    if (apart?.finding === "higher") count.power++;
    if (apart?.finding === "lower") count.wrongSign++;
  }
  const record = simulatedNoises[noise](cv, recordUnits, random);
  const [falseDifferences, coverage, power, wrongSign] = Object.values(count).map((times) => times / draws) as [
    number,
    number,
    number,
    number,
  ];
  const computed = powerIn(record, { units, difference, draws, options }, random);
  return { ...simulation, falseDifferences, coverage, difference, power, wrongSign, computed };
}
