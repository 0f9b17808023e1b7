import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startController, type Controller, type ControllerOptions, type Outcome } from "./controller";
import { sealOf } from "../../src/sealed";
import { ngrinder } from "../../src/ngrinder";
import { pieceTag } from "../../src/ngrinder/recorder";

jest.setTimeout(20_000);

const folders: string[] = [];
const controllers: Controller[] = [];
afterEach(async () => {
  await Promise.all(controllers.splice(0).map((each) => each.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const client = join(__dirname, "../../assets/ngrinder/drive.mjs");
const aTest = {
  ...{ testName: "t", status: "READY", scriptName: "gatebench/TestRunner.groovy", threshold: "D", duration: 60 },
  ...{ agentCount: 1, vuserPerAgent: 4, processes: 1, threads: 4, samplingInterval: 1 },
};
const quick = { pollMs: 20, awayS: 3, aroundS: 5, waitForAgentsS: 1, logsWithinS: 1, recorder: false, expect: [200] };
const sent: Outcome = { tests: 40, errors: 3, logs: {} };

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function controller(options: ControllerOptions = {}): Promise<Controller> {
  const started = await startController({ load: () => Promise.resolve(sent), ...options });
  controllers.push(started);
  return started;
}

function drive(port: number, over: object = {}, env: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), "drive-"));
  folders.push(folder);
  writeFileSync(
    join(folder, "test.json"),
    JSON.stringify({ controller: `http://127.0.0.1:${port}`, test: aTest, ...quick, ...over }),
  );
  writeFileSync(join(folder, "T.groovy"), "class T {}");
  const child = spawn("node", [client, join(folder, "test.json"), join(folder, "T.groovy")], {
    env: { ...process.env, ...env },
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (text) => (said.stdout += text));
  child.stderr.on("data", (text) => (said.stderr += text));
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, ...said })));
  return { child, ended };
}

const lastWord = ({ stderr }: Ended) => stderr.trim().split("\n").at(-1);

test("a test that finishes gives sealed figures that are read", async () => {
  const { port, scripts, tests } = await controller();
  const { code, stdout, stderr } = await drive(port).ended;
  expect(code).toBe(0);
  expect(scripts.get("gatebench/TestRunner.groovy")).toBe("class T {}");
  expect(tests[0]?.body).toEqual(aTest);
  const read = ngrinder({ recorder: false }).parse({ stdout, stderr, files: {}, exitCode: 0 });
  expect([read.responses, read.errors, read.statuses]).toEqual([40, { other: 3 }, { 200: 40 }]);
});

test("a test that finishes with a warning, of many errors, has figures too", async () => {
  const { port } = await controller({ endsAs: "FINISHED_WITH_WARNING" });
  expect((await drive(port).ended).code).toBe(0);
});

test.each([
  ["STOP_BY_ERROR", "Too many errors"],
  ["STOP_ON_ERROR", "Script error"],
  ["CANCELED", "Test is canceled by system"],
  ["UNKNOWN", "nothing"],
])("a test that ends as %s is a failure with the controller's words", async (endsAs, lastWords) => {
  const { port } = await controller({ endsAs, lastWords });
  const ended = await drive(port).ended;
  expect([ended.code, ended.stdout]).toEqual([1, ""]);
  expect(lastWord(ended)).toBe(`ngrinder: test 1 ended as ${endsAs}: ${lastWords}`);
});

test("a test that ended before its time has no figures", async () => {
  const { port } = await controller({ lastsMs: 100 });
  const ended = await drive(port, { test: { ...aTest, duration: 60_000 } }).ended;
  expect(lastWord(ended)).toMatch(/^ngrinder: test 1 ended after \d+ ms of 60000:/);
});

test("a test that sent nothing has no figures", async () => {
  const { port } = await controller({
    load: () => Promise.resolve({ tests: 0, errors: 0, logs: {} }),
    lastWords: "no TPS",
  });
  expect(lastWord(await drive(port).ended)).toBe("ngrinder: test 1 sent nothing: no TPS");
});

test("agents that come late are waited for", async () => {
  const { port } = await controller({ agentsAt: (seconds) => (seconds > 0.4 ? 1 : 0) });
  const ended = await drive(port, { waitForAgentsS: 5 }).ended;
  expect([ended.code, ended.stderr.includes("0 of 1 agents are ready")]).toEqual([0, true]);
});

test("agents that never come are a failure, and no test is made", async () => {
  const { port, tests } = await controller({ agentsAt: () => 1 });
  const ended = await drive(port, { test: { ...aTest, agentCount: 2 } }).ended;
  expect(lastWord(ended)).toBe(
    "ngrinder: 1 of 2 agents are ready after 1 s; look at their logs, approve them, or ask for fewer.",
  );
  expect(tests).toEqual([]);
});

test("a wrong password is said so, and not shown", async () => {
  const { port } = await controller({ password: "other" });
  const ended = await drive(port, {}, { NGRINDER_PASSWORD: "my-secret" }).ended;
  expect(lastWord(ended)).toBe('ngrinder: the controller does not let "admin" in (401). Give its user and password.');
  expect(ended.stderr).not.toContain("my-secret");
});

test("what the controller refuses is said in its words", async () => {
  const { port } = await controller();
  const ended = await drive(port, { test: { ...aTest, threads: 3 } }).ended;
  expect(lastWord(ended)).toBe(
    "ngrinder: the controller refuses POST /perftest/api (500): vuserPerAgent should be equal to (processes * threads)",
  );
});

test.each(["READY", "START_AGENTS", "TESTING"])("a client that is ended leaves no test in %s", async (stuckIn) => {
  const { port, tests } = await controller({ stuckIn });
  const { child, ended } = drive(port, { aroundS: 60 });
  while (tests[0]?.state !== stuckIn) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill("SIGTERM");
  expect([(await ended).code, lastWord(await ended)]).toEqual([1, "ngrinder: ended by SIGTERM"]);
  expect(tests[0]?.state).toBe(stuckIn === "READY" ? "SAVED" : "CANCELED");
});

test("a test that takes too long is stopped, with words", async () => {
  const { port, tests } = await controller({ stuckIn: "DISTRIBUTE_FILES" });
  const ended = await drive(port, { aroundS: 0.5 }).ended;
  expect(lastWord(ended)).toMatch(/^ngrinder: test 1 is still DISTRIBUTE_FILES after 0.56 s: DISTRIBUTE_FILES$/);
  expect(tests[0]?.state).toBe("CANCELED");
});

test("a controller that is away for a while is asked again", async () => {
  const { port } = await controller();
  const away = await controller();
  await away.close();
  const { ended } = drive(away.port, {});
  await new Promise((resolve) => setTimeout(resolve, 600));
  await controller({ port: away.port });
  const { code, stderr } = await ended;
  expect([code, stderr.includes("ECONNREFUSED"), port > 0]).toEqual([0, true, true]);
});

test("a controller that was started again has canceled the test, or forgotten it", async () => {
  const first = await controller({ stuckIn: "TESTING" });
  const { ended } = drive(first.port, { aroundS: 60 });
  while (first.tests[0]?.state !== "TESTING") await new Promise((resolve) => setTimeout(resolve, 10));
  await first.close();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await controller({ port: first.port });
  expect((await ended).stderr).toContain("PerfTest 1 does not exists");
});

test("a controller that stays away is a failure", async () => {
  const gone = await controller();
  await gone.close();
  const ended = await drive(gone.port, { awayS: 0.3 }).ended;
  expect(lastWord(ended)).toMatch(
    /does not answer GET \/agent\/api\/availableAgentCount\?targetRegion=NONE: ECONNREFUSED/,
  );
});

describe("with a recorder", () => {
  const figures = (process: number) => ({
    ...{
      agent: 0,
      process,
      beganMs: 1_700_000_000_000 + process * 250,
      sentUs: 1_000_000,
      statuses: { 200: 3 },
      errors: { connect: 1 },
    },
    ...{ said: { connect: "refused" }, minUs: 100, maxUs: 3000, sumUs: 3200, squaresUs: 9_020_000 },
    ...{
      buckets: [
        [100, 2],
        [3001, 1],
      ],
      answersBySecond: [[1_700_000_000, 3]],
      errorsBySecond: [[1_700_000_001, 1]],
    },
  });
  const logOf = (process: number) => {
    const pieces = JSON.stringify(figures(process)).match(/.{1,60}/g) ?? [];
    return pieces
      .map(
        (piece, at) =>
          `2024-06-13 INFO  ${pieceTag} 0.${process} ${at + 1}/${pieces.length} ${sealOf(piece)} ${piece}\n`,
      )
      .join("");
  };
  const processes = { test: { ...aTest, processes: 2, threads: 2 }, recorder: true };
  const logs = (texts: Record<string, string>, more: ControllerOptions = {}) =>
    controller({ load: () => Promise.resolve({ tests: 6, errors: 2, logs: { vm: texts } }), ...more });

  test("the figures of all processes are added up", async () => {
    const { port } = await logs({ "vm-0.log": logOf(0), "vm-1.log": logOf(1) }, { logsAfterMs: 300 });
    const { stdout, stderr } = await drive(port, processes).ended;
    const read = ngrinder().parse({ stdout, stderr, files: {}, exitCode: 0 });
    expect(read).toMatchObject({
      ...{ responses: 6, durationS: 1.25, statuses: { 200: 6 }, errors: { connect: 2 } },
      processes: { asked: 2, reported: 2 },
      histogram: {
        counts: [
          [100, 4],
          [3001, 2],
        ],
      },
      latencyMs: { min: 0.1, p50: 0.1, p99: 3, max: 3 },
      series: [
        { atS: 0, responses: 6, errors: 0 },
        { atS: 1, responses: 0, errors: 2 },
      ],
    });
    expect(stderr).toContain("connect: refused");
  });

  test("a process whose log is missing is told", async () => {
    const { port } = await logs({ "vm-0.log": logOf(0) });
    const { stdout, stderr } = await drive(port, processes).ended;
    expect(ngrinder().parse({ stdout, stderr, files: {}, exitCode: 0 }).processes).toEqual({ asked: 2, reported: 1 });
  });

  test.each([
    [
      "cut off",
      logOf(0).split("\n").slice(0, -2).join("\n"),
      "the figures of process 0.0 are cut off or changed in its log.",
    ],
    [
      "changed",
      logOf(0).replace('"200":3', '"200":4'),
      "the figures of process 0.0 are cut off or changed in its log.",
    ],
    ["absent", "Script error", "the logs of test 1 hold no figures. Its first words: Script error"],
  ])("figures %s are a failure", async (_, log, words) => {
    const { port } = await logs({ "vm-0.log": log });
    expect(lastWord(await drive(port, processes).ended)).toBe(`ngrinder: ${words}`);
  });
});
