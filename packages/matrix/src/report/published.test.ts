/** What NGINX published, given as data. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { faultsBehind, lineOf, resultSchema } from "@gatebench/core";
import { recordedResult } from "@gatebench/core/testing";
import { chartFiles } from "./charts/chart-file";
import { readResult } from "./read-result";
import { reported } from "./report-command";
import { reportOf } from "./report-of";

const repository = join(__dirname, "../../../..");
const file = join(repository, "examples/published/nginx-ingress.yaml");
const { result, options } = readResult(file);
const report = reportOf(result, options);

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "gatebench-report-"))));
afterEach(() => rmSync(folder, { recursive: true }));

/** instance, CPUs, RPS, TLS TPS, monthly cost: the published table. */
const table = [
  ["c5n.large", 1, 45_000, 6_700, 100],
  ["c5n.large", 2, 80_000, 12_600, 100],
  ["c5n.xlarge", 4, 135_000, 23_000, 200],
  ["c5n.2xlarge", 8, 175_000, 40_000, 400],
  ["c5n.4xlarge", 16, 237_000, 68_500, 795],
  ["c5n.9xlarge", 32, 290_000, 88_800, 1790],
  ["c5n.9xlarge", 36, 300_000, 92_800, 1790],
] as const;

const rowsOf = (chapter: string) =>
  report.sections
    .filter((section) => section.chapter === chapter)
    .map((section) => section.table.rows.map((row) => row.map(({ text }) => text)));

test("its figures are the published ones, as a result of which nothing was measured", () => {
  expect(resultSchema.parse(result)).toEqual(result);
  expect(result.cells.map(({ rps, tlsTps, size }) => [size.instanceType, size.cpus, rps, tlsTps])).toEqual(
    table.flatMap(([type, cpus, rps, tlsTps]) => [
      [type, cpus, rps, null],
      [type, cpus, null, tlsTps],
    ]),
  );
  for (const { verdict } of result.cells) expect(verdict.warnings.map(({ code }) => code)).toEqual(["published"]);
  expect(report.notes.map(({ code, rows }) => [code, rows])).toEqual([["published", undefined]]);
  expect(report.about[0]).toContain("Nothing here was measured by gatebench.");
});

test("the report has its numbers, its curves and its costs", () => {
  const [requests = [], handshakes = []] = rowsOf("Scaling over CPUs");
  const figures = (rows: readonly (readonly string[])[]) => rows.map(([, cpus, figure]) => [cpus, figure]);
  const wanted = (index: 2 | 3) => table.map((row) => [String(row[1]), row[index].toLocaleString("en-US")]);
  expect(figures(requests)).toEqual(wanted(2));
  expect(figures(handshakes)).toEqual(wanted(3));
  const [costs = []] = rowsOf("Costs");
  expect(costs.map((row) => row.at(-1)).toReversed()).toEqual(table.map((row) => row[4].toLocaleString("en-US")));
  // 290,000 a second for $ 1790 a month of 730 hours.
  expect(costs[1]?.slice(3, 6)).toEqual(["2.4521", "0.00235", "118,268"]);
});

test("its law is fitted up to 16 CPUs, and the boundary of the hyper-threads is marked", () => {
  const [scaling] = report.sections.filter(({ chapter }) => chapter === "Scaling over CPUs");
  expect(scaling?.text[0]).toMatch(
    /Amdahl's law, fitted up to 16 CPUs: γ 45,845\/s on one CPU .* contention α 14\.3 %/,
  );
  expect(scaling?.chart).toMatchObject({ boundary: { x: 16, text: "hyper-threads share the 18 cores" } });
  const [line] = scaling?.chart?.kind === "lines" ? scaling.chart.lines : [];
  expect(line?.law?.fitted.at(-1)?.x).toBe(16);
  expect(line?.law?.beyond.at(-1)?.x).toBe(32);
});

test("the picture in the README is the one this draws", () => {
  const [, drawn] = chartFiles(report)[0] ?? [];
  expect(readFileSync(join(repository, "docs/nginx-ingress-scaling.svg"), "utf8")).toBe(drawn);
});

test("the command writes what it is asked for, where it is asked to", () => {
  expect(reported(file, { out: folder }).map((path) => path.replace(folder, ""))).toEqual([
    "/report.html",
    "/report.md",
    "/report.csv",
  ]);
  reported(file, { svg: true, out: join(folder, "charts") });
  expect(readdirSync(join(folder, "charts"))).toEqual([
    "chart-01-scaling-over-cpus.svg",
    "chart-02-scaling-over-cpus.svg",
  ]);
  writeFileSync(join(folder, "result.json"), JSON.stringify(recordedResult()));
  expect(reported(folder, { md: true })).toEqual([join(folder, "report.md")]);
});

const said = (act: () => unknown): readonly string[] => {
  try {
    act();
  } catch (error) {
    return (faultsBehind(error) ?? []).map(lineOf);
  }
  return [];
};

test("what cannot be read or written is said in one line", () => {
  const advice = "Give a results folder, its result.json, or a file of gatebench/published/v1.";
  const at = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  expect(said(() => readResult(folder))).toEqual([
    `unreadable-result: "${join(folder, "result.json")}" cannot be read as a result (ENOENT). ${advice}`,
  ]);
  expect(said(() => readResult(at("a.json", "{")))[0]).toMatch(
    /^unreadable-result: .*a\.json" cannot be read as a result \(.*JSON/,
  );
  expect(said(() => readResult(at("b.json", "{}")))[0]).toMatch(/\(schema: Invalid input/);
  expect(said(() => readResult(at("c.yaml", "format: gatebench/published/v1\nby: somebody")))[0]).toMatch(
    /c\.yaml" cannot be read as a result \(source: /,
  );
  expect(said(() => reported(file, { out: join(at("file", ""), "below") }))[0]).toMatch(
    /^results-folder: .* cannot be written \((ENOTDIR|EEXIST)\)/,
  );
  expect(said(() => reported(file, { fitUpTo: "many", out: folder }))).toEqual([
    'invalid-option: --fit-up-to: "many" is not a whole number from 1 to 10000.',
  ]);
});
