import { cv, mean, meanInterval, median, medianInterval, ratioInterval, relativeHalfWidth, standardDeviation } from ".";

const oneTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);

test("what cannot be had is null, not zero or NaN", () => {
  for (const statistic of [mean, standardDeviation, cv, median, meanInterval, relativeHalfWidth, medianInterval]) {
    expect(statistic([])).toBeNull();
  }
  for (const statistic of [standardDeviation, cv, meanInterval, relativeHalfWidth]) expect(statistic([7])).toBeNull();
  expect([cv([0, 0]), relativeHalfWidth([-1, 1])]).toEqual([null, null]);
});

test("the median is the middle value, or half way between the two in the middle", () => {
  expect([median([5]), median([9, 1, 5]), median([4, 1, 3, 2])]).toEqual([5, 5, 2.5]);
});

test("the standard deviation is that of a sample", () => {
  expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(2.13809, 5);
  expect(cv([9, 10, 11])).toBeCloseTo(0.1, 12);
});

// t(0.975, n − 1) of the printed tables.
test.each([
  [3, 4.303],
  [5, 2.776],
  [10, 2.262],
  [20, 2.093],
])("with %i values the interval of the mean is ± %f standard errors", (n, t) => {
  const values = oneTo(n);
  const standardError = (standardDeviation(values) as number) / Math.sqrt(n);
  const [lower, upper] = meanInterval(values) as [number, number];
  expect((upper - lower) / 2 / standardError).toBeCloseTo(t, 3);
  expect(relativeHalfWidth(values)).toBeCloseTo((t * standardError) / (mean(values) as number), 3);
});

test.each([
  [5, null],
  [6, [1, 6]],
  [8, [1, 8]],
  [9, [2, 8]],
  [10, [2, 9]],
  [20, [6, 15]],
])("with %i values the interval of the median is %j", (n, expected) => {
  expect(medianInterval(oneTo(n).reverse())).toEqual(expected);
});

test("a ratio in turns cancels the drift both share", () => {
  const drifting = [1, 1.5, 2, 4].map((drift) => [1.1 * drift, drift] as const);
  const { ratio, interval } = ratioInterval(drifting)!;
  expect(ratio).toBeCloseTo(1.1, 12);
  expect(interval![0]).toBeCloseTo(1.1, 9);
  expect(interval![1]).toBeCloseTo(1.1, 9);
});

test("a ratio turned round is its inverse, interval and all", () => {
  const pairs: [number, number][] = [
    [110, 100],
    [99, 101],
    [120, 97],
  ];
  const there = ratioInterval(pairs)!;
  const back = ratioInterval(pairs.map(([a, b]) => [b, a]))!;
  expect(1 / back.ratio).toBeCloseTo(there.ratio, 12);
  expect(1 / back.interval![1]).toBeCloseTo(there.interval![0], 12);
});

test("one pair gives a ratio without an interval, a pair with nothing gives none", () => {
  expect(ratioInterval([[3, 2]])).toEqual({ ratio: 1.5, interval: null });
  expect([ratioInterval([]), ratioInterval([[1, 0]])]).toEqual([null, null]);
});
