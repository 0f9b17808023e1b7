import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { identify as Identify } from "@gatebench/core/local";
import type { Removal } from "./leftover";
import type * as LocalSweep from "./local-sweep";

const state = mkdtempSync(join(tmpdir(), "gatebench-sweep-"));
const places = join(state, "gatebench", "places");
let localSweep: typeof LocalSweep.localSweep;
let identify: typeof Identify;
let running: ChildProcess;

beforeAll(async () => {
  // Where the state lies is read once, when the module is loaded.
  process.env.XDG_STATE_HOME = state;
  ({ localSweep } = jest.requireActual<typeof LocalSweep>("./local-sweep"));
  ({ identify } = await import("@gatebench/core/local"));
  running = spawn("sleep", ["60"]);
  await once(running, "spawn");
});
afterAll(() => {
  running.kill();
  rmSync(state, { recursive: true });
});
afterEach(() => rmSync(places, { recursive: true, force: true }));

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

/** A place in which a process is on record, and nothing was written for so long. */
function place(name: string, process: { pid: number; startTicks: number }, quietHours = 3): void {
  const workload = join(places, name, "workloads", "gateway");
  mkdirSync(workload, { recursive: true });
  writeFileSync(join(workload, "process.json"), JSON.stringify(process));
  const touched = hoursAgo(quietHours);
  for (const path of [join(workload, "process.json"), workload, join(workload, ".."), join(places, name)])
    utimesSync(path, touched, touched);
}
const alive = () => identify(running.pid as number);
/** The number of a process that runs, at another start: its owner is dead. */
const dead = () => ({ ...alive(), startTicks: alive().startTicks - 1 });

async function removed(): Promise<readonly Removal[]> {
  const { groups, remove } = localSweep();
  const removals: Removal[] = [];
  await remove(
    groups.filter(({ inUse }) => inUse === undefined),
    (removal) => void removals.push(removal),
  );
  return removals;
}

test("a machine on which nothing ever ran has nothing left", () => expect(localSweep().groups).toEqual([]));

test("a place in which nothing runs any more was left behind, as old as its newest file", () => {
  place("bench-local-1", dead());
  const [group, ...none] = localSweep().groups;
  expect(none).toEqual([]);
  expect(group).toMatchObject({ name: "bench-local-1", where: "this machine", inUse: undefined });
  const since = group?.items[0]?.since as Date;
  expect(Math.abs(since.getTime() - hoursAgo(3).getTime())).toBeLessThan(5000);
});

test("one in which anything runs is left alone, however old", async () => {
  place("bench-local-1", alive(), 500);
  expect(localSweep().groups[0]?.inUse).toBe("1 process runs; take it down where it was started");
  expect(await removed()).toEqual([]);
  expect(readdirSync(places)).toEqual(["bench-local-1"]);
  expect(running.exitCode).toBeNull();
});

test("one that was written to just now is left alone: it may be about to start something", async () => {
  place("bench-local-1", dead(), 0.1);
  expect(localSweep().groups[0]?.inUse).toBe("something was written less than 10 minutes ago");
  expect(await removed()).toEqual([]);
});

test("what was left behind is removed, and nothing else", async () => {
  place("dead", dead());
  place("alive", alive());
  expect((await removed()).map(({ item, failure }) => [item.id, failure])).toEqual([["dead", undefined]]);
  expect(readdirSync(places)).toEqual(["alive"]);
});

test("one in which something was started meanwhile is left as it is", async () => {
  place("bench-local-1", dead());
  const { groups, remove } = localSweep();
  place("bench-local-1", alive());
  const removals: Removal[] = [];
  await remove(groups, (removal) => void removals.push(removal));
  expect(removals.map(({ failure }) => failure)).toEqual(["by now something runs in it"]);
  expect(existsSync(join(places, "bench-local-1", "workloads", "gateway", "process.json"))).toBe(true);
});
