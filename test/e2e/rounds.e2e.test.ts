import { randomFrom } from "@gatebench/core/measure";
import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { leftBehind } from "./rig";
import { listening, processesOf, until } from "./tools";

jest.setTimeout(240_000);

const rounds = 20;
const seed = Number(process.env.GATEBENCH_SEED ?? 1);
const portBase = 32_000;
const state = process.env.XDG_STATE_HOME as string;

// A folder for temporary files of its own: others on this machine make some too.
const temporary = mkdtempSync(join(tmpdir(), "gatebench-rounds-"));
process.env.TMPDIR = temporary;
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const backend = join(temporary, "gatebench-backend");
const project = join(temporary, "gatebench-project");

/** `pulumi`, as people type it: in a process group of its own. */
function pulumi(...args: readonly string[]): ChildProcess {
  const env = { ...process.env, PULUMI_BACKEND_URL: `file://${backend}`, PULUMI_CONFIG_PASSPHRASE: "" };
  return spawn("pulumi", [...args, "--non-interactive"], { cwd: project, env, detached: true, stdio: "ignore" });
}

/** Whether it came to a good end. */
const end = (child: ChildProcess): Promise<boolean> =>
  new Promise((resolve) => child.once("exit", (code) => resolve(code === 0)));

const up = () => pulumi("up", "--yes", "--skip-preview", "--stack", "test");
const destroy = () => pulumi("destroy", "--yes", "--skip-preview", "--stack", "test");
const cancel = () => end(pulumi("cancel", "--yes", "--stack", "test"));

beforeAll(async () => {
  mkdirSync(backend);
  cpSync(join(__dirname, "small-project"), project, { recursive: true });
  symlinkSync(join(__dirname, "..", "..", "node_modules"), join(project, "node_modules"));
  expect(await end(pulumi("stack", "init", "test"))).toBe(true);
});

const ways = ["left alone", "killed", "interrupted"] as const;
interface Round {
  readonly up: (typeof ways)[number];
  /** When it is ended: a share of the time an up takes. */
  readonly at: number;
  /** Whether it is brought up again before it goes. */
  readonly again: boolean;
  readonly destroy: (typeof ways)[number];
}

const chosen = (fraction: number): (typeof ways)[number] => ways[Math.floor(fraction * ways.length)] as never;

/** The command, ended at a moment or left alone; whether it came to a good end. */
async function endedAt(how: Round["up"], afterMs: number, child: ChildProcess): Promise<boolean> {
  const ended = end(child);
  if (how === "left alone") return ended;
  await Promise.race([sleep(afterMs), ended]);
  if (child.exitCode === null) process.kill(-(child.pid as number), how === "killed" ? "SIGKILL" : "SIGINT");
  return ended;
}

async function carryOut(round: Round, upMs: number): Promise<void> {
  if (!(await endedAt(round.up, round.at * upMs, up()))) await cancel();
  if (round.again) expect(await end(up())).toBe(true);
  if (await endedAt(round.destroy, round.at * 800, destroy())) return;
  await cancel();
  expect(await end(destroy())).toBe(true);
}

const leftovers = () => ({
  processes: processesOf(state),
  ports: listening(portBase),
  places: leftBehind(),
  temporary: readdirSync(temporary).filter((name) => !join(temporary, name).match(/gatebench-(backend|project)$/)),
});
const nothing = { processes: [], ports: [], places: [], temporary: [] };

test(`${rounds} rounds of up and destroy, some interrupted at any moment, leave nothing (seed ${seed})`, async () => {
  const next = randomFrom(seed);
  const began = Date.now();
  expect(await end(up())).toBe(true);
  const upMs = Date.now() - began;
  expect(await end(destroy())).toBe(true);
  for (let number = 1; number <= rounds; number++) {
    const round = {
      up: chosen(next()),
      at: next(),
      again: next() < 0.3,
      destroy: next() < 0.8 ? ways[0] : chosen(next()),
    };
    await carryOut(round, upMs);
    await until(() => processesOf(state).length === 0, 5).catch(() => undefined);
    expect({ number, round, ...leftovers() }).toEqual({ number, round, ...nothing });
  }
});
