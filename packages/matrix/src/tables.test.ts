/** What people read: rows, tables, warnings and the report, made from a result by hand. */
import { warning, type Cell, type Verdict } from "@gatebench/core";
import { recordedCell, recordedResult } from "@gatebench/core/testing";
import { lookOf } from "./look";
import { markdownReport } from "./markdown-report";
import { groupsOf, rowOf, struckOut } from "./rows";
import { terminalTables } from "./terminal-tables";
import { warningNotes } from "./warning-notes";

const verdict = (changes: Partial<Verdict> = {}): Verdict => ({
  rps: "indicative",
  p99Ms: "indicative",
  tlsTps: null,
  warnings: [warning("few-runs", "indicative", ["rps"], { runs: 1, wanted: 5 })],
  ...changes,
});
const cell = (gateway: string, changes: Partial<Cell> = {}) =>
  recordedCell({
    ...{ id: `wrk-plain/${gateway}`, benchmark: "wrk-plain" },
    gateway,
    generator: "wrk",
    baseline: "wrk-plain/direct",
    verdict: verdict(),
    ...changes,
  });
const direct = cell("direct", {
  baseline: null,
  purpose: "ceiling",
  rps: 2000,
  cpuMicrosPerRequest: null,
  intervals: { rps: null, p99Ms: null, tlsTps: null },
});
const wrong = cell("wrong", {
  rps: 9_999_999,
  verdict: verdict({
    rps: "invalid",
    warnings: [
      ...verdict().warnings,
      warning("counts-disagree", "invalid", ["rps"], { between: "wrk and wrong", left: 10, right: 5, allowed: 1 }),
      warning("not-verified", "sound", ["rps"], { law: "its limit", reason: "too high" }),
    ],
  }),
});
const result = recordedResult(
  [
    direct,
    cell("slow", { rps: 500 }),
    wrong,
    cell("fast", { rps: 1234.5, intervals: { rps: [1172.8, 1296.2], p99Ms: null, tlsTps: null } }),
  ],
  {
    skipped: [{ gateway: "fast", scenario: "jwt", generator: "wrk", reason: "unsupported-policy: fast cannot." }],
  },
);
const [group] = groupsOf(result);

const plain = (columns = 100) => ({ ...lookOf({ isTTY: false, columns } as NodeJS.WriteStream, {}) });
const text = terminalTables(result, plain());

test("rows are ranked: the baseline, then the fastest first, what is wrong last", () => {
  expect(group?.cells.map(({ gateway }) => gateway)).toEqual(["direct", "fast", "slow", "wrong"]);
});

test("a row says its figures with their intervals, and what it is to its baseline", () => {
  expect(rowOf(group?.cells[1] as Cell, direct)).toEqual({
    gateway: "fast",
    scenario: "plain",
    rps: "1,235 ± 5.0 %",
    p99: "2.00",
    cpu: "25.0",
    difference: "−38 %",
    tlsTps: "–",
    verdict: "indicative",
  });
  expect(rowOf(direct, undefined)).toMatchObject({ rps: "2,000", cpu: "–", difference: "baseline" });
});

test("nothing is said against a figure that is wrong, and it is struck out", () => {
  expect(rowOf(wrong, direct)).toMatchObject({ difference: "–", verdict: "invalid" });
  expect(rowOf(cell("slow"), wrong).difference).toBe("–");
  expect(struckOut(wrong)).toEqual(["rps", "cpu"]);
  expect(text).toContain("(9,999,999 ± 0.0 %)");
});

/** From the line that a text begins with on. */
const from = (said: string, beginning: string) => said.slice(said.indexOf(`\n${beginning}`) + 1).split("\n");

test("the table stands after the commands by hand, which are long, its numbers aligned right", () => {
  expect(text).toMatch(/^by hand/);
  expect(from(text, "wrk, http").slice(0, 7)).toEqual([
    "wrk, http, connections kept, 32 connections, closed loop, 10s a run (wrk-plain)",
    "gateway  scenario           RPS (95 %)  P99 ms  CPU µs/req  vs direct  verdict   ",
    "direct   plain                   2,000    2.00           –   baseline  indicative",
    "fast     plain           1,235 ± 5.0 %    2.00        25.0      −38 %  indicative",
    "slow     plain             500 ± 2.0 %    2.00        25.0      −75 %  indicative",
    "wrong    plain     (9,999,999 ± 0.0 %)    2.00      (25.0)          –  invalid   ",
    "P99: closed loop, at saturation – it mirrors the number of connections and is not ranked",
  ]);
});

test("each thing is warned about once, the most serious first, and what holds for all said of all", () => {
  expect(warningNotes(result)).toEqual([
    {
      code: "counts-disagree",
      cap: "invalid",
      rows: "wrong",
      text: "wrk and wrong counted 10 and 5 requests; at most 1 can have been in flight. Something answers, drops or repeats requests unseen.",
    },
    { code: "few-runs", cap: "indicative", rows: undefined, text: "1 run (wanted 5); repeat more." },
  ]);
  expect(text.match(/few-runs/g)).toHaveLength(1);
  expect(text).toContain(
    "every row is at most indicative, because\n  few-runs             1 run (wanted 5); repeat more.",
  );
});

test("rows that share a warning are named while they are few, else by their table", () => {
  const busy = (fraction: number) =>
    verdict({ warnings: [warning("host-saturated", "indicative", ["rps"], { cpuFraction: fraction })] });
  const other = (name: string) =>
    cell(name, { id: `hey-plain/${name}`, benchmark: "hey-plain", generator: "hey", verdict: verdict() });
  const cells = [cell("a", { verdict: busy(0.9) }), cell("b", { verdict: busy(1) }), other("c"), other("d")];
  const notes = warningNotes(recordedResult(cells));
  expect(notes.map(({ code, rows }) => [code, rows])).toEqual([
    ["host-saturated", "all of wrk-plain"],
    ["few-runs", "all of hey-plain"],
  ]);
  expect(notes[0]?.text).toMatch(/^for example, the shared machine was 100.0 % busy/);
  const some = warningNotes(recordedResult([cell("a", { verdict: busy(1) }), cell("b"), other("c")]));
  expect(some.map(({ rows }) => rows)).toEqual(["a by wrk", "b by wrk, c by hey"]);
});

test("gaps are shown", () => {
  expect(text).toContain("not measured\n  fast, jwt, wrk: unsupported-policy: fast cannot.");
});

test("every row has the command that repeats it", () => {
  expect(text.match(/^ {2}fake-load -c32 /gm)).toHaveLength(4);
  expect(text).toContain("  # wrk-plain: fast\n  fake-load -c32 http://127.0.0.1:8001/route-1/");
});

test("no line is wider than the terminal, and a file has no colours", () => {
  for (const width of [90, 100])
    for (const line of terminalTables(result, plain(width)).split("\n")) expect(line.length).toBeLessThanOrEqual(width);
  expect(text).not.toContain("\u001b");
  const coloured = lookOf({ isTTY: true, columns: 100 } as NodeJS.WriteStream, { TERM: "xterm" });
  expect(terminalTables(result, coloured)).toContain("\u001b[9m");
});

test("tables of TLS transactions are about these", () => {
  const tls = cell("fast", {
    tlsTps: 750,
    load: { model: "closed", connections: 32, duration: "10s", connection: "per-request" },
    scenarioAsked: { name: "tls-transactions", scheme: "https" },
    verdict: verdict({ tlsTps: "indicative" }),
  });
  const said = terminalTables(recordedResult([tls]), plain());
  const [title, head] = from(said, "wrk, https");
  expect(title).toMatch(/^wrk, https, a new connection for each request, /);
  expect(head).toMatch(/TLS TPS \(95 %\)/);
  expect(head).not.toMatch(/RPS/);
});

test("a P99 at a fixed rate is labelled so", () => {
  const paced = cell("fast", { load: { model: "closed", connections: 4, pacePerConnection: 100, duration: "10s" } });
  expect(terminalTables(recordedResult([paced]), plain())).toContain("P99: at the offered rate");
});

describe("the report", () => {
  const report = markdownReport(result);

  test("has a table of all figures, the wrong ones struck out", () => {
    expect(report).toContain("| gateway | scenario | RPS (95 %) | P99 ms | CPU µs/req | vs direct | verdict |");
    expect(report).toContain("| --- | --- | ---: |");
    expect(report).toContain(
      "| wrong | plain | ~~9,999,999 ± 0.0 %~~ | 2.00 | ~~25.0~~ | – | RPS invalid, P99 indicative |",
    );
  });

  test("says what to know, what is missing, and how to repeat each row", () => {
    expect(report).toContain("- **counts-disagree** (invalid; wrong): wrk and wrong counted");
    expect(report).toContain("- **few-runs** (indicative; every row): 1 run (wanted 5); repeat more.");
    expect(report).toContain("## Not measured\n\n- fast, jwt, wrk: unsupported-policy: fast cannot.");
    expect(report).toContain("# wrk-plain: fast\nfake-load -c32 http://127.0.0.1:8001/route-1/");
  });
});
