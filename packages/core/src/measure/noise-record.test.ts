import { detectableWith, noiseOf, powerIn, powerOf, randomFrom } from ".";
import { simulatedNoises } from "./simulated-noise";

const record = simulatedNoises.normal(0.02, 5000, randomFrom(1));

test("the noise of a record is the deviation of one unit", () => {
  expect(noiseOf(record)).toEqual({ inTurns: expect.closeTo(0.02, 3), apart: expect.closeTo(0.02, 3) });
});

test("what drifts is noise only to those who did not take turns", () => {
  const drift = record.left.map((_, round) => 1 + 0.2 * Math.sin(round));
  const drifted = (values: readonly number[]) => values.map((value, round) => value * (drift[round] as number));
  const { inTurns, apart } = noiseOf({ left: drifted(record.left), right: drifted(record.right) })!;
  expect([inTurns, apart]).toEqual([expect.closeTo(0.02, 3), expect.closeTo(0.146, 2)]);
});

test("two deployments that differ though they are alike are noise", () => {
  expect(noiseOf({ left: [104, 104, 104], right: [100, 100, 100] })!.inTurns).toBeCloseTo(0.0277, 4);
});

test("in normal noise the comparison itself finds as much as is computed of it", () => {
  const difference = detectableWith({ inTurns: 0.02, apart: 0.02 }, 5, true);
  const found = powerIn(record, { units: 5, difference, draws: 2000, options: { inTurns: true } }, randomFrom(2));
  const design = { units: [5, 5], inTurns: true, chance: 0.04 } as const;
  expect(powerOf(Math.log1p(difference) / (0.02 * Math.sqrt(2 / 5)), design)).toBeCloseTo(0.8, 3);
  expect(Math.abs(found - 0.8)).toBeLessThan(0.03);
});

test("a record of one round tells nothing", () => {
  expect([noiseOf({ left: [1], right: [1] }), noiseOf({ left: [1, 0], right: [1, 1] })]).toEqual([null, null]);
});
