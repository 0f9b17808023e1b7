import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LocalTopology } from "@gatebench/core/local";
import { repeat } from "@gatebench/core/measure";
import { nginx } from "@gatebench/gateways";
import { declare, leftBehind, openRig, plain, type Rig } from "./rig";
import { curl, enginePid, listening, processesOf, until } from "./tools";

jest.setTimeout(240_000);

const rounds = 20;
const seed = Number(process.env.GATEBENCH_SEED ?? 1);
const portBase = 32_000;
const state = process.env.XDG_STATE_HOME as string;

// A folder for temporary files of its own: others on this machine make some too.
const temporary = mkdtempSync(join(tmpdir(), "gatebench-rounds-"));
process.env.TMPDIR = temporary;
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** mulberry32: the same fractions for the same seed. */
function fractions(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const program = async () =>
  void declare(
    {
      targets: { nginx: { adapter: nginx(), scenario: plain } },
      generator: curl({ waitS: 0.2 }),
      load: { model: "closed", connections: 5, duration: "1s" },
      protocol: repeat({ runs: 2, warmUp: false, coolDown: "0s" }),
    },
    new LocalTopology("site", { portBase }),
  );

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

/** The engine's command, ended at a moment or left alone; whether it came to its end. */
async function endedAt(
  how: Round["up"],
  afterMs: number,
  begin: (signal: AbortSignal) => Promise<unknown>,
): Promise<boolean> {
  const controller = new AbortController();
  const ended = begin(controller.signal).then(
    () => true,
    () => false,
  );
  if (how === "left alone") return ended;
  await Promise.race([sleep(afterMs), ended]);
  if (how === "interrupted") controller.abort();
  const pid = how === "killed" ? enginePid() : undefined;
  if (pid !== undefined) process.kill(pid, "SIGKILL");
  return ended;
}

async function carryOut({ up, at, again, destroy }: Round, { stack }: Rig, upMs: number): Promise<void> {
  if (!(await endedAt(up, at * upMs, (signal) => stack.up({ program, signal })))) await stack.cancel().catch(() => 0);
  if (again) await stack.up({ program });
  if (await endedAt(destroy, at * 800, (signal) => stack.destroy({ signal }))) return;
  await stack.cancel().catch(() => undefined);
  await stack.destroy();
}

const leftovers = () => ({
  processes: processesOf(state),
  ports: listening(portBase),
  places: leftBehind(),
  temporary: readdirSync(temporary).filter((name) => !name.startsWith("gatebench-backend-")),
});
const nothing = { processes: [], ports: [], places: [], temporary: [] };

test(`${rounds} rounds of up and destroy, some interrupted at any moment, leave nothing (seed ${seed})`, async () => {
  const rig = await openRig("rounds");
  const next = fractions(seed);
  const began = Date.now();
  await rig.stack.up({ program });
  const upMs = Date.now() - began - 1000; // The last second reads outputs and history.
  await rig.stack.destroy();
  for (let number = 1; number <= rounds; number++) {
    const round = {
      up: chosen(next()),
      at: next(),
      again: next() < 0.3,
      destroy: next() < 0.8 ? ways[0] : chosen(next()),
    };
    await carryOut(round, rig, upMs);
    await until(() => processesOf(state).length === 0, 5).catch(() => undefined);
    expect({ number, round, ...leftovers() }).toEqual({ number, round, ...nothing });
  }
  rmSync(rig.backend, { recursive: true, force: true });
});
