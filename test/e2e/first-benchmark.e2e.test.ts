import { resultOf } from "@gatebench/core";
import { direct, nginx } from "@gatebench/gateways";
import { benchProgram, leftBehind, openRig, plain } from "./rig";

jest.setTimeout(120_000);

test("a benchmark deploys, verifies, measures in rounds, states figures, and leaves nothing behind", async () => {
  const rig = await openRig("first");
  const { program, seen } = benchProgram({
    targets: { direct: { adapter: direct(), scenario: plain }, nginx: { adapter: nginx(), scenario: plain } },
  });
  await rig.up(program);
  expect(seen.runs.map(({ target }) => target).sort()).toEqual(["direct", "direct", "nginx", "nginx"]);
  expect(seen.runs.every((run) => (resultOf(run)?.responses ?? 0) > 1000)).toBe(true);
  expect(seen.cells.nginx?.rps).toBeGreaterThan(1000);
  expect(seen.cells.nginx?.baseline).toBe("bench/direct");
  expect(seen.summary).toMatch(/^direct \(plain\): \d+ rps \[indicative\]/);
  await rig.destroy();
  expect(leftBehind()).toEqual([]);
});
