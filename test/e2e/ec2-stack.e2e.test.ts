/**
 * `stacks/ec2` as people run it: its presets of Tyk's published tests, with shortened loads, on the twin of EC2 (test/twin).
 * Engine, program, sshd, Docker, hey and the upstream are real; Tyk is a stand-in, and the machines are this computer.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalWorkspace, type EngineEvent, type OutputMap, type Stack } from "@pulumi/pulumi/automation";
import { leftOf, madeBy, openTwin, type Twin } from "./twin";

jest.setTimeout(300_000);

const images = [
  "node:22.12.0-bookworm-slim",
  "nicolaka/netshoot:v0.14",
  "gatebench/hey:0.1.4",
  "gatebench/oha:1.16.0",
  "tykio/tyk-gateway:v5.13.1",
  "redis:7.4.7",
  "mangomm/go-bench-suite:latest",
];
const stackFolder = join(__dirname, "..", "..", "stacks", "ec2");
/** Small machines, and a rate this computer carries four times. */
const shortened = {
  ...{ sshFrom: "203.0.113.7/32", upstreamType: "c5.large", gatewayType: "c5.large", generatorType: "c5.large" },
  ...{ connections: "5", pacePerConnection: "40", duration: "3s", alsoFor: "2s", repetitions: "1" },
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
    { stackName: "twin", workDir: stackFolder },
    { envVars: { ...settings, ...twin.env } },
  );
});
afterAll(async () => {
  const made = await madeBy(twin);
  await stack.destroy();
  rmSync(join(stackFolder, "Pulumi.twin.yaml"), { force: true });
  expect(
    Object.values(leftOf(twin.state, made))
      .flat()
      .filter((path) => !kept.includes(path)),
  ).toEqual([]);
  await twin.destroy();
  for (const folder of [backend, results]) rmSync(folder, { recursive: true, force: true });
});

async function up(preset: string): Promise<{ readonly outputs: OutputMap; readonly events: readonly EngineEvent[] }> {
  const events: EngineEvent[] = [];
  const all = Object.entries({ ...shortened, preset, results }).map(
    ([key, value]) => [`gatebench-ec2:${key}`, { value }] as const,
  );
  await stack.setAllConfig(Object.fromEntries(all));
  const { outputs } = await stack.up({ onEvent: (event) => void events.push(event) });
  return { outputs, events };
}

const instancesIn = (events: readonly EngineEvent[], op: string): readonly string[] =>
  events
    .flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata ?? [])
    .filter((metadata) => metadata.type === "aws:ec2/instance:Instance" && metadata.op === op)
    .map(({ urn }) => urn.split("::").pop() as string);

test("the baseline has no machine for a gateway", async () => {
  const { outputs, events } = await up("tyk-baseline");
  expect(instancesIn(events, "create").toSorted()).toEqual(["rig-generator-instance", "rig-upstream-instance"]);
  expect(Object.keys(outputs.hosts?.value as object).toSorted()).toEqual(["generator", "upstream"]);
  expect(outputs.summary?.value).toContain("published: 74,801 RPS, P99 0.5 ms");
  expect(outputs.summary?.value).not.toContain("run-failed");
  expect(outputs.rps?.value).toBeGreaterThan(50);
  const raw = readdirSync(join(results, "twin", "raw"), { recursive: true, encoding: "utf8" });
  const outputsOf = (part: string) => raw.filter((path) => path.startsWith(part) && path.endsWith("/stdout"));
  expect(["bench", "short", "other"].map((part) => outputsOf(`${part}/direct/`).length)).toEqual([2, 2, 2]);
});

test("the proxy comes with a third machine, and leaves the others alone", async () => {
  const { outputs, events } = await up("tyk-proxy");
  expect(instancesIn(events, "create")).toEqual(["rig-gateway-instance"]);
  expect(outputs.rps?.value).toBeGreaterThan(50);
  expect(outputs.p99Ms?.value).toBeGreaterThan(0);
  expect(outputs.verdict?.value).toMatchObject({ tlsTps: null });
  expect(outputs.summary?.value).toMatch(/hey, 2s\n.*direct .*\n.*tyk /);
  expect(outputs.summary?.value).toMatch(/oha at the same rate, 3s\n/);
  const warned = (outputs.summary?.value as string).split("\n").filter((line) => /^ {2}(tyk|direct): /.test(line));
  expect(warned.length).toBeGreaterThan(0);
  expect(warned).toEqual([...new Set(warned)]);
  expect(outputs.summary?.value).toContain(
    "differs from the published test in: Amazon Linux 2023; a cluster placement group",
  );
});

test.each(["tyk-full", "tyk-full-post"])("%s is verified and measured: token, limit, analytics", async (preset) => {
  const { outputs, events } = await up(preset);
  expect(instancesIn(events, "create")).toEqual([]);
  expect(outputs.rps?.value).toBeGreaterThan(50);
  expect(outputs.summary?.value).not.toContain("verification-failed");
});
