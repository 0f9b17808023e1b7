/**
 * An observatory beside benchmarks on machines: `stacks/ec2` with `observe` on the twin of EC2 (test/twin). Prometheus and the
 * node exporter are the real ones in containers; Grafana cannot be had here and is left out.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunFigure } from "@gatebench/core";
import { LocalWorkspace, type OutputMap, type Stack } from "@pulumi/pulumi/automation";
import { asked } from "./observed";
import { leftOf, madeBy, openTwin, type Twin } from "./twin";

jest.setTimeout(600_000);

const images = [
  ...["node:22.12.0-bookworm-slim", "node:22.12.0-slim", "nicolaka/netshoot:v0.14", "nginx:1.30.4"],
  ...["envoyproxy/envoy:v1.40.0", "gatebench/wrk:4.1.0", "prom/prometheus:v3.14.0", "prom/node-exporter:v1.12.1"],
];
const stackFolder = join(__dirname, "..", "..", "stacks", "ec2");
const connections = 8;
const settings = {
  ...{
    sshFrom: "203.0.113.7/32",
    gateway: "envoy",
    generator: "wrk",
    connections: String(connections),
    duration: "6s",
  },
  ...{ repetitions: "1", workers: "1", observe: "true", grafana: "false" },
};

/** Folders of the twin's books, which stay. */
const kept = ["cloud", "machines", "sites"];

let twin: Twin;
let folder: string;
let stack: Stack;
let outputs: OutputMap;

beforeAll(async () => {
  twin = openTwin(images);
  folder = mkdtempSync(join(tmpdir(), "gatebench-observed-"));
  const own = {
    PULUMI_BACKEND_URL: `file://${folder}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  stack = await LocalWorkspace.createStack(
    { stackName: "observed-twin", workDir: stackFolder },
    { envVars: { ...own, ...twin.env } },
  );
  const all = Object.entries({ ...settings, results: join(folder, "results") });
  await stack.setAllConfig(Object.fromEntries(all.map(([key, value]) => [`gatebench-ec2:${key}`, { value }])));
  ({ outputs } = await stack.up());
});
afterAll(async () => {
  const made = await madeBy(twin);
  await stack.destroy();
  rmSync(join(stackFolder, "Pulumi.observed-twin.yaml"), { force: true });
  expect(
    Object.values(leftOf(twin.state, made))
      .flat()
      .filter((path) => !kept.includes(path)),
  ).toEqual([]);
  await twin.destroy();
  rmSync(folder, { recursive: true, force: true });
});

/** Folders of runs against the gateway, the measured one last. */
function measuredRun(): string {
  const raw = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const runs = raw.filter((path) => path.endsWith("/figures.json") && path.includes("envoy")).toSorted();
  expect(runs).toHaveLength(2);
  return join(folder, dirname(runs[1] as string));
}

function figuresOfRun(): Readonly<Record<string, number | string>> {
  const { figures } = JSON.parse(readFileSync(join(measuredRun(), "figures.json"), "utf8")) as { figures: RunFigure[] };
  return Object.fromEntries(figures.map((one) => [one.name, "missing" in one ? one.missing : one.value]));
}

test("requests by PromQL and by the generator agree within what is in flight", () => {
  const said = /(\d+) requests in/.exec(readFileSync(join(measuredRun(), "stdout"), "utf8"))?.[1];
  expect(Number(said)).toBeGreaterThan(1000);
  expect(Math.abs((figuresOfRun()["gateway-requests"] as number) - Number(said))).toBeLessThanOrEqual(connections);
});

test("each machine's CPU and memory are among a run's figures, the observer's too", () => {
  const figures = figuresOfRun();
  for (const machine of ["upstream", "gateway", "generator", "observer"]) {
    expect([machine, figures[`${machine}-host-cpu`]]).toEqual([machine, expect.any(Number)]);
    expect(figures[`${machine}-host-memory`]).toBeGreaterThan(1e7);
  }
  expect(outputs.hosts?.value).toHaveProperty("observer.privateIp", "10.77.0.36");
});

test("nothing failed, and nothing disagrees for being watched", () => {
  for (const wrong of ["run-failed", "verification-failed", "counts-disagree", "not-idle"])
    expect(outputs.summary?.value).not.toContain(wrong);
});

describe("through the tunnel the stack prints", () => {
  let tunnel: ChildProcess | undefined;
  beforeAll(async () => {
    const { tunnel: printed } = outputs.observatory?.value as { tunnel: string };
    const keyFile = join(folder, "gatebench.pem");
    expect(printed).toMatch(
      /^\(umask 077 && pulumi stack output privateKey --show-secrets > gatebench\.pem\) && ssh -N -i gatebench\.pem -L 9090:10\.77\.0\.36:\d+ ec2-user@[\d.]+$/,
    );
    const env = { ...process.env, ...twin.env, PULUMI_BACKEND_URL: `file://${folder}`, PULUMI_CONFIG_PASSPHRASE: "" };
    const command = printed
      .replace("stack output", "stack output --stack observed-twin")
      .replaceAll("gatebench.pem", keyFile)
      .replace("-L 9090", "-L 19090")
      // A person is asked whether the machine is the right one.
      .replace("ssh -N", "exec ssh -N -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null");
    tunnel = spawn("sh", ["-c", command], { cwd: stackFolder, env, stdio: "ignore" });
  });
  afterAll(() => void tunnel?.kill());

  test("Prometheus answers on one's own loopback: every page it scrapes is up", async () => {
    const url = "http://127.0.0.1:19090";
    const up = async () => (await asked(url, "up == 1").catch(() => [])).length;
    for (let tries = 0; tries < 50 && (await up()) < 6; tries++) await sleep(200);
    // Envoy, four machines, and Prometheus itself.
    expect(await up()).toBe(6);
    expect(await asked(url, "up == 0")).toEqual([]);
  });
});
