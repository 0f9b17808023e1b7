import { added, readBefore, total, used, type Readings } from "./harness-usage";

const readings = (...all: readonly [pid: number, part: string, cpuS: number, endedS: number][]): Readings =>
  new Map(all.map(([pid, part, cpuS, endedS]) => [pid, { part, cpuS, endedS }]));

test("what was used is the difference, by part", () => {
  const before = readings([1, "runner", 2, 0.5], [2, "sampler", 1, 0], [3, "sampler", 1, 0]);
  const after = readings([1, "runner", 2.25, 0.5], [2, "sampler", 1.5, 0], [3, "sampler", 1.25, 0]);
  expect(used(before, after)).toEqual({ runner: 0.25, sampler: 0.75 });
});

test("a newcomer counts whole, an ended child through its parent", () => {
  const before = readings([1, "engine", 2, 0.5]);
  expect(used(before, readings([1, "engine", 2, 0.75], [4, "node", 0.5, 0]))).toEqual({ engine: 0.25, node: 0.5 });
});

test("the supervisor's ended child is the tool, which is not ours", () => {
  expect(used(readings([1, "supervisor", 2, 0]), readings([1, "supervisor", 2.125, 9]))).toEqual({ supervisor: 0.125 });
});

test("parts add up", () => {
  const sum = added([
    { runner: 1, sampler: 2 },
    { runner: 0.5, engine: 1 },
  ]);
  expect(sum).toEqual({ runner: 1.5, sampler: 2, engine: 1 });
  expect(total(sum)).toBe(4.5);
});

test("work of this process shows in its reading", () => {
  const before = readBefore("nowhere", 0);
  const begun = process.cpuUsage();
  const microsUsed = () => Object.values(process.cpuUsage(begun)).reduce((sum, part) => sum + part, 0);
  while (microsUsed() < 60_000);
  const after = readBefore("nowhere", 0);
  expect(used(before, after).runner).toBeGreaterThan(0.03);
});
