import { lineOf } from "../contract";
import { MockedEngine } from "../hosts/mocked-engine";
import { sshFaults, SshTopology, type SshMachine, type SshTopologyArgs } from "./ssh-topology";

const machine = (number: number): SshMachine => ({
  ...{ host: `203.0.113.${number}`, user: "me", privateKey: "the-key" },
  ...{ address: `10.0.0.${number}`, cpus: number },
});
const sound: SshTopologyArgs = { upstream: machine(1), gateway: machine(2), generator: machine(3) };

async function made(changes: Partial<SshTopologyArgs>): Promise<SshTopology> {
  return new MockedEngine().run(() => new SshTopology("rig", { ...sound, ...changes }));
}

test("one machine for upstreams, or several", async () => {
  const one = await made({});
  expect(one.upstreams.map(({ address }) => address)).toEqual(["10.0.0.1"]);
  const two = await made({ upstream: [machine(1), machine(4)] });
  expect(two.upstreams.map(({ name, address, cpus }) => [name, address, cpus])).toEqual([
    ["upstream", "10.0.0.1", 1],
    ["upstream-2", "10.0.0.4", 4],
  ]);
  expect(two.upstream).toBe(two.upstreams[0]);
});

test("a machine in two roles is one host", async () => {
  const rig = await made({ upstream: [machine(1), machine(2)] });
  expect(rig.upstreams[1]).toBe(rig.gateway);
});

test("an observer stands where it is put, or with the generator", async () => {
  expect((await made({ observer: machine(5) })).observer).toMatchObject({ name: "observer", address: "10.0.0.5" });
  const without = await made({});
  expect(without.observer).toBe(without.generator);
  const beside = await made({ observer: machine(1) });
  expect(beside.observer).toBe(beside.upstream);
});

test("each mistake names its machine", () => {
  const linesFor = (upstream: SshTopologyArgs["upstream"]) => sshFaults({ ...sound, upstream }).map(lineOf);
  expect(linesFor([])).toEqual([
    "invalid-option: upstream is a list of 0 machines; give one machine, or a list of 1 to 16.",
  ]);
  expect(linesFor([machine(1), { ...machine(4), cpus: 0 }])).toEqual([
    "invalid-option: upstream-2.cpus is 0; give the number of its CPUs, as nproc says.",
  ]);
  expect(sshFaults({ ...sound, observer: { ...machine(5), user: "" } }).map(lineOf)).toEqual([
    'invalid-option: observer.user "" is none; give the account that may use Docker.',
  ]);
});
