/**
 * The load-balancing presets of `stacks/ec2`, with shortened loads, on the twin of EC2 (test/twin). Engine, program, sshd, Docker,
 * NGINX, k6 and Locust are real; nGrinder's controller and agents are stand-ins that send for real, and the machines are this
 * computer.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LocalWorkspace, type EngineEvent, type Stack } from "@pulumi/pulumi/automation";
import { leftOf, madeBy, openTwin, type Twin } from "./twin";

jest.setTimeout(400_000);

const images = [
  ...["node:22.12.0-bookworm-slim", "node:22.12.0-slim", "nicolaka/netshoot:v0.14", "nginx:1.30.4"],
  ...["grafana/k6:1.8.1", "locustio/locust:2.47.0", "ngrinder/controller:3.5.9-p1", "ngrinder/agent:3.5.9-p1"],
];
const stackFolder = join(__dirname, "..", "..", "stacks", "ec2");
/** 50 users × 20, then 60 users, from one process: a load this computer carries beside all machines. */
const shortened = {
  ...{ sshFrom: "203.0.113.7/32", iterations: "20", alsoUsers: "60", duration: "4s", repetitions: "1", workers: "2" },
  // Fifteen seconds between scrapes are longer than these runs; observed-machines.e2e.test.ts has shorter ones.
  ...{ generator: "k6", generatorWorkers: "0", observe: "false" },
};

/** Folders of the twin's books, which stay. */
const kept = ["cloud", "machines", "sites"];

let twin: Twin;
let backend: string;
let results: string;
let stack: Stack;

beforeAll(async () => {
  twin = openTwin(images);
  backend = mkdtempSync(join(tmpdir(), "gatebench-backend-"));
  results = mkdtempSync(join(tmpdir(), "gatebench-results-"));
  const settings = {
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  stack = await LocalWorkspace.createStack(
    { stackName: "balanced-twin", workDir: stackFolder },
    { envVars: { ...settings, ...twin.env } },
  );
});
afterAll(async () => {
  const made = await madeBy(twin);
  await stack.destroy();
  rmSync(join(stackFolder, "Pulumi.balanced-twin.yaml"), { force: true });
  expect(
    Object.values(leftOf(twin.state, made))
      .flat()
      .filter((path) => !kept.includes(path)),
  ).toEqual([]);
  await twin.destroy();
  for (const folder of [backend, results]) rmSync(folder, { recursive: true, force: true });
});

interface Seen {
  readonly summary: string;
  readonly hosts: Readonly<Record<string, { readonly privateIp: string; readonly instanceType: string }>>;
  readonly created: readonly string[];
}

/** A preset with some keys changed, and without those of the test before. */
async function up(
  preset: string,
  changes: Readonly<Record<string, string | undefined>> = {},
  onEvent: (event: EngineEvent) => void = () => undefined,
): Promise<Seen> {
  const created: string[] = [];
  const before = Object.keys(await stack.getAllConfig());
  if (before.length > 0) await stack.removeAllConfig(before);
  const all = Object.entries({ ...shortened, preset, results, ...changes });
  const given = all.flatMap(([key, value]) =>
    value === undefined ? [] : [[`gatebench-ec2:${key}`, { value }] as const],
  );
  await stack.setAllConfig(Object.fromEntries(given));
  const { outputs } = await stack.up({
    onEvent: (event) => {
      onEvent(event);
      const { type, op, urn = "" } = event.resourcePreEvent?.metadata ?? {};
      if (type === "aws:ec2/instance:Instance" && op === "create") created.push(urn.split("::").pop() as string);
    },
  });
  return { summary: outputs.summary?.value, hosts: outputs.hosts?.value, created: created.toSorted() };
}

interface Row {
  readonly tps: number;
  readonly executed: number;
  readonly successful: number;
  readonly errors: number;
  readonly perServer: readonly number[];
}

const number = (text = "") => Number(text.replace(/[(),]/g, "").replace("–", "NaN"));

/** A row of the table, as a person finds it: by what was measured, who sent it, and how many users there were. */
function rowOf(summary: string, test: string, tool: string, users: string): Row {
  const beginning = new RegExp(`^${test} +${tool} +${users} {2,}`);
  const line = summary.split("\n").find((one) => beginning.test(one));
  if (line === undefined) throw new Error(`no row "${test}" of ${tool} with ${users} in\n${summary}`);
  const texts = line.replace(beginning, "").split(/ {2,}/);
  const [tps, , , , , , , executed, successful, errors, , perServer = ""] = texts;
  return {
    ...{ tps: number(tps), executed: number(executed), successful: number(successful), errors: number(errors) },
    perServer: perServer.split(" + ").map(number),
  };
}

/** How far two servers' counts are apart, of all. */
const apart = ([one = NaN, other = NaN]: readonly number[]) => Math.abs(one - other) / (one + other);

test("lb-round-robin with k6: machines of their own, an even split, published figures beside measured ones", async () => {
  const { summary, hosts, created } = await up("lb-round-robin");
  expect(created).toEqual([
    ...["rig-gateway-instance", "rig-generator-instance", "rig-upstream-2-instance", "rig-upstream-instance"],
  ]);
  expect(hosts["upstream-2"]?.privateIp).toBe("10.77.0.21");
  for (const wrong of ["run-failed", "verification-failed", "counts-disagree"]) expect(summary).not.toContain(wrong);
  const [byCount, byTime] = ["50 × 20", "60"].map((users) =>
    rowOf(summary, "nginx, 2 servers, round-robin", "k6", users),
  );
  expect(byCount).toMatchObject({ executed: 1000, successful: 1000, errors: 0 });
  for (const row of [byCount, byTime]) expect(apart(row?.perServer ?? [])).toBeLessThanOrEqual(0.01);
  expect(byTime?.executed).toBeGreaterThan(200);
  expect(rowOf(summary, "nginx, 1 server", "k6", "50 × 20")).toMatchObject({ executed: 1000, perServer: [1000] });
  expect(summary).toMatch(/published: nginx, 2 servers, balanced +ngrinder +50 × 100 +1,441.8 /);
  expect(summary).toMatch(/50 × 20: 2 servers \(round-robin\) give [\d.]+ times the TPS of 1, as measured/);
  expect(summary).toMatch(/differs from the published test in: a static page .*generator as this stack has it/);
});

/** Slow on one of the two machines, quick on the other; it says how often it was asked. */
const unequal = `
const slow = Object.values(require("node:os").networkInterfaces()).flat().some(({ address }) => address === "10.77.0.21");
let requests = 0;
const server = require("node:http").createServer((request, response) => {
  if (request.url === "/count") return response.end("requests " + requests + "\\n");
  requests += 1;
  setTimeout(() => response.end("hello\\n"), slow ? 40 : 4);
});
server.keepAliveTimeout = 3600e3;
server.listen(8080, "0.0.0.0");`;
const application = JSON.stringify({
  ...{ name: "unequal", image: "node:22.12.0-bookworm-slim", command: ["node", "-e", unequal], port: 8080 },
  ...{ path: "/hello", body: "hello\n", counters: [{ path: "/count", values: { requests: "requests (\\d+)" } }] },
});

test("lb-least-connections with Locust, any container as the application: the quicker of two gets more", async () => {
  const changes = { generator: "locust", upstream: application, againstSingle: "false" };
  const { summary } = await up("lb-least-connections", changes);
  for (const wrong of ["run-failed", "verification-failed", "counts-disagree"]) expect(summary).not.toContain(wrong);
  const row = rowOf(summary, "nginx, 2 servers, least-connections", "locust", "50 × 20");
  expect(row).toMatchObject({ executed: 1000, successful: 1000, errors: 0 });
  const [quick = NaN, slow = NaN] = row.perServer;
  expect(quick + slow).toBe(1000);
  expect(quick).toBeGreaterThan(2 * slow);
});

test("lb-single with nGrinder: a controller and two agents on machines of their own", async () => {
  const { summary, created } = await up("lb-single", { generator: "ngrinder", generatorWorkers: "2", duration: "2s" });
  expect(created).toEqual(expect.arrayContaining(["rig-worker-1-instance", "rig-worker-2-instance"]));
  for (const wrong of ["run-failed", "verification-failed", "counts-disagree"]) expect(summary).not.toContain(wrong);
  const row = rowOf(summary, "nginx, 1 server", "ngrinder", "50 × 20");
  expect(row).toMatchObject({ executed: 1000, successful: 1000, errors: 0, perServer: [1000] });
  expect(rowOf(summary, "nginx, 1 server", "ngrinder", "60").executed).toBeGreaterThan(100);
});

test("lb-micro: the smallest machines, by users alone, where errors are what is looked for", async () => {
  const { summary, hosts } = await up("lb-micro", { iterations: undefined, users: "30", runId: "2" });
  for (const role of ["gateway", "upstream"]) expect(hosts[role]?.instanceType).toBe("t3.micro");
  for (const wrong of ["run-failed", "verification-failed", "counts-disagree"]) expect(summary).not.toContain(wrong);
  for (const users of ["30", "60"]) {
    const { executed, successful, errors, perServer } = rowOf(summary, "nginx, 1 server", "k6", users);
    expect(executed).toBeGreaterThan(200);
    expect(successful + errors).toBe(executed);
    expect(perServer).toHaveLength(1);
  }
  expect(summary).toContain("published: a t3.micro failed above 1000 users");
});

test("an upstream that is lost in the middle of a run is seen in errors and in requests per server; one alone has none", async () => {
  let lost: Promise<unknown> = Promise.resolve();
  const { summary } = await up("lb-round-robin", { duration: "8s", runId: "3" }, ({ resourcePreEvent }) => {
    // The second run of 60 users: the measured one.
    const { urn = "", op = "" } = resourcePreEvent?.metadata ?? {};
    if (urn.endsWith("::users-60-nginx-2") && op.startsWith("create")) lost = lose("10.77.0.21");
  });
  await lost;
  expect(summary).toMatch(
    /nginx: upstream-lost: upstream-upstream-2, one of 2 upstreams, ended under the load \(.*10\.77\.0\.21/,
  );
  expect(summary).not.toContain("run-failed");
  const row = rowOf(summary, "nginx, 2 servers, round-robin", "k6", "60");
  expect(row.errors).toBeGreaterThan(0);
  expect(row.successful + row.errors).toBe(row.executed);
  const [stayed = NaN, gone] = row.perServer;
  // What the lost one had counted went with it; the other had its half of all, before and after.
  expect(gone).toBeNaN();
  expect(Math.abs(stayed - row.executed / 2)).toBeLessThanOrEqual(row.executed * 0.01 + 60);
  // Requests of the lost one's half that were answered all the same: those before it was lost.
  expect(row.successful).toBeGreaterThan(stayed);
  const alone = rowOf(summary, "nginx, 1 server", "k6", "60");
  expect(alone).toMatchObject({ errors: 0, successful: alone.executed });
  // k6 breaks off, and does not count, what is under way at the end: one request for each user.
  const [counted = NaN] = alone.perServer;
  expect(counted - alone.executed).toBeGreaterThanOrEqual(0);
  expect(counted - alone.executed).toBeLessThanOrEqual(60);
});

/** Ends a machine's upstream when a load has flowed for a while, as a crash would. */
async function lose(privateIp: string): Promise<void> {
  const machineAt = async (address: string) =>
    (await twin.machines()).find((one) => one.privateIp === address && one.running)?.id as string;
  const generator = await machineAt("10.77.0.12");
  for (let found = ""; found === "";) {
    await sleep(200);
    found = await twin.command("run", generator, "sh", "-c", "pgrep -x k6 || true");
  }
  await sleep(2000);
  const kill = "docker kill $(docker ps --quiet --filter ancestor=nginx:1.30.4)";
  await twin.command("run", await machineAt(privateIp), "sh", "-c", kill);
}
