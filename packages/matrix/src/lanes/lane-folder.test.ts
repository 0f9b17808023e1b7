import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordedRun } from "@gatebench/core/testing";
import { LaneFolder } from "./lane-folder";

const parent = mkdtempSync(join(tmpdir(), "gatebench-lane-"));
afterAll(() => rmSync(parent, { recursive: true }));
let folders = 0;
const opened = () => new LaneFolder(join(parent, String(++folders)));
const runsIn = ({ path }: LaneFolder) => readFileSync(join(path, "runs.jsonl"), "utf8").trim().split("\n");
const run = recordedRun({ id: "one", artifacts: [] });

test("a run is kept once, however often it is met", () => {
  const lane = opened();
  for (const folder of [() => lane, () => lane, () => new LaneFolder(lane.path)])
    folder().keepRun("cell", "wrk-plain", run);
  expect(runsIn(lane)).toHaveLength(1);
});

test("half a line that a kill left is taken away, and its run kept when it is met again", () => {
  const lane = opened();
  lane.keepRun("cell", "wrk-plain", run);
  appendFileSync(join(lane.path, "runs.jsonl"), '{"cell":"cell","id":"tw');
  const again = new LaneFolder(lane.path);
  expect([again.isKept("cell", run), again.isKept("cell", { id: "two" })]).toEqual([true, false]);
  again.keepRun("cell", "wrk-plain", { ...run, id: "two" });
  expect(runsIn(again).map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(["one", "two"]);
});

test("a pass that was killed is gone on with, whatever is left by now", () => {
  const lane = opened();
  const { runId } = lane.beginPass(["a", "b"]);
  expect(new LaneFolder(lane.path).beginPass(["b"])).toEqual({ number: 1, runId, cells: ["a", "b"], ended: false });
});

test("after one that ended, the next is another life", () => {
  const lane = opened();
  const first = lane.beginPass(["a"]);
  lane.beginDeployment(2);
  lane.endPass();
  const next = lane.beginPass(["b"]);
  expect(next).toMatchObject({ number: 2, cells: ["b"], ended: false });
  expect(next.deployment).toBeUndefined();
  expect(Date.parse(next.runId)).toBeGreaterThanOrEqual(Date.parse(first.runId));
});
