import type { Histogram } from "../contract";
import { mergeHistograms, percentileMs } from ".";

const histogram = (...counts: [number, number][]): Histogram => ({ unit: "us", counts });
const merged = (...histograms: Histogram[]): Histogram => mergeHistograms(histograms).histogram as Histogram;

test("the percentile of merged histograms is not the mean of their percentiles", () => {
  const quick = histogram([1_000, 9_900]);
  const slow = histogram([50_000, 100]);
  expect(percentileMs(quick, 99)).toBe(1);
  expect(percentileMs(slow, 99)).toBe(50);
  expect(percentileMs(merged(quick, slow), 99)).toBe(1);
  expect(percentileMs(merged(quick, slow), 99.5)).toBeCloseTo(50, 2);
});

test("merging adds counts of the same edge and keeps edges ascending", () => {
  expect(merged(histogram([300, 1], [900, 2]), histogram([100, 5], [300, 4]))).toEqual(
    histogram([100, 5], [300, 5], [900, 2]),
  );
});

test("merging does not depend on the order", () => {
  const parts = [histogram([10, 1]), histogram([20, 2], [30, 1]), histogram([10, 7])];
  expect(merged(...parts)).toEqual(merged(...parts.toReversed()));
});

test("percentiles are good to 0.01 % over six orders of magnitude, and never too short", () => {
  for (const edge of [7, 1_234, 99_999, 1_234_567, 59_999_999]) {
    const us = (percentileMs(histogram([1, 1], [edge, 9_999], [9e7, 1]), 99) as number) * 1000;
    expect(us).toBeGreaterThanOrEqual(edge);
    expect((us - edge) / edge).toBeLessThan(0.0001);
  }
  expect(percentileMs(histogram([1.2, 10]), 99)).toBe(0.002);
});

test("no percentile lies beyond the longest latency", () => {
  expect(percentileMs(histogram([59_999_999, 10]), 99)).toBe(59_999.999);
});

test("counts beyond what 32 bits hold are counted", () => {
  expect(percentileMs(histogram([5, 5e9], [1_000, 1e9]), 80)).toBe(0.005);
});

test("an empty histogram has no percentile", () => {
  expect(percentileMs(histogram(), 99)).toBeNull();
});

test("what is missing leaves no histogram, with the reason", () => {
  expect(mergeHistograms([])).toEqual({ histogram: null, reason: "there is no result to merge" });
  expect(mergeHistograms([histogram([1, 1]), undefined, undefined])).toEqual({
    histogram: null,
    reason: "2 of 3 results hold no histogram",
  });
});
