import { readFileSync } from "node:fs";
import { join } from "node:path";
import { csvColumns, csvReport } from "./csv-report";
import { exampleResult } from "@gatebench/core/testing";

const result = exampleResult();
const lines = csvReport(result, (type) =>
  type === "c7i.8xlarge" ? { usd: 1.428, source: "a list, dated", date: "2026-07-20" } : undefined,
)
  .trimEnd()
  .split("\r\n");

/** Values of a line; quotes hold commas and quotes (RFC 4180). */
const valuesOf = (line: string): readonly string[] =>
  [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .map(([, value = ""]) => value.replace(/^"|"$/g, "").replaceAll('""', '"'))
    .slice(0, csvColumns.length + 1);
const [head = [], ...rows] = lines.map(valuesOf);
const of = (id: string, name: string) => rows.find((row) => row[0] === id)?.[head.indexOf(name)];

test("each cell has a line with all its digits, in the order of the columns", () => {
  expect(head).toEqual([...csvColumns.map(({ name }) => name), "skipped"]);
  expect(rows).toHaveLength(result.cells.length + result.skipped.length);
  for (const cell of result.cells) {
    for (const [name, value] of [
      ["rps", cell.rps],
      ["p99_ms", cell.p99Ms],
      ["tls_tps", cell.tlsTps],
      ["rps_low", cell.intervals.rps?.[0] ?? null],
    ] as const)
      expect(of(cell.id, name)).toBe(String(value ?? ""));
    expect(of(cell.id, "rps_verdict")).toBe(cell.verdict.rps);
    expect(of(cell.id, "load")).toBe(JSON.stringify(cell.load));
  }
});

test("what is read against the path, and what it costs, is left out where it would say nothing", () => {
  expect(Number(of("wrk-plain/nginx", "rps_of_baseline"))).toBeCloseTo(36_439 / 101_989, 3);
  expect(of("wrk-plain/nginx", "added_p99_ms")).toBe("");
  expect(of("wrk-plain/wrong", "rps_of_baseline")).toBe("");
  expect(Number(of("k6-plain-500/nginx", "added_p99_ms"))).toBeCloseTo(0.55, 2);
  expect(of("wrk-keys-1/nginx", "price_source")).toBe("a list, dated, 2026-07-20");
  expect(of("wrk-plain/nginx", "usd_per_million")).toBe("");
});

test("a skipped cell has its reason, quoted as CSV is", () => {
  expect(lines.at(-1)).toMatch(
    /,envoy,.*"unsupported-policy: envoy cannot enforce jwt in scenario ""login"" <as asked>\."$/,
  );
});

test("every column is documented", () => {
  const documented = readFileSync(join(__dirname, "../../../../docs/report.md"), "utf8");
  for (const { name, about } of csvColumns)
    expect(documented).toMatch(
      new RegExp(`\\| \`${name}\` +\\| ${about.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")} +\\|`),
    );
});
