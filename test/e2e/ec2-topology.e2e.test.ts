/** A benchmark on EC2 as a person writes it, on the twin (test/twin): from an empty account to figures, and back to nothing. */
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { broken, type Verification } from "@gatebench/core";
import { Ec2Topology } from "@gatebench/core/ec2";
import { nginx } from "@gatebench/gateways";
import { wrk } from "@gatebench/generators";
import { benchProgram, openRig, plain, type Rig, type Seen } from "./rig";
import { leftOf, madeBy, openTwin, type Machine, type Twin } from "./twin";

jest.setTimeout(90_000);

const images = [
  "node:22.12.0-bookworm-slim",
  "nginx:1.30.4",
  "nicolaka/netshoot:v0.14",
  "gatebench/wrk:4.1.0",
  "gatebench/hey:0.1.4",
];

let twin: Twin;
let rig: Rig;

beforeAll(async () => {
  twin = openTwin(images);
  rig = await openRig("ec2", twin.env);
});
afterAll(async () => {
  await rig.destroy().finally(() => twin.destroy());
});

const site = (gateway: string) => () =>
  new Ec2Topology("rig", {
    sshFrom: "203.0.113.7/32",
    upstream: { instanceType: "c5.large" },
    gateway: { instanceType: gateway },
    generator: { instanceType: "c5.xlarge" },
  });

interface Done {
  readonly seen: Seen;
  /** What the engine did, by resource: nothing where a resource stayed as it was. */
  readonly steps: Readonly<Record<string, string>>;
}

async function up(gateway = "c5.large"): Promise<Done> {
  const { program, seen } = benchProgram(
    { generator: wrk(), targets: { nginx: { adapter: nginx(), scenario: plain } } },
    site(gateway),
  );
  const before = rig.events.length;
  await rig.up(program);
  return { seen, steps: Object.fromEntries(rig.events.slice(before).flatMap(stepOf)) };
}

function stepOf({ resourcePreEvent: event }: EngineEvent): readonly (readonly [string, string])[] {
  if (event === undefined || event.metadata.op === "same") return [];
  return [[event.metadata.urn.split("::").pop() as string, event.metadata.op]];
}

/** By the address the topology gives it. */
const machineAt = async (address: string) =>
  (await twin.machines()).find(({ privateIp }) => privateIp === address) as Machine;

const [upstream, gateway, generator] = ["10.77.0.10", "10.77.0.11", "10.77.0.12"] as const;

function expectFigures({ cells, verifications, runs }: Seen) {
  expect(broken(verifications.nginx as Verification)).toEqual([]);
  expect(runs.map(({ outcome }) => ("failure" in outcome ? outcome.failure : "result"))).toEqual(["result", "result"]);
  for (const { hosts } of runs)
    expect(Object.fromEntries(hosts.map(({ host, roles }) => [host, roles]))).toEqual({
      ...{ generator: ["generator"], gateway: ["gateway"], upstream: ["upstream"] },
    });
  for (const { workloads } of runs.flatMap(({ hosts }) => hosts))
    expect(workloads).toEqual([expect.objectContaining({ cpuS: expect.any(Number) })]);
  expect(cells.nginx?.rps).toBeGreaterThan(100);
}

test("an up makes the machines, verifies the gateway and measures it, each host observed", async () => {
  const { seen } = await up();
  expectFigures(seen);
});

test("the user data ran to its end on every machine, and the machine will end by itself", async () => {
  for (const address of [upstream, gateway, generator]) {
    const { id } = await machineAt(address);
    const run = (...command: string[]) => twin.command("run", id, ...command);
    expect(await run("cloud-init", "status")).toBe("status: done\n");
    expect((await run("cat", "/var/log/twin-calls.log")).split("\n")).toEqual([
      "shutdown -h +240 gatebench: this machine's time is over",
      "dnf install --quiet --assumeyes docker ethtool",
      "systemctl enable --now docker",
      "",
    ]);
    expect(await run("cat", "/proc/sys/net/ipv4/ip_local_port_range")).toBe("32768\t65535\n");
    expect(await run("id", "-Gn", "ec2-user")).toBe("ec2-user docker\n");
  }
});

test("a second up runs nothing, and states the same figures", async () => {
  const { seen, steps } = await up();
  expect(steps).toEqual({});
  expectFigures(seen);
});

test("another type of the gateway leaves the other machines as they are, and is measured anew", async () => {
  const ids = async () =>
    Promise.all([upstream, gateway, generator].map(async (address) => (await machineAt(address)).id));
  const before = await ids();
  const { seen, steps } = await up("c5.xlarge");
  const after = await ids();
  expect(after.map((id, index) => id === before[index])).toEqual([true, false, true]);
  expect(Object.keys(steps).filter((name) => /^(rig|bench)-(upstream|generator|session)/.test(name))).toEqual([]);
  expect(Object.keys(steps)).toEqual(expect.arrayContaining(["bench-nginx-verify", "bench-nginx-1", "bench-nginx-2"]));
  expectFigures(seen);
});

test("a machine that was stopped and started again will still end by itself", async () => {
  const { id } = await machineAt(gateway);
  await twin.command("stop", id);
  await twin.command("start", id);
  const calls = () => twin.command("run", id, "grep", "-c", "shutdown -h +240", "/var/log/twin-calls.log");
  expect(await calls()).toBe("2\n");
});

test("a destroy leaves nothing", async () => {
  const made = await madeBy(twin);
  expect(made.machines).toHaveLength(3);
  await rig.stack.destroy();
  const { files, ...left } = leftOf(twin.state, made);
  expect(files).toEqual(["cloud", "machines", "sites"]);
  expect(Object.values(left).flat()).toEqual([]);
});
