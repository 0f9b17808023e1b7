import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Job, Workload } from "../../contract";
import { unpackRecord, type JobOrder, type JobRecord, type Probed } from "../job-record";
import { allProcesses, isAlive, readText } from "./process";
import { sample } from "./sample";

// The compiled agent, as the engine's commands start it.
const agent = join(__dirname, "main.js").replace(/src(?=.hosts)/, "dist");

jest.setTimeout(30_000);

const state = mkdtempSync(join(tmpdir(), "gatebench-agent-"));
const [place, session] = ["a-place", "a-session"];
const placeFolder = join(state, "gatebench", "places", place);
const jobsFolder = join(placeFolder, "sessions", session, "jobs");
const startedPrograms = join(state, "started");

interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function begin(
  verb: string,
  input: unknown,
  env: NodeJS.ProcessEnv = {},
): { readonly child: ChildProcess; readonly answer: Promise<Answer> } {
  const child = spawn(process.execPath, [agent, ...verb.split(" ")], {
    env: { ...process.env, ...env, XDG_STATE_HOME: state },
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name].on("data", (text: Buffer) => (said[name] += text));
  child.stdin.on("error", () => undefined).end(JSON.stringify(input));
  return { child, answer: new Promise((resolve) => child.once("close", (code) => resolve({ code, ...said }))) };
}

/** As the engine gives an update what the command printed before. */
const previously = (stdout: string) => ({ PULUMI_COMMAND_STDOUT: stdout });

const ask = (...given: Parameters<typeof begin>): Promise<Answer> => begin(...given).answer;

const job = (script: string, more: Partial<Job> = {}): Job => ({
  image: "none:0",
  command: ["sh", "-c", `echo $$ >> ${startedPrograms}; ${script}`],
  killAfterS: 10,
  ...more,
});

function orderOf(id: string, what: Job, more: Partial<JobOrder> = {}): { place: string; order: JobOrder } {
  const nothing = { probed: [], counted: { gateway: [], upstream: [] }, watched: [], observed: [] };
  return { place, order: { id, session, vault: "v", label: id, job: what, coolDownS: 0, ...nothing, ...more } };
}

async function carriedOut(...given: Parameters<typeof orderOf>): Promise<JobRecord> {
  return unpackRecord((await ask("run-job", orderOf(...given))).stdout);
}

const workload = (command: readonly string[], more: Partial<Workload> = {}): Workload => ({
  name: "w",
  role: "gateway",
  image: "none:0",
  command,
  ports: {},
  ...more,
});

const started = (what: Workload, values = {}, identity = "1") =>
  ask("start-workload", { place, name: "the-gateway", workload: what, identity, values });

const startedCount = (): number => (readText(startedPrograms) ?? "").split("\n").filter(Boolean).length;

/** Everything that runs because of this file. */
const ours = () =>
  allProcesses().filter(
    ({ pid, state: how }) =>
      how !== "Z" && (readText(`/proc/${pid}/cmdline`) ?? "").includes(state) && pid !== process.pid,
  );

const supervisorOf = (id: string): { pid: number; startTicks: number } =>
  JSON.parse(readFileSync(join(jobsFolder, id, "supervisor", "process.json"), "utf8"));

async function until(what: () => unknown): Promise<void> {
  const deadline = Date.now() + 8000;
  while (!what()) {
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await sleep(5);
  }
}

beforeEach(async () => {
  rmSync(startedPrograms, { force: true });
  await ask("open-place", { place });
  await ask("open-session", { place, name: session });
});

afterEach(async () => {
  await ask("close-place", { place });
  expect(ours()).toEqual([]);
  expect(readdirSync(join(state, "gatebench", "places"))).toEqual([]);
});

afterAll(() => rmSync(state, { recursive: true, force: true }));

test("a job asked for by many at once runs once, and all get the same record", async () => {
  const orders = Array.from({ length: 6 }, () => ask("run-job", orderOf("1", job("sleep 0.3; echo done"))));
  const records = (await Promise.all(orders)).map(({ stdout }) => unpackRecord(stdout));
  expect(startedCount()).toBe(1);
  expect(new Set(records.map(({ execution }) => execution)).size).toBe(1);
  expect(records[0]?.outcome).toMatchObject({ output: { stdout: "done\n", exitCode: 0 } });
});

test("a job may open the files it asks for, or as many as the machine allows", async () => {
  const record = await carriedOut("1", { ...job(""), command: ["sh", "-c", "ulimit -n"], openFiles: 10_000_000 });
  const [, hard] = /^Max open files +\d+ +(\d+)/m.exec(readText("/proc/self/limits") ?? "") ?? [];
  expect(record.outcome).toMatchObject({ output: { stdout: `${hard}\n` } });
});

test("a session's samples hold the workloads of other places it was told of", async () => {
  const other = "another-place";
  await ask("open-place", { place: other });
  const what = { ...workload(["sleep", "60"]), role: "generator" };
  await ask("start-workload", { place: other, name: "a-worker", workload: what, identity: "1", values: {} });
  await ask("close-session", { place, name: session });
  await ask("open-session", { place, name: session, places: [place, other] });
  const watched = [{ name: "a-worker", host: "local", role: "generator", cores: 1 }];
  const record = await carriedOut("1", job("sleep 0.2"), { watched });
  await ask("close-place", { place: other });
  expect(record.hosts[0]?.workloads).toContainEqual(expect.objectContaining({ name: "a-worker", cores: 1 }));
});

test("a finished job is not run again, whoever asks", async () => {
  const first = await carriedOut("1", job("echo done"));
  expect(await carriedOut("1", job("echo done"))).toEqual(first);
  expect(startedCount()).toBe(1);
});

test("a load does not notice that the one who waits is killed, and the next who asks gets its result", async () => {
  const first = begin("run-job", orderOf("1", job("sleep 1; echo done")));
  await until(() => startedCount() === 1);
  first.child.kill("SIGKILL");
  await first.answer;
  expect((await carriedOut("1", job("sleep 1; echo done"))).outcome).toMatchObject({ output: { stdout: "done\n" } });
  expect(startedCount()).toBe(1);
});

test("killed at any moment of its start, a job is carried out once by the next that asks", async () => {
  const rounds = Array.from({ length: 12 }, (_, round) => round);
  const firsts = rounds.map((round) => begin("run-job", orderOf(`${round}`, job("echo done"))));
  for (const [round, { child }] of firsts.entries()) setTimeout(() => child.kill("SIGKILL"), 50 + 8 * round);
  await Promise.all(firsts.map(({ answer }) => answer));
  const records = await Promise.all(rounds.map((round) => carriedOut(`${round}`, job("echo done"))));
  expect(records.map(({ outcome }) => outcome)).toEqual(
    rounds.map(() => ({ output: { stdout: "done\n", stderr: "", files: {}, exitCode: 0 } })),
  );
  expect(startedCount()).toBe(rounds.length);
});

test("two loads never overlap, whatever place they belong to", async () => {
  const script = `date +%s%N >> ${state}/times; sleep 0.2; date +%s%N >> ${state}/times`;
  await Promise.all([carriedOut("1", job(script)), carriedOut("2", job(script)), carriedOut("3", job(script))]);
  const times = readFileSync(join(state, "times"), "utf8").trim().split("\n").map(Number);
  expect(times).toHaveLength(6);
  expect(times).toEqual([...times].sort((left, right) => left - right));
});

test("a killed supervisor is a lost job: told as data, and its tool does not go on", async () => {
  const waiting = ask("run-job", orderOf("1", job("exec sleep 60")));
  await until(() => startedCount() === 1);
  process.kill(supervisorOf("1").pid, "SIGKILL");
  const { code, stdout } = await waiting;
  expect(code).toBe(0);
  expect(unpackRecord(stdout).outcome).toEqual({
    failure: { code: "job-lost", message: "the process that watched the load was killed." },
  });
  const tool = Number(readFileSync(startedPrograms, "utf8"));
  await until(() => !isAlive({ pid: tool, startTicks: Number(readText(`/proc/${tool}/stat`)?.split(" ")[21]) }));
});

test("a tool that is not there is a failure that names it", async () => {
  const { outcome } = await carriedOut("1", job("", { command: ["no-such-tool", "-x"] }));
  expect(outcome).toEqual({
    failure: { code: "job-failed", message: "no-such-tool could not be started: spawn no-such-tool ENOENT" },
  });
});

test("a tool that does not end is killed with all it started, and its last words are kept", async () => {
  const { outcome } = await carriedOut("1", job("echo working; sleep 60 & sleep 60", { killAfterS: 1 }));
  expect(outcome).toEqual({
    failure: { code: "timed-out", message: "sh was killed after 1 s", excerpt: "working" },
  });
  const leader = supervisorOf("1").pid;
  await until(() => allProcesses().every(({ session: of, state: how }) => of !== leader || how === "Z"));
});

test("what a tool started and left behind is ended with it", async () => {
  await carriedOut("1", job("(exec sleep 60) & echo done"));
  const leader = supervisorOf("1").pid;
  await until(() => allProcesses().every(({ session: of, state: how }) => of !== leader || how === "Z"));
});

test("values never show in a record or in the files that stay", async () => {
  await ask("keep-values", { place, session, vault: "v", values: { "consumer-1.key": "s3cret-value" } });
  const command = ["sh", "-c", "cat given; echo <gatebench:consumer-1.key> >&2; cp given copy"];
  const { outcome, folder } = await carriedOut("1", {
    ...job(""),
    command,
    files: { given: "key <gatebench:consumer-1.key>\n" },
    collect: ["copy"],
  });
  const [known, told] = ["key <gatebench:consumer-1.key>\n", "<gatebench:consumer-1.key>\n"];
  expect(outcome).toEqual({ output: { stdout: known, stderr: told, files: { copy: known }, exitCode: 0 } });
  const kept = readdirSync(folder, { recursive: true, encoding: "utf8" }).map(
    (path) => readText(join(folder, path)) ?? "",
  );
  expect(kept.join("\n")).not.toContain("s3cret-value");
});

test("a run whose target no longer answers says which, and loads nothing", async () => {
  const probed = [{ name: "the-gateway", host: "127.0.0.1", port: 1 }];
  const { outcome } = await carriedOut("1", job("echo done"), { probed });
  expect(outcome).toEqual({
    failure: {
      code: "workload-gone",
      message:
        "the-gateway does not answer: connect ECONNREFUSED 127.0.0.1:1. It ended after it was started; run destroy and up, or up with --replace for its workload.",
    },
  });
  expect(startedCount()).toBe(0);
});

describe("of several that share a load", () => {
  /** Two servers, of which so many end while the job runs. */
  async function afterLosing(count: number, among: Pick<Probed, "oneOf"> = { oneOf: 2 }) {
    const servers = await Promise.all(
      [1, 2].map(async () => {
        const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
        await once(server, "listening");
        return { server, port: (server.address() as AddressInfo).port };
      }),
    );
    const probed = servers.map(({ port }, index) => ({
      name: `server-${index + 1}`,
      host: "127.0.0.1",
      port,
      ...among,
    }));
    try {
      const record = carriedOut("1", job("sleep 1"), { probed });
      await until(() => startedCount() === 1);
      for (const { server } of servers.slice(2 - count)) server.close();
      return await record;
    } finally {
      for (const { server } of servers) server.close();
    }
  }

  test("one that is lost under the load is named beside the output", async () => {
    const { outcome, lost } = await afterLosing(1);
    expect(outcome).toMatchObject({ output: { exitCode: 0 } });
    expect(lost).toEqual([
      { name: "server-2", oneOf: 2, reason: expect.stringMatching(/^connect ECONNREFUSED 127\.0\.0\.1:\d+$/) },
    ]);
  });

  test("none lost is none named", async () => {
    expect(await afterLosing(0)).not.toHaveProperty("lost");
  });

  test.each([
    ["all of them lost is a failure", 2, 2, "server-1"],
    ["one that is not one of several is a failure", 1, undefined, "server-2"],
  ])("%s", async (_, count, oneOf, named) => {
    expect((await afterLosing(count, { oneOf })).outcome).toEqual({
      failure: { code: "workload-gone", message: expect.stringMatching(`^${named} does not answer: `) },
    });
  });

  test("before a run each of them must answer", async () => {
    const probed = [{ name: "server-1", host: "127.0.0.1", port: 1, oneOf: 2 }];
    const { outcome } = await carriedOut("1", job("true"), { probed });
    expect(outcome).toMatchObject({ failure: { code: "workload-gone" } });
    expect(startedCount()).toBe(0);
  });
});

test("a session that is gone fails the command and says what to do", async () => {
  await ask("close-session", { place, name: session });
  const { code, stderr } = await ask("run-job", orderOf("1", job("echo done")));
  expect(code).toBe(1);
  expect(stderr).toBe(
    `job-lost: session ${session} is gone from this machine; run destroy and up, or up with a new runId.\n`,
  );
  expect(startedCount()).toBe(0);
});

test("closing a session ends its load, also one that waits for another to end", async () => {
  const [running, waiting] = [1, 2].map((id) => begin("run-job", orderOf(`${id}`, job("exec sleep 60"))));
  await until(() => startedCount() === 1 && existsSync(join(jobsFolder, "1")) && existsSync(join(jobsFolder, "2")));
  await ask("close-session", { place, name: session });
  running?.child.kill("SIGKILL");
  waiting?.child.kill("SIGKILL");
  expect(ours()).toEqual([]);
});

test("a forgotten job is carried out anew", async () => {
  await carriedOut("1", job("echo done"));
  await ask("forget-job", orderOf("1", job("echo done")));
  await carriedOut("1", job("echo done"));
  expect(startedCount()).toBe(2);
});

test("a workload that ends at once is not ready, and its last words say why", async () => {
  const dies = workload(["sh", "-c", "echo 'bad directive <gatebench:consumer-1.key>' >&2; exit 1"], {
    readiness: { port: 1 },
  });
  const began = Date.now();
  const { code, stderr } = await started(dies, { "consumer-1.key": "s3cret-value" });
  expect(code).toBe(1);
  expect(stderr).toBe(
    "not-ready: the-gateway ended before it answered: connect ECONNREFUSED 127.0.0.1:1. It said: bad directive <gatebench:consumer-1.key>\n",
  );
  expect(Date.now() - began).toBeLessThan(3000);
});

test("a workload that does not answer in time is stopped again", async () => {
  const deaf = workload(["sleep", "60"], { readiness: { port: 1, within: "200ms" } });
  const { stderr } = await started(deaf);
  expect(stderr).toBe(
    "not-ready: the-gateway did not answer within 0.2 s: connect ECONNREFUSED 127.0.0.1:1. It said: nothing\n",
  );
  expect(existsSync(join(placeFolder, "workloads", "the-gateway"))).toBe(false);
});

test("a workload whose program is not there says so", async () => {
  const { code, stderr } = await started(workload(["no-such-gateway"], { readiness: { port: 1 } }));
  expect(code).toBe(1);
  expect(stderr).toContain("no-such-gateway");
});

test("a port taken by somebody else is refused, with whose it is", async () => {
  const server: Server = createServer().listen(0, "127.0.0.1");
  await until(() => server.listening);
  const { port } = server.address() as AddressInfo;
  const { code, stderr } = await started(workload(["sleep", "60"], { ports: { entry: port } }));
  server.close();
  expect(code).toBe(1);
  expect(stderr).toMatch(
    new RegExp(
      `^port-in-use: port ${port}, wanted by w, is used by .+ \\(pid ${process.pid}\\)\\. Stop it, or give the topology another portBase\\.\n$`,
    ),
  );
});

test("a workload that runs is left alone; another identity replaces it", async () => {
  const pidOf = () =>
    JSON.parse(readFileSync(join(placeFolder, "workloads", "the-gateway", "process.json"), "utf8")).pid;
  await started(workload(["sleep", "60"]));
  const first = pidOf();
  await started(workload(["sleep", "60"]));
  expect(pidOf()).toBe(first);
  await started(workload(["sleep", "60"]), {}, "2");
  expect(pidOf()).not.toBe(first);
});

test("killed at any moment of its start, a workload is on record or not there", async () => {
  const pause = workload(["sleep", "61"]);
  for (let round = 0; round < 12; round++) {
    const first = begin("start-workload", { place, name: `g${round}`, workload: pause, identity: "1", values: {} });
    setTimeout(() => first.child.kill("SIGKILL"), 45 + 2 * round);
    await first.answer;
  }
  await sleep(20);
  await ask("close-place", { place });
  expect(allProcesses().filter(({ pid }) => readText(`/proc/${pid}/cmdline`) === "sleep\0" + "61\0")).toEqual([]);
});

test("a place that was opened has nothing on disk yet, and keeps its identity", async () => {
  const { stdout: opened } = await ask("open-place", { place: "another" });
  expect(readdirSync(join(state, "gatebench", "places"))).toEqual([place]);
  expect((await ask("keep-place", { place: "another" }, previously(opened))).stdout).toBe(opened);
});

/** What an agent says whose parent ends before it has its order. */
async function orphaned(verb: string, more: NodeJS.ProcessEnv = {}) {
  const background = `exec 3<&0; "$@" <&3 & wait`;
  const env = { ...process.env, XDG_STATE_HOME: state, ...more };
  const plugin = spawn("sh", ["-c", background, "sh", process.execPath, agent, verb], { env });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) plugin[name].on("data", (text: Buffer) => (said[name] += text));
  await until(() => ours().some(({ name }) => name === "node"));
  await sleep(2000); // It waits for its input by then, on a busy machine too.
  plugin.kill("SIGKILL");
  plugin.stdin.end(JSON.stringify({ place: "another", name: session }));
  await new Promise((resolve) => plugin.once("close", resolve));
  return said;
}

test("an agent whose engine is gone makes nothing any more", async () => {
  expect((await orphaned("open-session")).stderr).toBe("the engine that asked is gone; nothing is done for it\n");
  expect(readdirSync(join(state, "gatebench", "places"))).toEqual([place]);
});

test("in a container who started it is nobody who asked: it does as it is told", async () => {
  const { stdout, stderr } = await orphaned("make-ssh-key", { GATEBENCH_PROGRAMS: "containers" });
  expect([Object.keys(JSON.parse(stdout)), stderr]).toEqual([["publicKey", "privateKey"], ""]);
});

test("a number that belongs to another process by now is left alone", async () => {
  const stranger = spawn("sleep", ["60"], { detached: true });
  const folder = join(placeFolder, "workloads", "the-gateway");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "process.json"), JSON.stringify({ pid: stranger.pid, startTicks: 1 }));
  await ask("close-place", { place });
  expect(stranger.exitCode).toBeNull();
  expect(stranger.signalCode).toBeNull();
  stranger.kill("SIGKILL");
});

test("set-up requests go in order, over the scheme they name, with values in their places", async () => {
  const { certificate, key } = JSON.parse((await ask("make-material", {})).stdout) as Record<string, string>;
  const seen: string[] = [];
  const answer = async (request: IncomingMessage): Promise<void> => {
    const body = (await request.toArray()).join("");
    seen.push(`${request.method} ${request.url} ${request.headers["x-admin"]} ${body}`);
  };
  const [plain, secure] = [createServer(), createSecureServer({ cert: certificate, key })].map((server) =>
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      void answer(request).then(() =>
        response.writeHead(request.url === "/refused" ? 403 : 200).end("no, s3cret-value"),
      );
    }),
  ) as [Server, Server];
  for (const server of [plain, secure]) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  const request = {
    method: "POST",
    path: "/keys/<gatebench:consumer-1.key>",
    headers: { "x-admin": "<gatebench:gateway.secret>" },
    body: '{"a":"<gatebench:consumer-1.key>"}',
    expect: 200,
  };
  const values = { "consumer-1.key": "a-key-of-ours", "gateway.secret": "s3cret-value" };
  const requests = [
    { ...request, port: portOf(plain) },
    { ...request, port: portOf(secure), scheme: "https" },
  ];
  const expected = 'POST /keys/a-key-of-ours s3cret-value {"a":"a-key-of-ours"}';
  expect((await ask("set-up", { requests, values })).code).toBe(0);
  expect(seen).toEqual([expected, expected]);
  const refused = { ...request, port: portOf(secure), scheme: "https", path: "/refused" };
  const { code, stderr } = await ask("set-up", { requests: [refused], values });
  expect(code).not.toBe(0);
  expect(stderr).toContain("job-failed: POST /refused answered 403 instead of 200: no, ");
  expect(stderr).not.toContain("s3cret-value");
  for (const server of [plain, secure]) server.close();
});

test("a certificate and its key fit each other", async () => {
  const { stdout } = await ask("make-material", {});
  const { certificate, key } = JSON.parse(stdout) as { certificate: string; key: string };
  expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))).toBe(true);
});

const vault = (secret: string) => ({ place, session, vault: "turns", values: { secret } });
const kept = () => JSON.parse(readText(join(placeFolder, "sessions", session, "vaults", "turns.json")) ?? "{}");

test("of two that ask over SSH for the same, the one whose connection was cut is not carried out after the other", async () => {
  const lock = join(state, "gatebench", "verbs.lock");
  const held = spawn("flock", [lock, "sleep", "60"], { detached: true });
  while (!existsSync(lock)) await sleep(10);
  const cut = begin("keep-values the-bench", vault("old"), { TMPDIR: state });
  while (!existsSync(join(state, "the-bench.turn"))) await sleep(10);
  const first = readText(join(state, "the-bench.turn"));
  const again = begin("keep-values the-bench", vault("new"), { TMPDIR: state });
  while (readText(join(state, "the-bench.turn")) === first) await sleep(10);
  process.kill(-(held.pid as number));
  expect((await cut.answer).stderr).toBe("interrupted: the-bench was asked for again; nothing is done twice.\n");
  expect(await again.answer).toMatchObject({ code: 0 });
  expect(kept()).toEqual({ secret: "new" });
});

test("an order that did not arrive whole is not repeated", () => {
  const input = '{"place":"a-place","name":"the-secret-wor';
  const { stderr, status } = spawnSync(process.execPath, [agent, "close-place"], { input, encoding: "utf8" });
  expect([status, stderr]).toEqual([1, "interrupted: what is to be done did not arrive whole. Run up again.\n"]);
});

test("another host that does not tell once what it does is a failure, and never left out", async () => {
  let asked = 0;
  const sampled = sample(new Map(), []);
  const other = createServer((_, response) => {
    response.statusCode = ++asked === 2 ? 503 : 200;
    response.end(JSON.stringify({ now: { ...sampled, atMs: performance.timeOrigin + performance.now() }, since: [] }));
  }).listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const record = await carriedOut("observed", job("true"), {
    observed: [{ name: "gateway", address: "127.0.0.1", port }],
  });
  other.close();
  expect(record.outcome).toMatchObject({
    failure: { code: "host-unreachable", message: expect.stringContaining("503") },
  });
  expect(asked).toBe(2);
});
