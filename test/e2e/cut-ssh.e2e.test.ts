/**
 * A benchmark over SSH whose connections are cut and whose engine is killed at any moment. GATEBENCH_CUTS=full: 30 cuts
 * and 20 kills, some 20 minutes.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Load, Run } from "@gatebench/core";
import { randomFrom, repeat } from "@gatebench/core/measure";
import { nginx } from "@gatebench/gateways";
import { wrk } from "@gatebench/generators";
import { benchProgram, openRig, plain, type Rig } from "./rig";
import { openMachines, type Role, type SshMachines } from "./ssh-machines";
import { enginePid, noted } from "./tools";

jest.setTimeout(3_600_000);

const full = process.env.GATEBENCH_CUTS === "full";
const [cuts, kills] = full ? [30, 20] : [2, 1];
const seed = Number(process.env.GATEBENCH_SEED ?? 1);
const next = randomFrom(seed);

let ssh: SshMachines;
let rig: Rig;
let upMs = 0;

beforeAll(async () => {
  ssh = await openMachines();
  rig = await openRig("cut");
});
afterAll(async () => {
  await rig.destroy().finally(() => ssh.twin.destroy());
});

const connections = 8;
const runs = 2;
const bench = {
  targets: { nginx: { adapter: nginx(), scenario: plain } },
  generator: noted(wrk(), "starts"), // In the job's own folder.
  load: { model: "closed", connections, duration: "1s" } satisfies Load,
  protocol: repeat({ runs, warmUp: false, coolDown: "0s" }),
};

async function up(): Promise<readonly Run[]> {
  const { program, seen } = benchProgram(bench, () => ssh.site());
  await rig.up(program);
  return seen.runs;
}

/** Generator, gateway and upstream counted the same load, and only that one. */
function expectOneLoad({ counters, outcome }: Run): void {
  const responses = "result" in outcome ? outcome.result.responses : outcome;
  expect(responses).toBeGreaterThan(100);
  for (const counted of [counters?.upstream, counters?.gateway])
    expect(Math.abs((counted?.requests ?? 0) - (responses as number))).toBeLessThanOrEqual(connections);
}

/** How often each job that sends a load was started, as their folders on the machine tell. */
async function starts(): Promise<readonly string[]> {
  const counted = "cd /var/lib/gatebench/places/*/sessions/*/jobs && for file in */starts; do wc -l < $file; done";
  return (await ssh.on("generator", counted)).trim().split("\n");
}

async function expectOnce(found: readonly Run[]): Promise<void> {
  expect(found).toHaveLength(runs);
  expect(new Set(found.map(({ id }) => id)).size).toBe(runs);
  found.forEach(expectOneLoad);
  expect(await starts()).toEqual(Array(runs).fill("1"));
}

async function expectNothingLeft(): Promise<void> {
  await rig.stack.destroy();
  let left = await ssh.left();
  for (const deadline = Date.now() + 10_000; Object.keys(left).length > 0 && Date.now() < deadline;) {
    await sleep(200);
    left = await ssh.left();
  }
  expect(left).toEqual({});
}

/** What happens to a machine's SSH, until it is mended. */
const ways = { "kill-ssh": "start-ssh", "silence-ssh": "answer-ssh" } as const;
interface Fault {
  readonly role: Role;
  readonly way: keyof typeof ways | "nothing";
  readonly engine: "goes on" | "killed";
  /** A share of the time an up takes. */
  readonly at: number;
}

const oneOf = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T;
const cut = (): Fault => ({
  role: oneOf(["generator", "gateway"] as const),
  way: oneOf(["kill-ssh", "silence-ssh"] as const),
  engine: "goes on",
  at: next(),
});
/** With its connections still open on the machine, every other time: nobody tells it. */
const kill = (): Fault => ({ ...cut(), way: oneOf(["nothing", "silence-ssh"] as const), engine: "killed" });

async function carryOut({ role, way, engine, at }: Fault): Promise<void> {
  const ended = up().then(
    () => undefined,
    (error: Error) => error,
  );
  await sleep(at * upMs);
  const { id } = ssh.machines[role];
  if (way !== "nothing") await ssh.twin.command(way, id);
  const pid = engine === "killed" ? enginePid() : undefined;
  if (pid !== undefined) process.kill(pid, "SIGKILL");
  await sleep(1000);
  if (pid !== undefined) await ended.then(() => rig.stack.cancel());
  if (way !== "nothing") await ssh.twin.command(ways[way], id);
  const error = await ended;
  if (way === "silence-ssh" && engine === "goes on") expect(error).toBeUndefined();
}

test("left alone, each load is sent once and nothing stays behind", async () => {
  const began = Date.now();
  const found = await up();
  upMs = Date.now() - began;
  await expectOnce(found);
  await expectNothingLeft();
});

const faults = [...Array.from({ length: cuts }, cut), ...Array.from({ length: kills }, kill)];
test.each(faults)(
  "SSH of the $role: $way, the engine $engine, at $at of an up: the next up takes what was measured",
  async (fault) => {
    await carryOut(fault);
    await expectOnce(await up());
    await expectNothingLeft();
  },
);
