/** Locust shared among hosts: its counts are the server's, and a worker that is lost is told of. */
import { setTimeout as sleep } from "node:timers/promises";
import { describeWarning, resultOf, type Load, type LoadResult, type Run } from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import { locust } from "@gatebench/generators";
import { benchProgram, leftBehind, openRig, type Rig, type Seen } from "./rig";
import { pidsIn, processesOf, until } from "./tools";

jest.setTimeout(180_000);

const users = 20;
const load: Load = { model: "users", users, spawnPerS: 100, think: { min: "5ms", max: "20ms" }, duration: "4s" };
const protocol = (runs: number) => repeat({ runs, warmUp: false, coolDown: "0s" });
const bench = { generator: locust(), load, workers: 2 };

const state = process.env.XDG_STATE_HOME as string;
const coordinators = () => pidsIn(state, /locust .*--master /);
const workers = () => pidsIn(state, /python\S* \S*locust .*--worker /);

let rig: Rig;
beforeEach(async () => void (rig = await openRig("distributed")));
afterEach(async () => {
  await rig.destroy();
  expect(leftBehind()).toEqual([]);
  expect(processesOf(state)).toEqual([]);
});

const runsOf = ({ runs }: Seen): readonly (readonly [Run, LoadResult])[] =>
  runs.map((run) => [run, resultOf(run) ?? fail(run)] as const);

function fail({ outcome }: Run): never {
  throw new Error(JSON.stringify(outcome));
}

test("two workers on two hosts give the counts of the server, run after run", async () => {
  const { program, seen } = benchProgram({ ...bench, protocol: protocol(2) });
  await rig.up(program);
  expect(seen.runs).toHaveLength(2);
  for (const [run, result] of runsOf(seen)) {
    expect(result.processes).toEqual({ asked: 2, reported: 2 });
    expect(result.responses).toBeGreaterThan(1000);
    expect(Math.abs(result.responses - (run.counters?.upstream?.requests ?? NaN))).toBeLessThanOrEqual(users);
    expect(result.histogram?.counts.reduce((sum, [, count]) => sum + count, 0)).toBe(result.responses);
    expect(run.warnings.filter(({ cap }) => cap === "invalid")).toEqual([]);
    expect(run.hosts[0]?.workloads.filter(({ name }) => name.includes("worker")).map(({ role }) => role)).toEqual([
      ...["generator", "generator"],
    ]);
  }
});

test("a worker that is stopped in the middle of a run is told of, not averaged away", async () => {
  const { program, seen } = benchProgram({ ...bench, load: { ...load, duration: "8s" }, protocol: protocol(1) });
  const up = rig.up(program);
  await until(() => coordinators().length > 0, 60);
  await sleep(4000);
  process.kill(workers()[0] as number, "SIGKILL");
  await up;
  const [[run, result]] = runsOf(seen) as [readonly [Run, LoadResult]];
  expect(result.processes?.reported).toBeLessThan(result.processes?.asked ?? 0);
  expect(run.warnings.map(describeWarning).join("\n")).toContain(
    "1 of 2 processes of the generator reported to the end",
  );
  expect(seen.cells.direct?.verdict.rps).toBe("invalid");
});
