import { spawn, type ChildProcess } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Load, type Result, type Run } from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import { nginx } from "@gatebench/gateways";
import { wrk } from "@gatebench/generators";
import { benchProgram, leftBehind, openRig, plain } from "./rig";
import { enginePid, noted, processesOf, starts, until } from "./tools";

jest.setTimeout(120_000);

const repository = join(__dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "gatebench-killed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const state = process.env.XDG_STATE_HOME as string;

const connections = 8;
/** Generator, gateway and upstream counted the same load, and only that one. */
function expectOneLoad({ counters, outcome }: Run, gateway: boolean): void {
  const responses = ("result" in outcome && outcome.result.responses) || 0;
  expect(responses).toBeGreaterThan(1000);
  for (const counted of gateway ? [counters?.upstream, counters?.gateway] : [counters?.upstream])
    expect(Math.abs((counted?.requests ?? 0) - responses)).toBeLessThanOrEqual(connections);
}

test("a killed engine's run goes on, and the next up takes its result", async () => {
  const file = join(folder, "rig");
  const bench = {
    targets: { nginx: { adapter: nginx(), scenario: plain } },
    generator: noted(wrk(), file),
    load: { model: "closed", connections, duration: "2s" } satisfies Load,
    protocol: repeat({ runs: 3, warmUp: false, coolDown: "0s" }),
  };
  const rig = await openRig("killed");
  const killed = rig.up(benchProgram(bench).program).catch((error: Error) => error);
  await until(() => starts(file) === 2);
  process.kill(enginePid() as number, "SIGKILL");
  expect(await killed).toBeInstanceOf(Error);

  await rig.stack.cancel();
  const { program, seen } = benchProgram(bench);
  await rig.up(program);
  expect(starts(file)).toBe(3);
  expect(seen.runs).toHaveLength(3);
  seen.runs.forEach((run) => expectOneLoad(run, true));
  await rig.destroy();
  expect(leftBehind()).toEqual([]);
  await until(() => processesOf(state).length === 0, 10);
});

/** A generator module as people write one: the command line takes its path. */
function notedWrk(file: string): string {
  const path = join(folder, `${file}.js`);
  writeFileSync(
    path,
    `const { wrk } = require(${JSON.stringify(join(repository, "packages/generators"))});
exports.noted = () => {
  const adapter = wrk();
  return { ...adapter, plan: (load, target) => {
    const plan = adapter.plan(load, target);
    const command = ["sh", "-c", 'date +%s%N >> ${join(folder, file)}; exec "$@"', "sh", ...plan.job.command];
    return { ...plan, job: { ...plan.job, command } };
  } };
};\n`,
  );
  return path;
}

interface Command {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string; readonly stdout: string }>;
}

/** In a process group of its own, as a terminal gives it. */
function command(argv: readonly string[], cwd: string, env: Record<string, string> = {}): Command {
  const [program, ...args] = argv as [string, ...string[]];
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, detached: true });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name].on("data", (text: Buffer) => (said[name] += text));
  return { child, ended: new Promise((resolve) => child.once("close", (code) => resolve({ code, ...said }))) };
}

/** Waits for so many starts of the tool, or says what the command said instead. */
async function loading({ child, ended }: Command, file: string, count: number): Promise<void> {
  await until(() => starts(file) === count || child.exitCode !== null, 60);
  if (child.exitCode !== null) throw new Error((await ended).stderr);
}

const group = ({ child }: Command): number => -(child.pid as number);

const gatebench = join(repository, "packages/matrix/dist/bin.js");
const perTarget = 3; // a warm-up and two runs

function giveLockTo(pid: number, cwd: string): void {
  const locks = join(cwd, ".gatebench", "engine", ".pulumi", "locks");
  const [name = ""] = readdirSync(locks, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".json"),
  );
  const lock = JSON.parse(readFileSync(join(locks, name), "utf8")) as object;
  writeFileSync(join(locks, name), JSON.stringify({ ...lock, pid }));
}

/** A checkout of its own, and a bench in it of two targets. */
function checkout(name: string) {
  const cwd = join(folder, `checkout-${name}`);
  mkdirSync(cwd);
  const file = join(folder, name);
  const options = ["--gateway", "nginx", "--scenario", "plain", "--generator", notedWrk(name), "--duration", "1s"];
  const small = ["--connections", `${connections}`, "--repetitions", "2", "--json", "result.json"];
  return {
    cwd,
    file,
    bench: () => command([process.execPath, gatebench, "bench", ...options, ...small], cwd),
    destroy: () => command([process.execPath, gatebench, "destroy"], cwd).ended,
    result: () => JSON.parse(readFileSync(join(cwd, "result.json"), "utf8")) as Result,
  };
}

function expectWhole({ cells }: Result): void {
  expect(cells.map(({ gateway, runs }) => [gateway, runs.length])).toEqual([
    ["direct", perTarget],
    ["nginx", perTarget],
  ]);
  for (const { gateway, runs } of cells) runs.forEach((run) => expectOneLoad(run, gateway === "nginx"));
}

test("a killed bench goes on where it was: no run is repeated, the running one is attached to", async () => {
  const { file, bench, result, cwd } = checkout("killed");
  const first = bench();
  await loading(first, file, 3);
  process.kill(group(first), "SIGKILL");
  await first.ended;

  giveLockTo(process.pid, cwd); // The engine's number is another program's by now.
  const second = await bench().ended;
  expect(second).toMatchObject({ code: 0 });
  expect(second.stderr).toContain("the last bench here was killed; it goes on where it was");
  expect(starts(file)).toBe(2 * perTarget);
  expectWhole(result());
  await until(() => processesOf(state).length === 0, 10);
  expect(leftBehind()).toEqual([]);
  expect(existsSync(join(cwd, ".gatebench", "running.json"))).toBe(false);
});

test("a bench whose runner alone was killed goes on where it was", async () => {
  const { file, bench, result } = checkout("orphaned");
  const first = bench();
  await loading(first, file, 3);
  const engine = enginePid(first.child.pid) as number;
  process.kill(first.child.pid as number, "SIGKILL");
  expect(existsSync(`/proc/${engine}`)).toBe(true);
  const second = await bench().ended;
  await first.ended;
  expect(second).toMatchObject({ code: 0 });
  expect(starts(file)).toBe(2 * perTarget);
  expectWhole(result());
  await until(() => processesOf(state).length === 0, 10);
});

test.each(["the runner", "its whole group"])(
  "one interrupt of %s ends the bench and takes everything down",
  async (whom) => {
    const { file, bench, result } = checkout(`interrupted-${whom.length}`);
    const first = bench();
    await loading(first, file, 3);
    process.kill(whom === "the runner" ? (first.child.pid as number) : group(first), "SIGINT");
    const { code, stderr } = await first.ended;
    expect(code).not.toBe(0);
    expect(stderr).toContain("interrupted: ending the load and taking everything down (again: leave at once)\n");
    expect(stderr).toMatch(
      /\ninterrupted: the bench was interrupted\. What it had measured lies in .+; the same command measures everything again\.\n$/,
    );
    await until(() => processesOf(state).length === 0, 10);

    const second = await bench().ended;
    expect(second).toMatchObject({ code: 0 });
    expect(second.stderr).not.toContain("goes on where it was");
    expectWhole(result());
  },
);

test("two interrupts leave at once, and the next command takes over", async () => {
  const { file, bench, result, destroy } = checkout("twice");
  const first = bench();
  await loading(first, file, 3);
  process.kill(group(first), "SIGINT");
  await new Promise((resolve) => setTimeout(resolve, 300));
  const began = Date.now();
  process.kill(group(first), "SIGINT");
  await new Promise((resolve) => first.child.once("exit", resolve));
  expect(Date.now() - began).toBeLessThan(1000);
  const { code, stderr } = await first.ended;
  expect(code).toBe(130);
  expect(stderr).toMatch(/left as it is; the same command goes on where it was, or take it down with: .+ destroy/);

  expect(await bench().ended).toMatchObject({ code: 0 });
  expectWhole(result());
  expect(await destroy()).toMatchObject({ code: 0 });
  await until(() => processesOf(state).length === 0, 10);
});

test("after a killed pulumi up, cancel and up go on where it was", async () => {
  const cwd = join(folder, "stack");
  const local = join(repository, "stacks", "local");
  mkdirSync(cwd);
  for (const name of readdirSync(local).filter((path) => /^[a-z-]+\.ts$|^Pulumi\.yaml$|^package\.json$/.test(path)))
    cpSync(join(local, name), join(cwd, name));
  symlinkSync(join(repository, "node_modules"), join(cwd, "node_modules"));
  cpSync(join(repository, "tsconfig.base.json"), join(cwd, "tsconfig.json"));
  const file = join(folder, "stack-starts");
  const settings = {
    generator: notedWrk("stack-starts"),
    gateway: "nginx",
    duration: "2s",
    repetitions: 1,
    connections,
  };
  const config = Object.entries(settings).map(([key, value]) => `  gatebench-local:${key}: ${value}\n`);
  writeFileSync(join(cwd, "Pulumi.test.yaml"), `config:\n${config.join("")}`);
  const backend = join(folder, "stack-backend");
  mkdirSync(backend);
  const env = { PULUMI_BACKEND_URL: `file://${backend}`, PULUMI_CONFIG_PASSPHRASE: "" };
  const pulumi = (...args: string[]) => command(["pulumi", ...args, "--stack", "test", "--non-interactive"], cwd, env);
  await command(["pulumi", "stack", "init", "test", "--non-interactive"], cwd, env).ended;

  const first = pulumi("up", "--yes", "--skip-preview");
  await loading(first, file, 2);
  process.kill(group(first), "SIGKILL");
  await first.ended;
  expect((await pulumi("up", "--yes", "--skip-preview").ended).stderr).toContain(
    "the stack is currently locked by 1 lock",
  );
  expect(await pulumi("cancel", "--yes").ended).toMatchObject({ code: 0 });
  const second = await pulumi("up", "--yes", "--skip-preview").ended;
  expect(second).toMatchObject({ code: 0 });
  expect(second.stdout).toMatch(/rps +: [\d.]+/);
  expect(starts(file)).toBe(4);
  const raw = readdirSync(join(cwd, "results", "test", "raw", "bench"), { recursive: true, encoding: "utf8" });
  expect(raw.filter((path) => path.endsWith("/stdout"))).toHaveLength(4);
  expect(await pulumi("destroy", "--yes", "--skip-preview").ended).toMatchObject({ code: 0 });
  expect(leftBehind()).toEqual([]);
  await until(() => processesOf(state).length === 0, 10);
});
