/** What a report says, from results made by hand. */
import { warning, type Cell } from "@gatebench/core";
import { exampleResult, recordedCell, recordedResult } from "@gatebench/core/testing";
import type { Price } from "@gatebench/core/measure";
import { reportOf, type ReportOptions } from "./report-of";
import type { Section } from "./report";

const price: Price = { usd: 1.428, source: "a price list", date: "2026-07-20" };
const options: ReportOptions = { pricePerHour: (type) => (type === "c7i.8xlarge" ? price : undefined) };
const result = exampleResult();
const report = reportOf(result, options);
const chapter = (name: string, of = report) => of.sections.filter((section) => section.chapter === name);
const texts = ({ table }: Section): readonly string[] =>
  table.rows.map((row) => row.map(({ text }) => text).join(" | "));
const changed = (id: string, changes: (cell: Cell) => Partial<Cell>) =>
  recordedResult(result.cells.map((cell) => (cell.id === id ? { ...cell, ...changes(cell) } : cell)));
const invalid = ({ verdict }: Cell): Partial<Cell> => ({ verdict: { ...verdict, rps: "invalid", p99Ms: "invalid" } });

test("which gateway, how much, at what latency and how sure stand first", () => {
  const [glance] = report.sections;
  expect(glance?.title).toBe("At a glance");
  expect(texts(glance as Section).slice(0, 2)).toEqual([
    "plain: wrk, 32 connections, closed loop, 10s a run, local-4, 2 of 4 CPUs | haproxy and nginx, not told apart | 36,474 ± 0.5 % RPS | 6.02 (5.98–6.06), not ranked | 36 % | indicative",
    "plain: k6, 500/s, 10s a run, local-4, 2 of 4 CPUs | nginx | 500 ± 0.5 % RPS | 0.99 (0.98–1.00) | – | indicative",
  ]);
  expect(glance?.text[0]).toBe(
    "34 cells, 204 measured runs: 0 figures are sound, 69 indicative, 2 invalid. 1 more were skipped, as said below.",
  );
});

test("what cannot be told apart shares its places, and what is wrong has none", () => {
  const [load] = chapter("Under each load");
  const places = load?.table.rows.map(([place, gateway]) => [gateway?.text, place?.text]);
  expect(places).toEqual([
    ["direct", "–"],
    ["haproxy", "1–2"],
    ["nginx", "1–2"],
    ["envoy", "3"],
    ["wrong", "–"],
  ]);
  expect(
    load?.table.rows
      .at(-1)
      ?.filter(({ struck }) => struck)
      .map(({ text }) => text),
  ).toEqual(["987,489 ± 0.5 %", "0.11 (0.11–0.11)", "25.0"]);
});

test("nothing invalid is drawn", () => {
  const drawn = JSON.stringify(report.sections.map(({ chart }) => chart));
  expect(drawn).not.toContain("wrong");
  const without = reportOf(changed("wrk-keys-8/nginx", invalid));
  const [scaling] = chapter("Scaling over CPUs", without);
  expect(texts(scaling as Section).filter((row) => /^nginx \| 8 /.test(row))).toEqual([]);
  const rates = reportOf(changed("k6-plain-1000/nginx", invalid));
  expect(texts(chapter("P99 over the offered rate", rates)[0] as Section)[1]).toBe(
    "1,000 | – | 0.48 (0.48–0.48) | 2.67 (2.65–2.68)",
  );
});

test("at a fixed rate rows are ranked by their P99, and only where it is the same quantity", () => {
  const paced = chapter("Under each load").find(({ title }) => title.includes("(k6-plain-500)"));
  expect(paced?.chart).toMatchObject({ kind: "bars", measures: "P99 in ms at the offered rate (95 %)" });
  expect(paced?.table.rows.map(([place, gateway]) => [gateway?.text, place?.text])).toEqual([
    ["direct", "–"],
    ["nginx", "1"],
    ["envoy", "2"],
  ]);
  const otherBasis = changed("k6-plain-500/envoy", ({ runs }) => ({
    runs: runs.map((run) => {
      if (!("result" in run.outcome)) return run;
      const { latencyBasis } = run.outcome.result;
      const basis = { ...latencyBasis, omission: "intended-start" as const };
      return { ...run, outcome: { result: { ...run.outcome.result, latencyBasis: basis } } };
    }),
  }));
  const mixed = chapter("Under each load", reportOf(otherBasis)).find(({ title }) => title.includes("(k6-plain-500)"));
  expect(mixed?.chart).toBeUndefined();
  expect(mixed?.table.columns.map(({ name }) => name)).not.toContain("place");
  expect(chapter("P99 over the offered rate", reportOf(otherBasis))[0]?.table.columns.map(({ name }) => name)).toEqual([
    "offered/s",
    "nginx, P99 ms",
    "direct, P99 ms",
    "envoy, P99 ms",
  ]);
});

test("P99 over the offered rate has the path without a gateway beside it", () => {
  const [curve] = chapter("P99 over the offered rate");
  expect(curve?.title).toBe("P99 over the offered rate: plain, k6, local-4, 2 of 4 CPUs");
  expect(texts(curve as Section)).toEqual([
    "500 | 0.99 (0.98–1.00) | 0.44 (0.44–0.44) | 2.13 (2.12–2.15)",
    "1,000 | 1.08 (1.07–1.09) | 0.48 (0.48–0.48) | 2.67 (2.65–2.68)",
    "2,000 | 1.26 (1.25–1.27) | 0.56 (0.56–0.56) | 3.73 (3.71–3.76)",
    "4,000 | 1.62 (1.61–1.63) | 0.72 (0.72–0.72) | 5.86 (5.83–5.90)",
  ]);
});

test("steps of rising rates are one curve, though their cell's figures are of the last", () => {
  const [first] = result.cells.filter(({ id }) => id === "k6-plain-500/nginx");
  const rates = [500, 1000, 2000];
  const runs = rates.map((ratePerS, index) => ({
    ...(first as Cell).runs[0],
    order: index + 1,
    asked: { model: "open", ratePerS, maxInFlight: 100, duration: "10s" },
  })) as unknown as Cell["runs"];
  const stepped = recordedResult([{ ...(first as Cell), runs, baseline: null }]);
  const [curve] = chapter("P99 over the offered rate", reportOf(stepped));
  expect(texts(curve as Section).map((row) => row.split(" | ")[0])).toEqual(["500", "1,000", "2,000"]);
});

test("scaling has its law, its points and how far they are off", () => {
  const [scaling] = chapter("Scaling over CPUs");
  expect(scaling?.title).toBe("Requests per second over CPUs: key-auth, wrk");
  expect(scaling?.text[0]).toMatch(
    /^nginx: the Universal Scalability Law, fitted up to 32 CPUs: γ 4\d,\d{3}\/s on one CPU \(95 %: .*contention α 8\.0 %.*coherency β 0\.00080.*R² 1\.0/,
  );
  expect(scaling?.table.rows).toHaveLength(14);
  const lines = scaling?.chart?.kind === "lines" ? scaling.chart.lines : [];
  expect(lines.map(({ name, points, law }) => [name, points.length, law?.beyond])).toEqual([
    ["nginx", 7, []],
    ["envoy", 7, []],
  ]);
});

test("a law is fitted up to where it is told to, and the boundary is in the picture", () => {
  const limited = reportOf(result, { fitLimit: { cpus: 16, beyond: "hyper-threads" } });
  const [scaling] = chapter("Scaling over CPUs", limited);
  expect(scaling?.chart).toMatchObject({ boundary: { x: 16, text: "hyper-threads" } });
  expect(texts(scaling as Section).filter((row) => row.includes("not fitted"))).toHaveLength(4);
  expect(scaling?.text.at(-1)).toMatch(/^Beyond 16 CPUs the points are not fitted – hyper-threads\./);
});

test("what a gateway leaves of the path's rate has an interval; what it adds to the P99 is of an equal rate", () => {
  const [share, added] = chapter("Against the path without a gateway");
  expect(texts(share as Section)[0]).toMatch(/^haproxy \| 35\.8 % \(35\.\d % to 36\.\d %\) \| –$/);
  expect(texts(added as Section)).toEqual(["nginx | – | +0.55", "envoy | – | +1.69"]);
  expect(added?.chart).toMatchObject({ kind: "bars", measures: "ms more P99 than without a gateway" });
});

test("costs are of what has a price and could go as fast as it can", () => {
  const costs = chapter("Costs");
  expect(costs).toHaveLength(7);
  expect(texts(costs[0] as Section)[0]).toBe(
    "nginx key-auth | c7i.8xlarge, 1 of 32 CPUs | 44,993 ± 0.5 % | 1.4280 | 0.00882 | 31,507 | 1,042",
  );
  expect(costs[0]?.text[0]).toContain("Prices: a price list, 2026-07-20.");
  expect(chapter("Costs", reportOf(result))).toEqual([]);
});

test("without runs to compare nobody is ahead by more than their figures", () => {
  const alone = recordedResult([
    recordedCell({ id: "a", gateway: "a", baseline: null, runs: [], rps: 10 }),
    recordedCell({ id: "b", gateway: "b", baseline: null, runs: [], rps: 20 }),
  ]);
  expect(texts(reportOf(alone).sections[0] as Section)[0]).toContain("b, by figures that could not be compared");
});

test("a cell of which nothing is valid is no winner", () => {
  const wrong = recordedCell({
    verdict: {
      ...{ rps: "invalid", p99Ms: "invalid", tlsTps: null },
      warnings: [warning("no-runs", "invalid", ["rps"], { runs: 0 })],
    },
  });
  expect(texts(reportOf(recordedResult([wrong])).sections[0] as Section)[0]).toMatch(
    /none: no figure here is valid \| – \| – \| – \| invalid$/,
  );
});

test("an empty result has a report", () => {
  expect(reportOf(recordedResult([])).sections.map(({ title }) => title)).toEqual(["At a glance"]);
});
