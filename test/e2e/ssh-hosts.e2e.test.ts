/** A benchmark on three machines that are reached over SSH: the twin's (test/twin), with real sshd and real Docker each. */
import { nginx } from "@gatebench/gateways";
import { SshTopology, type SshMachine } from "@gatebench/core/ssh";
import { goBenchSuite } from "@gatebench/core/upstreams";
import { benchProgram, openRig, plain, type Bench, type Rig, type Seen } from "./rig";
import { machinesIn, openTwin, type Machine, type Twin } from "./twin";

jest.setTimeout(180_000);

const images = [
  "node:22.12.0-bookworm-slim",
  "nginx:1.30.4",
  "nicolaka/netshoot:v0.14",
  "gatebench/wrk:4.1.0",
  "gatebench/hey:0.1.4",
  "mangomm/go-bench-suite:latest",
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

async function measured(bench: Bench = {}): Promise<Seen> {
  const { program, seen } = benchProgram({ targets: { nginx: { adapter: nginx(), scenario: plain } }, ...bench }, site);
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

test("go-bench-suite is started out of its image's own folder, and verified as on one machine", async () => {
  const { cells, verifications } = await measured({ app: goBenchSuite() });
  const untested = verifications.nginx?.laws.filter(({ finding }) => finding.verdict !== "held");
  expect(untested?.map(({ finding }) => finding)).toEqual([
    { verdict: "untested", reason: "the upstream counts nothing" },
    { verdict: "untested", reason: "the upstream counts nothing" },
  ]);
  expect(cells.nginx?.rps).toBeGreaterThan(100);
});
