/** A matrix on this machine, run by its command: unattended, killed, interrupted, and gone on with. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { resultSchema, type Cell, type Result, type Run } from "@gatebench/core";
import { randomFrom } from "@gatebench/core/measure";
import { pidsIn, processesOf, starts, until } from "./tools";

jest.setTimeout(3_600_000);

/** GATEBENCH_MATRIX=full: 36 cells and their baselines, 20 kills; some 25 minutes. */
const full = process.env.GATEBENCH_MATRIX === "full";
const kills = full ? 20 : 3;
const seed = Number(process.env.GATEBENCH_SEED ?? 1);
const next = randomFrom(seed);

const repository = join(__dirname, "..", "..");
const gatebench = join(repository, "packages/matrix/dist/bin.js");
const parent = mkdtempSync(join(tmpdir(), "gatebench-matrix-"));
const state = process.env.XDG_STATE_HOME as string;
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** A generator module as people write one, which notes each of its starts. */
function noting(cwd: string, name: string): string {
  const module = JSON.stringify(join(repository, "packages/generators"));
  writeFileSync(
    join(cwd, `${name}.js`),
    `const { ${name} } = require(${module});
exports.noted = () => {
  const adapter = ${name}();
  return { ...adapter, plan: (load, target) => {
    const plan = adapter.plan(load, target);
    const command = ["sh", "-c", 'echo started >> ${join(cwd, "starts")}; exec "$@"', "sh", ...plan.job.command];
    return { ...plan, job: { ...plan.job, command } };
  } };
};\n`,
  );
  return `./${name}.js`;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
interface Command {
  readonly child: ChildProcess;
  readonly said: { stdout: string; stderr: string };
  readonly ended: Promise<Ended>;
}

function command(cwd: string, args: readonly string[]): Command {
  const child = spawn(process.execPath, [gatebench, ...args], { cwd, env: process.env, detached: true });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name].on("data", (text: Buffer) => (said[name] += text));
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, ...said })));
  return { child, said, ended };
}

/** A checkout of its own with a matrix file in it. */
function checkout(name: string, text: (generator: (tool: string) => string) => string) {
  const cwd = join(parent, name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "matrix.yaml"), `name: ${name}\n${text((tool) => noting(cwd, tool))}`);
  const experiment = join(cwd, "results", name);
  const lanes = () => readdirSync(join(experiment, "lanes"));
  const linesOf = (lane: string) =>
    readFileSync(join(experiment, "lanes", lane, "runs.jsonl"), "utf8")
      .trim()
      .split("\n");
  return {
    cwd,
    matrix: (...more: readonly string[]) => command(cwd, ["matrix", "matrix.yaml", ...more]),
    destroy: () => command(cwd, ["destroy"]).ended,
    started: () => starts(join(cwd, "starts")),
    result: () => JSON.parse(readFileSync(join(experiment, "result.json"), "utf8")) as Result,
    runs: () => lanes().flatMap((lane) => linesOf(lane).map((line) => JSON.parse(line) as Run & { cell: string })),
  };
}

type Checkout = ReturnType<typeof checkout>;

const connections = 8;
/** Generator, gateway and upstream counted the same load, and only that one. */
function expectOneLoad({ counters, outcome }: Run, { gateway }: Cell): void {
  const responses = ("result" in outcome && outcome.result.responses) || 0;
  expect(responses).toBeGreaterThan(100);
  for (const counted of gateway === "direct" ? [counters?.upstream] : [counters?.upstream, counters?.gateway])
    expect(Math.abs((counted?.requests ?? 0) - responses)).toBeLessThanOrEqual(connections);
}

/** Every run of every cell exactly once: as started, as kept, and as stated. */
function expectOnce(checked: Checkout, cells: number, runsOfEach: number): Result {
  const result = checked.result();
  expect(resultSchema.safeParse(result).error?.issues).toBeUndefined();
  expect(result.cells).toHaveLength(cells);
  for (const cell of result.cells) {
    expect(cell.runs).toHaveLength(runsOfEach);
    cell.runs.forEach((run) => expectOneLoad(run, cell));
  }
  const kept = checked.runs();
  expect(new Set(kept.map(({ id }) => id)).size).toBe(cells * runsOfEach);
  expect(kept).toHaveLength(cells * runsOfEach);
  expect(checked.started()).toBe(cells * runsOfEach);
  return result;
}

async function expectNothingLeft(): Promise<void> {
  await until(() => processesOf(state).length === 0, 10);
}

const small = `
loads: [{ connections: ${connections}, duration: 1s }]
warmUp: 1s
`;

/**
 * What dies: everything, as of a machine that is switched off; the command alone; or the engine alone, which the command
 * goes on from by itself.
 */
const victims = ["everything", "the command", "the engine"] as const;

function kill({ child }: Command, cwd: string, victim: (typeof victims)[number]): void {
  if (victim !== "the engine") process.kill(child.pid as number, "SIGKILL");
  const others = { everything: /bin\.js lane|pulumi/, "the command": undefined, "the engine": /^pulumi / }[victim];
  if (others) pidsIn(cwd, others).forEach((pid) => process.kill(pid, "SIGKILL"));
}

test(`killed ${kills} times and begun again each time, it ends with every run exactly once`, async () => {
  const gateways = full ? "[nginx, envoy, { gateway: nginx, as: nginx-too }]" : "[nginx]";
  const scenarios = full ? "[plain, key-auth, rate-limit]" : "[plain, key-auth]";
  const checked = checkout(
    "killed",
    (generator) => `
gateways: ${gateways}
scenarios: ${scenarios}
generators: [${generator("wrk")}, ${generator("hey")}]
topologies: [{ kind: local, sizes: [1, 2] }]
repetitions: ${full ? 3 : 2}
${small}`,
  );
  const cells = full ? 2 * 2 * (3 * 3 + 1) : 12;
  const runsOfEach = full ? 4 : 3;
  let run = checked.matrix();
  for (let killed = 0; killed < kills && run.child.exitCode === null; killed++) {
    const begun = checked.started();
    const wanted = Math.floor(next() * ((2 * cells * runsOfEach) / kills / 1.5));
    await until(() => checked.started() >= begun + wanted || run.child.exitCode !== null, 600);
    await sleep(next() * 1000);
    const victim = victims[killed % victims.length] as (typeof victims)[number];
    kill(run, checked.cwd, victim);
    if (victim === "the engine") continue;
    await run.ended;
    run = checked.matrix();
  }
  const { code, stderr, stdout } = await run.ended;
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expectOnce(checked, cells, runsOfEach);
  expect(stdout).toMatch(/results, after [\d:]+, [\d.]+ times its loads and rests/);
  await expectNothingLeft();

  const again = await checked.matrix().ended;
  expect(again.code).toBe(0);
  expect(checked.started()).toBe(cells * runsOfEach);
});

const two = (name: string) =>
  checkout(
    name,
    (generator) => `
gateways: [nginx]
generators: [${generator("wrk")}]
topologies: [{ kind: local, sizes: [1, 2] }]
repetitions: 2
${small}`,
  );

test("interrupted once, it stops after the run under way and takes everything down; the same command measures the rest", async () => {
  const checked = two("interrupted");
  const run = checked.matrix();
  await until(() => checked.started() === 8 || run.child.exitCode !== null, 120);
  run.child.kill("SIGINT");
  const { code, stderr } = await run.ended;
  expect(code).toBe(130);
  expect(stderr).toMatch(/interrupted: the matrix was interrupted\. What was measured lies in /);
  expect(checked.started()).toBe(8);
  expect(checked.runs()).toHaveLength(8);
  await expectNothingLeft();

  // The first lane's two cells were whole; of the second's two, two runs are measured again in their gateways' next life.
  expect(checked.result().cells).toHaveLength(2);
  expect((await checked.matrix().ended).code).toBe(0);
  expect(checked.started()).toBe(8 + 6);
  expect(checked.result().cells.map(({ runs }) => runs.length)).toEqual([3, 3, 3, 3]);
});

test("interrupted twice, it stops now and says how to remove what is left", async () => {
  const checked = two("left");
  const run = checked.matrix();
  await until(() => checked.started() === 2 || run.child.exitCode !== null, 120);
  run.child.kill("SIGINT");
  await sleep(100);
  run.child.kill("SIGINT");
  const { code, stderr } = await run.ended;
  expect(code).toBe(130);
  expect(stderr).toContain("left as it is; the same command goes on where it was, or take it down with: ");
  expect(processesOf(state)).not.toEqual([]);
  expect((await checked.destroy()).code).toBe(0);
  await expectNothingLeft();
});

test("a gateway that does not start takes no other with it, and is tried again when that is asked for", async () => {
  const checked = checkout(
    "broken",
    (generator) => `
gateways: [nginx, ./broken.js]
generators: [${generator("wrk")}]
repetitions: 1
${small}`,
  );
  const broken = (command: string) =>
    writeFileSync(
      join(checked.cwd, "broken.js"),
      `const { nginx } = require(${JSON.stringify(join(repository, "packages/gateways"))});
exports.broken = () => ({ ...nginx(), name: "broken", render: (scenario, site) => {
  const deployment = nginx().render(scenario, site);
  return { ...deployment, workloads: deployment.workloads.map((one) => (${command})) };
} });\n`,
    );
  broken('{ ...one, command: ["sh", "-c", "exit 3"], programs: ["sh"] }');
  const first = await checked.matrix().ended;
  expect(first.code).toBe(0);
  expect(checked.result().cells.map(({ gateway }) => gateway)).toEqual(["direct", "nginx"]);
  expect(checked.result().skipped).toEqual([
    expect.objectContaining({ gateway: "broken", reason: expect.stringMatching(/not-ready/) }),
  ]);
  broken("one");
  expect((await checked.matrix("--retry-failed").ended).code).toBe(0);
  expect(checked.result().cells.map(({ gateway }) => gateway)).toEqual(["direct", "direct", "nginx", "broken"]);
  expect(checked.result().skipped).toEqual([]);
  await expectNothingLeft();
});

test("rounds that are redeployed measure every run on another deployment, and keep those that are whole", async () => {
  const checked = checkout(
    "redeployed",
    (generator) => `
gateways: [nginx]
generators: [${generator("wrk")}]
rounds: redeployed
repetitions: 2
${small}`,
  );
  const run = checked.matrix();
  await until(() => checked.started() === 6 || run.child.exitCode !== null, 120);
  run.child.kill("SIGINT");
  expect((await run.ended).code).toBe(130);
  expect((await checked.matrix().ended).code).toBe(0);
  // Four of the first deployment; of the second two, and all four again in its next life.
  expect(checked.started()).toBe(4 + 2 + 4);
  const [, nginx] = checked.result().cells;
  expect(nginx?.runs.map(({ deployment, purpose }) => [deployment, purpose])).toEqual([
    [1, "warm-up"],
    [1, "measure"],
    [2, "warm-up"],
    [2, "measure"],
  ]);
  expect(nginx?.intervals.rps).not.toBeNull();
  await expectNothingLeft();
});
