import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resultOf, type Cell, type Load, type Run } from "@gatebench/core";
import { recordedCell, recordedResult, recordedRun } from "@gatebench/core/testing";
import { lookOf } from "../look";
import { answerOf, compareResults } from "./compare-results";
import { compareMarkdown, compareTable } from "./compare-tables";
import { readResult } from "../report/read-result";

const open: Load = { model: "open", ratePerS: 500, maxInFlight: 32, duration: "10s" };
const figures = resultOf(recordedRun())!;

const run = (rps: number, p99: number, load: Load): Run =>
  recordedRun({ asked: load, outcome: { result: { ...figures, rps, latencyMs: { ...figures.latencyMs, p99 } } } });
/** A cell of five runs that differ by about 1 %. */
const cell = (gateway: string, rps: number, changes: Partial<Cell> = {}, p99 = 2): Cell =>
  recordedCell({
    ...{ id: `bench/${gateway}`, gateway, rps, p99Ms: p99 },
    runs: [0.99, 1, 1.01, 1.005, 0.995].map((by) => run(by * rps, by * p99, changes.load ?? recordedCell().load)),
    ...changes,
  });
const path = (rps: number) => cell("direct", rps, { baseline: null, purpose: "ceiling" });
const asked = { matters: 0.03, regression: 0 };
const against = (a: readonly Cell[], b: readonly Cell[], options = asked) =>
  compareResults(recordedResult(a), recordedResult(b), options);
const findings = (compared: ReturnType<typeof against>) =>
  compared.cells.map(({ a, figures: all }) => [a.gateway, ...all.map((one) => one.comparison?.finding ?? one.reason)]);

const closedLoop = "a closed load without a rate: P99 ranks only at equal offered rate";

test("cells are compared with their partners, whatever their order", () => {
  const compared = against(
    [path(2000), cell("fast", 1000), cell("slow", 500)],
    [cell("slow", 500), cell("fast", 900), path(2000)],
  );
  expect(findings(compared)).toEqual([
    ["direct", "not-distinguishable", closedLoop],
    ["fast", "lower", closedLoop],
    ["slow", "not-distinguishable", closedLoop],
  ]);
  expect(answerOf(compared)).toBe("regression");
});

test("where a gateway was measured under two names, each has a partner of its own", () => {
  const twice = [cell("one", 1000), cell("one", 1010, { id: "bench/one-again" })];
  const compared = against(twice, twice);
  expect(compared.cells.map(({ a, b }) => [a.id, b.id])).toEqual([
    ["bench/one", "bench/one"],
    ["bench/one-again", "bench/one-again"],
  ]);
  expect([compared.onlyA, compared.onlyB]).toEqual([[], []]);
});

test("at an offered rate latencies are compared, and more of them is worse", () => {
  const [before, after] = [cell("one", 500, { load: open }), cell("one", 500, { load: open }, 2.2)];
  expect(findings(against([before], [after]))).toEqual([["one", "not-distinguishable", "higher"]]);
  expect(answerOf(against([before], [after]))).toBe("regression");
  expect(answerOf(against([after], [before]))).toBe("no-regression");
});

test("a found difference is a regression from so much on", () => {
  const [before, after] = [[cell("one", 1000)], [cell("one", 950)]];
  expect(answerOf(against(before, after, { matters: 0.03, regression: 0.04 }))).toBe("regression");
  expect(answerOf(against(before, after, { matters: 0.06, regression: 0.06 }))).toBe("no-regression");
});

test("where one that matters could have been missed, the answer is a word of its own, with the runs that would tell", () => {
  const compared = against([cell("one", 1000)], [cell("one", 1001)], { matters: 0.01, regression: 0 });
  expect(answerOf(compared)).toBe("cannot-tell");
  expect(compareMarkdown(compared, [])).toContain("this rig cannot tell; 12 runs would");
});

test("the path without a gateway is no gateway's regression: it says that the machine changed", () => {
  const compared = against([path(2000), cell("one", 1000)], [path(1800), cell("one", 1000)]);
  expect(answerOf(compared)).toBe("no-regression");
  expect(compareTable(compared, [], lookOf({ isTTY: false, columns: 1000 } as NodeJS.WriteStream, {}))).toContain(
    "the path without a gateway is itself lower in RPS (−10.0 % (−11.0 % to −9.0 %)): the machine changed between A and B",
  );
});

test("a figure that is not compared is no row, and its reason is said once", () => {
  const text = compareMarkdown(against([path(2000), cell("one", 1000)], [path(2000), cell("one", 1000)]), []);
  expect(text).not.toContain("P99 ms |");
  expect(text).toContain(`- P99 ms not compared: ${closedLoop} (direct, one).`);
});

test("what is invalid is not compared, and no word of praise", () => {
  const wrong = cell("one", 1000, { verdict: { ...recordedCell().verdict, rps: "invalid" } });
  expect(findings(against([cell("one", 1000)], [wrong]))).toEqual([["one", "invalid in B", closedLoop]]);
  expect(answerOf(against([cell("one", 1000)], [wrong]))).toBe("cannot-tell");
});

test("cells without a partner are named", () => {
  const compared = against([cell("one", 1000), cell("old", 1)], [cell("one", 1000), cell("new", 1)]);
  expect([compared.onlyA, compared.onlyB].flat().map(({ gateway }) => gateway)).toEqual(["old", "new"]);
  expect(compareMarkdown(compared, [])).toContain("- only in A: old by fake-load.\n- only in B: new by fake-load.");
});

test("another load, scenario or generator under the same name is refused, one line each", () => {
  const before = [cell("one", 1), cell("two", 1), cell("three", 1)];
  const after = [
    cell("one", 1, { load: { ...recordedCell().load, connections: 64 } as Load }),
    cell("two", 1, { scenarioAsked: { name: "plain", routes: 2 } }),
    cell("three", 1, { generator: "other" }),
  ];
  expect(() => against(before, after)).toThrow(
    [
      "not-comparable: one by fake-load: load differs in A and B (32 connections, closed loop, 10s a run, keep-alive; 64 connections, closed loop, 10s a run, keep-alive), so that their figures are of different things. Measure both alike.",
      'not-comparable: two by fake-load: scenario differs in A and B ({"name":"plain"}; {"name":"plain","routes":2}), so that their figures are of different things. Measure both alike.',
      "not-comparable: three by fake-load: generator differs in A and B (fake-load; other), so that their figures are of different things. Measure both alike.",
    ].join("\n"),
  );
});

test("latencies that are made of something else are refused", () => {
  const latencyBasis = { ...figures.latencyBasis, population: "2xx" as const };
  const after = cell("one", 1000);
  const other = {
    ...after,
    runs: after.runs.map((one) => ({ ...one, outcome: { result: { ...figures, latencyBasis } } })),
  };
  expect(() => against([cell("one", 1000)], [other])).toThrow(
    /^not-comparable: one by fake-load: what a latency is made of \(latencyBasis\) differs in A and B/,
  );
});

test("nothing in common is a fault", () => {
  expect(() => against([cell("one", 1)], [cell("two", 1)])).toThrow(/^not-comparable: A and B have no cell in common/);
});

describe("a stored result", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatebench-compare-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("is read from its file or its folder", () => {
    const file = join(folder, "result.json");
    writeFileSync(file, JSON.stringify(recordedResult([cell("one", 1000)])));
    expect(readResult(file).result).toEqual(readResult(folder).result);
    expect(readResult(file).result.cells[0]?.gateway).toBe("one");
  });

  test("that is none is a fault of one line", () => {
    const file = join(folder, "other.json");
    writeFileSync(file, "{}");
    for (const wrong of [file, join(folder, "gone.json")])
      expect(() => readResult(wrong)).toThrow(
        /^unreadable-result: ".*" cannot be read as a result \(.*\)\. Give a results folder.*$/,
      );
  });
});
