import { compared, detectableErrors, powerOf, type Sample } from ".";

const runs = (...values: number[]): Sample => ({ values, unit: "run" });
const quiet = runs(100, 101, 99, 100, 102);

test("what differs by more than its noise is found, and turned round it is the other way", () => {
  const slower = runs(95, 96, 94, 95, 96);
  const [there, back] = [compared(quiet, slower)!, compared(slower, quiet)!];
  expect([there.finding, back.finding]).toEqual(["higher", "lower"]);
  expect(back.ratio).toBeCloseTo(1 / there.ratio, 12);
  expect(back.interval[0]).toBeCloseTo(1 / there.interval[1], 12);
  expect(back.smallestDetectable).toBe(there.smallestDetectable);
});

test("where nothing is found, it is said whether a difference that matters would have been", () => {
  const alike = runs(100.2, 100.9, 98.8, 100.1, 102.1);
  expect(compared(quiet, alike)).toMatchObject({ finding: "not-distinguishable", unitsNeeded: 5 });
  expect(compared(quiet, alike, { matters: 0.01 })).toMatchObject({ finding: "cannot-tell", unitsNeeded: 25 });
  expect(compared(quiet, runs(100, 130, 80, 105, 91))).toMatchObject({ finding: "cannot-tell" });
});

test("so many units as it names tell what is asked for, and hardly fewer", () => {
  /** An even number of values whose logarithms have a standard deviation of 2 %. */
  const noise = (units: number) =>
    runs(...Array.from({ length: units }, (_, turn) => Math.exp((-1) ** turn * 0.02 * Math.sqrt((units - 1) / units))));
  const detectable = (units: number) => compared(noise(units), noise(units))!.smallestDetectable;
  const { unitsNeeded } = compared(noise(4), noise(4), { matters: 0.015 })!;
  expect(unitsNeeded).toBe(32);
  expect([detectable(30) > 0.015, detectable(32) < 0.015]).toEqual([true, true]);
});

// Means and deviations of logarithms 5.0 and 4.9 apart by two standard errors of 0.05; t tables for 8 degrees of freedom.
test("the interval is Welch's on logarithms", () => {
  const spread = [-2, -1, 0, 1, 2].map((step) => step * 0.05);
  const of = (middle: number) => runs(...spread.map((part) => Math.exp(middle + part)));
  const { ratio, interval, chance } = compared(of(5), of(4.9))!;
  const half = 2.306 * Math.sqrt((2 * 0.00625) / 5);
  expect(Math.log(ratio)).toBeCloseTo(0.1, 12);
  expect(Math.log(interval[1]) - 0.1).toBeCloseTo(half, 4);
  expect(chance).toBeCloseTo(0.0805, 3);
});

test("what took turns is compared pair by pair, so that a drift both share does not hide a difference", () => {
  const drift = [1, 1.05, 1.1, 1.2, 1.3];
  const [fast, slow] = [drift.map((by) => 1.02 * by * 100), drift.map((by, turn) => by * (100 + 0.1 * turn))];
  expect(compared(runs(...fast), runs(...slow))!.finding).toBe("cannot-tell");
  expect(compared(runs(...fast), runs(...slow), { inTurns: true })!.finding).toBe("higher");
});

test("among many comparisons each must be rarer by chance", () => {
  const slower = runs(97.5, 99, 96, 97, 99);
  const [alone, among] = [compared(quiet, slower)!, compared(quiet, slower, { among: 40 })!];
  expect([alone.finding, among.finding]).toEqual(["higher", "cannot-tell"]);
  expect(among.smallestDetectable).toBeGreaterThan(1.5 * alone.smallestDetectable);
});

test("a difference within what the tool can show is none", () => {
  expect(compared(runs(1.2, 1.2), runs(1.3, 1.3))!.finding).toBe("lower");
  expect(compared(runs(1.2, 1.2), runs(1.3, 1.3), { resolution: 0.1001 })!.finding).toBe("not-distinguishable");
});

test("nothing is said of one unit, of units that differ, or of a rate of nothing", () => {
  const deployments: Sample = { values: quiet.values, unit: "deployment" };
  for (const other of [runs(), runs(1), runs(1, 0), deployments]) expect(compared(quiet, other)).toBeNull();
  expect(compared(runs(3), runs(2), { inTurns: true })).toBeNull();
});

// R: power.t.test(n = 10, sd = 1, power = 0.8, type = "paired") gives delta = 0.99625, and 1.6828 with n = 5: times √n.
test.each([
  [10, 3.15],
  [5, 3.763],
])("of %i pairs a difference of %f standard errors is found four times of five", (units, errors) => {
  const design = { units: [units, units], inTurns: true, chance: 0.05 } as const;
  expect(detectableErrors(design)).toBeCloseTo(errors, 2);
  expect(powerOf(errors, design)).toBeCloseTo(0.8, 2);
});

// The same with type = "two.sample": 1.3250 for n = 10, a shade less than Welch's test needs. n = 100: 0.3981, or 2.815.
test.each([
  [10, 2.973],
  [100, 2.815],
])("of %i units of each side, %f standard errors", (units, errors) => {
  expect(detectableErrors({ units: [units, units], inTurns: false, chance: 0.05 })).toBeCloseTo(errors, 2);
});
