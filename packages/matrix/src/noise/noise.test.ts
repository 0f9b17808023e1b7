import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resultOf, type Cell, type Load, type Result } from "@gatebench/core";
import { recordedCell, recordedResult, recordedRun } from "@gatebench/core/testing";
import { readBenchOptions, type BenchOptions } from "../bench-options";
import { compareResults } from "../compare/compare-results";
import { noiseNotes } from "../compare/noise-notes";
import { lookOf } from "../look";
import { noiseDefaults } from "./noise-command";
import { noiseOfRig, rigNoise, storedNoise, storeNoise } from "./noise-file";
import { planNoise } from "./noise-plan";
import { noiseText } from "./noise-text";

const folder = mkdtempSync(join(tmpdir(), "gatebench-noise-"));
afterAll(() => rmSync(folder, { recursive: true }));

const options = (given: Readonly<Record<string, unknown>> = {}) =>
  readBenchOptions(noiseDefaults(given)) as BenchOptions;
const figures = resultOf(recordedRun())!;
const cell = (rates: readonly number[], changes: Partial<Cell> = {}): Cell =>
  recordedCell({ runs: rates.map((rps) => recordedRun({ outcome: { result: { ...figures, rps } } })), ...changes });
/** Alternately one and the other is 2 % the faster. */
const alike = (changes: Partial<Cell> = {}): Result =>
  recordedResult([
    cell([102, 98, 102, 98, 102, 98], changes),
    cell([98, 102, 98, 102, 98, 102], { id: "bench/fake-again", ...changes }),
  ]);
const look = lookOf({ isTTY: false, columns: 1000 } as NodeJS.WriteStream, {});

test("one gateway is planned twice, and the path without one is not", async () => {
  const { benchmarks, protocol } = await planNoise(options());
  expect(benchmarks.map(({ targets }) => targets.map(({ name }) => name))).toEqual([["nginx", "nginx-again"]]);
  expect(protocol.maxRuns).toBe(21);
});

test("two gateways are not one", async () => {
  await expect(planNoise(options({ gateway: "nginx,envoy" }))).rejects.toThrow(
    "invalid-option: --gateway: noise is measured of one gateway at a time, not of 2; give one.",
  );
});

test("what can be told apart is said for five runs, and for more", () => {
  expect(noiseText(rigNoise(alike()), look).split("\n")).toEqual([
    "fake against itself: fake-load, plain, 32 connections, closed loop, 10s a run",
    "RPS: with 5 runs of 10s, differences of ± 7.4 % can be told between gateways measured in turns (10: ± 4.3 %, 20: ± 2.8 %), and of ± 4.7 % between two results.",
  ]);
});

test("two deployments that differ though they are the same are spoken of", () => {
  const result = recordedResult([cell([100, 101, 102, 101]), cell([110, 111, 113, 111])]);
  expect(noiseText(rigNoise(result), look)).toContain("RPS: the two differ, though they are the same");
});

test("latencies can be told apart where a rate was offered", () => {
  const load: Load = { model: "open", ratePerS: 500, maxInFlight: 32, duration: "10s" };
  expect(rigNoise(alike()).figures.map(({ figure }) => figure)).toEqual(["rps"]);
  expect(rigNoise(alike({ load })).figures.map(({ figure }) => figure)).toEqual(["rps", "p99Ms"]);
});

test("what is known of a rig is kept, in place of what was known before, and found again by machine and load", () => {
  const file = join(folder, "noise.json");
  const other = alike({ load: { model: "closed", connections: 64, duration: "10s" } });
  for (const result of [alike(), other, { ...alike(), startedAt: "2026-02-01T00:00:00.000Z" }])
    storeNoise(file, rigNoise(result));
  const known = storedNoise(file);
  expect(known).toHaveLength(2);
  expect(noiseOfRig(known, cell([1]), alike())?.at).toBe("2026-02-01T00:00:00.000Z");
  expect(noiseOfRig(known, cell([1]), { ...alike(), machine: { ...alike().machine, cpus: 8 } })).toBeUndefined();
  expect(storedNoise(join(folder, "gone.json"))).toEqual([]);
});

test("compare says what the rig was measured to tell, where both results are of that rig", () => {
  const [a, b] = [recordedResult([cell([100, 101, 99])]), recordedResult([cell([100, 102, 99])])];
  const compared = compareResults(a, b, { matters: 0.03, regression: 0 });
  const known = [rigNoise(alike())];
  expect(noiseNotes(compared, known, a, b)).toEqual([
    "as measured on 2026-01-01 with fake against itself, this rig tells ± 8.3 % of RPS with 3 runs each (fake-load, fake, 32 connections, closed loop, 10s a run).",
  ]);
  expect(noiseNotes(compared, known, a, { ...b, machine: { ...b.machine, cpu: "another" } })).toEqual([]);
});
