import type { Run } from "../contract";
import { cellFigures, sampleOf } from ".";
import { sampleResult, sampleRun } from "./sample-run";

const run = (rps: number, p99: number | null, deployment?: number): Run =>
  sampleRun({
    outcome: { result: sampleResult({ rps, latencyMs: { ...sampleResult().latencyMs, p99 } }) },
    ...(deployment === undefined ? {} : { deployment }),
  });

test("runs of one deployment are a value each", () => {
  expect(sampleOf([run(1, 9), run(2, 8)], "rps")).toEqual({ values: [1, 2], unit: "run" });
  expect(sampleOf([run(1, 9, 1), run(2, 8, 1)], "p99Ms")).toEqual({ values: [9, 8], unit: "run" });
});

const twice = [run(1, 9, 1), run(3, 5, 2), run(2, 8, 1), run(5, 4, 2), run(6, 1, 1), run(7, 6, 2)];

test("deployments are a value each: the mean of their rates, the median of their P99", () => {
  expect(sampleOf(twice, "rps")).toEqual({ values: [3, 5], unit: "deployment" });
  expect(sampleOf(twice, "p99Ms")).toEqual({ values: [8, 5], unit: "deployment" });
});

test("the cell's interval is that of its deployments, however many runs each had", () => {
  const { rps, intervals } = cellFigures(twice);
  expect(rps).toBe(4);
  expect(intervals.rps![1] - 4).toBeCloseTo(12.706, 3);
});

test("a figure one run does not state is nobody's", () => {
  expect(sampleOf([...twice, run(1, null, 2)], "p99Ms")).toEqual({ values: [], unit: "deployment" });
  expect(sampleOf([run(1, 2), run(1, null)], "p99Ms").values).toEqual([]);
});
