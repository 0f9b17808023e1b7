import { mean } from "./statistics";
import type { NoiseRecord } from "./noise-record";
import type { Random } from "./random";

/** Machines whose noise is known, for tests of what is said of it: two sides alike, a unit of each in every round. */
export type SimulatedNoise = (cv: number, units: number, random: Random) => NoiseRecord;

/** Box and Muller's. */
const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Student's t with four degrees of freedom, of deviation 1; its kurtosis is infinite. */
function heavyTailed(random: Random): number {
  const squares = Array.from({ length: 4 }, () => normal(random) ** 2);
  return normal(random) / Math.sqrt(mean(squares) as number) / Math.SQRT2;
}

const independent =
  (one: (random: Random) => number): SimulatedNoise =>
  (cv, units, random) => {
    const side = () => Array.from({ length: units }, () => Math.max(0.01, 1 + cv * one(random)));
    return { left: side(), right: side() };
  };

/**
 * Normal noise on a machine whose speed goes up and down by 10 % in 20 rounds and wanders by 2 % a round, on through each
 * round; who is first in a round is drawn.
 */
const drifting: SimulatedNoise = (cv, units, random) => {
  const [began, record] = [20 * random(), { left: [] as number[], right: [] as number[] }];
  let wandered = 0;
  for (let turn = 0; turn < 2 * units; turn += 2) {
    const order = random() < 0.5 ? ([record.left, record.right] as const) : ([record.right, record.left] as const);
    order.forEach((side, place) => {
      wandered = 0.9 * wandered + (0.02 / Math.SQRT2) * normal(random);
      const speed = 1 + 0.1 * Math.sin(((began + (turn + place) / 2) * Math.PI) / 10) + wandered;
      side.push(speed * (1 + cv * normal(random)));
    });
  }
  return record;
};

/** Deployments that come up in one of two states, equally often, and stay there: nine tenths of the variance. */
const bistable = independent((random) => (random() < 0.5 ? -1 : 1) * Math.sqrt(0.9) + Math.sqrt(0.1) * normal(random));

export const simulatedNoises = {
  normal: independent(normal),
  "heavy-tailed": independent(heavyTailed),
  drifting,
  bistable,
};
