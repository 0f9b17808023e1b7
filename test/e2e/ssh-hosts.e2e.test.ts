/** A benchmark on three machines that are reached over SSH: the twin's (test/twin), with real sshd and real Docker each. */
import { nginx } from "@gatebench/gateways";
import { wrk } from "@gatebench/generators";
import { benchProgram, openRig, plain, type Rig, type Seen } from "./rig";
import { openMachines, type SshMachines } from "./ssh-machines";

jest.setTimeout(180_000);

let ssh: SshMachines;
let rig: Rig;

beforeAll(async () => {
  ssh = await openMachines();
  rig = await openRig("ssh");
});
afterAll(async () => {
  await rig.destroy().finally(() => ssh.twin.destroy());
});

async function measured(generator = wrk()): Promise<Seen> {
  const { program, seen } = benchProgram({ generator, targets: { nginx: { adapter: nginx(), scenario: plain } } }, () =>
    ssh.site(),
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
