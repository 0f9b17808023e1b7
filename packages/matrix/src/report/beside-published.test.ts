import type { Cell, Published } from "@gatebench/core";
import { recordedCell, recordedResult } from "@gatebench/core/testing";
import { publishedSections, publishedText } from "./beside-published";

const published: Published = {
  source: "somebody",
  differsIn: ["the kernel", "the versions"],
  figures: [
    { name: "direct plain", cells: ["direct"], rps: 74_801, p99Ms: 0.5 },
    { name: "nginx", cells: ["nginx"], tlsTps: 6700, meanMs: 2, note: "on one CPU" },
  ],
};
const withCells = (cells: readonly Cell[], told = published) => ({ ...recordedResult([...cells]), published: told });
const direct = recordedCell({ id: "direct", rps: 70_000, p99Ms: 0.6 });

test("ours stands beside what was published, and what was not measured is said", () => {
  expect(publishedText(withCells([direct]))).toBe(
    [
      "published by somebody",
      "  direct plain: 74,801 RPS, P99 0.50 ms – ours: 70,000 RPS, P99 0.60 ms",
      "  nginx: 6,700 TLS TPS, mean 2.00 ms; on one CPU – ours: not measured",
      "  differs from the published test in: the kernel; the versions",
    ].join("\n"),
  );
});

test("a figure that several cells answer is answered by each", () => {
  const all = { ...published, figures: [{ name: "plain", cells: ["direct", "nginx"], rps: 1 }] };
  const nginx = recordedCell({ id: "nginx", rps: 20, p99Ms: 2 });
  expect(publishedText(withCells([direct, nginx], all))).toContain(
    "ours: 70,000 RPS, P99 0.60 ms, or 20 RPS, P99 2.00 ms",
  );
});

test("what is wrong is not held against what was published", () => {
  const wrong = { ...direct, verdict: { ...direct.verdict, rps: "invalid" as const, p99Ms: "invalid" as const } };
  expect(publishedText(withCells([wrong]))).toContain("ours: invalid");
});

test("a report has it as a table", () => {
  const [section] = publishedSections(withCells([direct]));
  expect(section?.title).toBe("Published by somebody");
  expect(section?.text).toEqual(["Ours differs from the published test in: the kernel; the versions."]);
  expect(section?.table.rows.map((row) => row.map(({ text }) => text))).toEqual([
    ["direct plain", "74,801 RPS, P99 0.50 ms", "70,000 RPS, P99 0.60 ms"],
    ["nginx", "6,700 TLS TPS, mean 2.00 ms; on one CPU", "not measured"],
  ]);
});

test("where nothing was published nothing is said", () => {
  expect(publishedText(recordedResult([direct]))).toBeUndefined();
  expect(publishedSections(recordedResult([direct]))).toEqual([]);
});
