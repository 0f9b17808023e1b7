/** A benchmark on three machines that are reached over SSH: the twin's (test/twin), with real sshd and real Docker each. */
import { nginx } from "@gatebench/gateways";
import { hey, wrk } from "@gatebench/generators";
import { SshTopology, type SshMachine } from "@gatebench/core/ssh";
import { benchProgram, openRig, plain, type Rig, type Seen } from "./rig";
import { machinesIn, openTwin, type Machine, type Twin } from "./twin";

jest.setTimeout(180_000);

const images = [
  "node:22.12.0-bookworm-slim",
  "nginx:1.30.4",
  "nicolaka/netshoot:v0.14",
  "gatebench/wrk:4.1.0",
  "gatebench/hey:0.1.4",
];

let twin: Twin;
let machines: readonly Machine[];
let rig: Rig;

beforeAll(async () => {
  twin = openTwin();
  const key = `${twin.state}/key.pub`;
  machines = machinesIn(await twin.command("create", "--count", "3", "--key", key, "--images", images.join(" ")));
  rig = await openRig("ssh");
});
afterAll(async () => {
  await rig.destroy().finally(() => twin.destroy());
});

const reached = ({ publicIp, privateIp, user }: Machine): SshMachine => ({
  ...{ host: publicIp, user, privateKey: twin.privateKey, address: privateIp, cpus: 2 },
});

function site(): SshTopology {
  const [upstream, gateway, generator] = machines.map(reached) as [SshMachine, SshMachine, SshMachine];
  return new SshTopology("site", { upstream, gateway, generator });
}

async function measured(generator = wrk()): Promise<Seen> {
  const { program, seen } = benchProgram(
    { generator, targets: { nginx: { adapter: nginx(), scenario: plain } } },
    site,
  );
  await rig.up(program);
  return seen;
}

test("the gateway is verified and measured, each host observed at the edges of every run", async () => {
  const { cells, verifications, runs } = await measured();
  expect(verifications.nginx?.laws.filter(({ finding }) => finding.verdict !== "held")).toEqual([]);
  expect(runs.map(({ outcome }) => ("failure" in outcome ? outcome.failure : "result"))).toEqual(["result", "result"]);
  const [hosts = []] = runs.map((run) => run.hosts);
  expect(Object.fromEntries(hosts.map(({ host, roles }) => [host, roles]))).toEqual({
    ...{ generator: ["generator"], gateway: ["gateway"], upstream: ["upstream"] },
  });
  for (const { workloads } of hosts) expect(workloads).toEqual([expect.objectContaining({ cpuS: expect.any(Number) })]);
  expect(cells.nginx?.rps).toBeGreaterThan(100);
});
