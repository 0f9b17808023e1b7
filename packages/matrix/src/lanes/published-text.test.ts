import { recordedCell } from "@gatebench/core/testing";
import { expand } from "../plan/expand";
import { testedMatrix } from "../plan/tested-matrix";
import { publishedText } from "./published-text";

const { cells } = expand(testedMatrix());
const [direct, nginx] = cells as [(typeof cells)[number], (typeof cells)[number]];
const published = {
  source: "somebody",
  figures: [
    { gateway: "direct", scenario: "plain", rps: 74_801, p99Ms: 0.5 },
    { gateway: "nginx", tlsTps: 6700, note: "on one CPU" },
  ],
};

test("ours stands beside what was published, and what was not measured is said", () => {
  const measured = [recordedCell({ id: direct.id, rps: 70_000, p99Ms: 0.6 })];
  expect(publishedText({ published, differsIn: ["the kernel", "the versions"] }, cells, measured)).toBe(
    [
      "published by somebody",
      "  direct plain: 74,801 RPS, P99 0.50 ms – ours: 70,000 RPS, P99 0.60 ms",
      "  nginx: 6,700 TLS TPS; on one CPU – ours: not measured",
      "  differs from the published test in: the kernel; the versions",
    ].join("\n"),
  );
});

test("a figure that several cells answer is answered by each", () => {
  const measured = [
    recordedCell({ id: nginx.id, rps: 10, p99Ms: 1 }),
    recordedCell({ id: direct.id, rps: 20, p99Ms: 2 }),
  ];
  const all = { source: "somebody", figures: [{ scenario: "plain", rps: 1 }] };
  expect(publishedText({ published: all }, cells, measured)).toContain(
    "ours: 10 RPS, P99 1.00 ms, or 20 RPS, P99 2.00 ms",
  );
});

test("where nothing was published nothing is said", () => {
  expect(publishedText({}, cells, [])).toBeUndefined();
});
