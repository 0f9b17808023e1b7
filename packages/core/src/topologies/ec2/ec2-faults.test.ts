import { lineOf } from "../../contract";
import { ec2Faults } from "./ec2-faults";
import { cpusOfMachine } from "./instance-faults";
import { imageFaults, typeFaults } from "./ec2-machine";
import { instanceTypeNamed, type InstanceType } from "./instance-type";
import type { Ec2TopologyArgs } from "./ec2-topology";

const big = { instanceType: "c5.9xlarge" };
const sound: Ec2TopologyArgs = {
  sshFrom: "203.0.113.7/32",
  upstream: { instanceType: "c5.2xlarge" },
  gateway: big,
  generator: big,
};
const faultsOf = (changes: object) => ec2Faults({ ...sound, ...changes } as Ec2TopologyArgs).map(lineOf);

test("the machines of the published test are no fault", () => {
  expect(ec2Faults(sound)).toEqual([]);
});

test.each<[why: string, changes: object, line: RegExp]>([
  ["nobody may log in", { sshFrom: undefined }, /^invalid-option: sshFrom is missing: who may log in\?/],
  ["an address without a length", { sshFrom: "203.0.113.7" }, /^invalid-option: sshFrom "203.0.113.7" is no CIDR/],
  ["a name", { sshFrom: "home" }, /sshFrom "home" is no CIDR/],
  ["the whole world", { sshFrom: "0.0.0.0/0" }, /lets the whole world try to log in.*sshFromAnywhere: true/],
  ["no unit", { ttl: "4" }, /ttl "4" is not a duration/],
  ["a life too short to boot in", { ttl: "2m" }, /ttl 2m is not from 10m to 168h/],
  ["a life without end", { ttl: "1000h" }, /ttl 1000h is not from 10m to 168h/],
  ["a burstable gateway", { gateway: { instanceType: "t3.large" } }, /gateway.instanceType t3.large is burstable/],
  ["a burstable upstream", { upstream: { instanceType: "t4g.small" } }, /upstream.instanceType t4g.small is burstable/],
  ["no such size", { gateway: { instanceType: "c5.huge" } }, /gateway.instanceType "c5.huge" is none/],
  ["a size alone", { generator: { instanceType: "9xlarge" } }, /generator.instanceType "9xlarge" is none/],
  [
    "metal that does not tell its CPUs",
    { generator: { instanceType: "x9new.metal" }, allowSmallGenerator: true },
    /generator.instanceType x9new.metal does not tell its CPUs; give generator.cpus/,
  ],
  ["half a CPU", { upstream: { ...big, cpus: 0.5 } }, /upstream.cpus is 0.5/],
  [
    "two threads where there is one",
    { upstream: { instanceType: "c6g.large", threadsPerCore: 2 } },
    /has one thread to a core/,
  ],
  ["no room for the image", { upstream: { ...big, diskGib: 4 } }, /upstream.diskGib is 4; give 8 to 16384/],
  [
    "a generator smaller than the gateway",
    { generator: { instanceType: "c5.large" } },
    /has 2 CPUs, and the gateway 36: it would measure itself/,
  ],
  ["a generator made smaller", { generator: { ...big, threadsPerCore: 1 } }, /has 18 CPUs, and the gateway 36/],
  [
    "an image of one architecture for two",
    { machineImage: "ami-1", upstream: { instanceType: "c6g.large" } },
    /machineImage ami-1 has one architecture/,
  ],
  ["a network that is none", { cidr: "10.77.0.0" }, /cidr "10.77.0.0" is no network/],
  ["a network too small", { cidr: "10.77.0.0/30" }, /give one of \/16 to \/28/],
  ["a network too large", { cidr: "10.0.0.0/8" }, /give one of \/16 to \/28/],
  [
    "two networks",
    { cidr: "10.77.0.0/24", network: { vpcId: "v", subnetId: "s", firstAddress: "10.0.4.20" } },
    /cidr and network are both given/,
  ],
  [
    "a first address that is none",
    { network: { vpcId: "v", subnetId: "s", firstAddress: "first" } },
    /network.firstAddress "first" is no address/,
  ],
  [
    "no machine for upstreams",
    { upstream: [] },
    /upstream is a list of 0 machines; give one machine, or a list of 1 to 16/,
  ],
  [
    "a burstable one among upstreams",
    { upstream: [big, { instanceType: "t3.large" }] },
    /upstream-2.instanceType t3.large/,
  ],
  [
    "a network without room for a second upstream",
    { cidr: "10.77.0.0/28", upstream: [big, big] },
    /cidr "10.77.0.0\/28" has no address left for upstream-2; give a larger one/,
  ],
  [
    "a network without room for workers",
    { cidr: "10.77.0.0/28", workers: [big, big, big] },
    /cidr "10.77.0.0\/28" has no address left for worker-3/,
  ],
  [
    "a network without room for an observer",
    { cidr: "10.77.0.0/27", observer: { instanceType: "c5.large" } },
    /cidr "10.77.0.0\/27" has no address left for observer/,
  ],
  [
    "an observer of no type",
    { observer: { instanceType: "large" } },
    /^invalid-option: observer.instanceType "large" is none/,
  ],
  ["more workers than there are addresses", { workers: Array(9).fill(big) }, /9 workers are more than 8/],
])("%s is refused in one line", (_, changes, line) => {
  const lines = faultsOf(changes);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(line);
});

test("everything is told at once", () => {
  expect(faultsOf({ sshFrom: "", ttl: "x", gateway: { instanceType: "t3.large" } })).toHaveLength(3);
});

test("what was asked for in so many words is no fault", () => {
  const asked = { sshFrom: "0.0.0.0/0", sshFromAnywhere: true, allowBurstable: true, allowSmallGenerator: true };
  expect(
    faultsOf({ ...asked, gateway: { instanceType: "t3.2xlarge" }, generator: { instanceType: "t3.small" } }),
  ).toEqual([]);
});

test("workers send too: together they may be as large as the gateway", () => {
  const half = { instanceType: "c5.4xlarge" };
  expect(faultsOf({ generator: half, workers: [half, { instanceType: "c5.xlarge" }] })).toEqual([]);
});

test("without a gateway no generator is too small", () => {
  expect(faultsOf({ gateway: undefined, generator: { instanceType: "c5.large" } })).toEqual([]);
});

test("one thread to a core is half of the CPUs", () => {
  expect(cpusOfMachine({ ...big, threadsPerCore: 1 })).toBe(18);
  expect(cpusOfMachine({ instanceType: "c6g.4xlarge", threadsPerCore: 1 })).toBe(16);
  expect(cpusOfMachine({ instanceType: "x9new.metal", cpus: 200 })).toBe(200);
});

describe("what EC2 says of a type", () => {
  const told = {
    defaultVcpus: 36,
    supportedArchitectures: ["x86_64"],
    supportedPlacementStrategies: ["cluster", "spread"],
  };
  const said = (changes: object, near = true) => typeFaults("gateway", big, { ...told, ...changes }, near).map(lineOf);

  test("is what its name told", () => {
    expect(said({})).toEqual([]);
  });

  test.each<[object, RegExp]>([
    [{ defaultVcpus: 40 }, /has 40 CPUs, and 36 were planned for. Give gateway.cpus: 40/],
    [{ supportedArchitectures: ["arm64"] }, /runs arm64, not x86_64/],
    [{ supportedPlacementStrategies: ["spread"] }, /cannot be placed near others/],
  ])("or not: %j", (changes, line) => {
    expect(said(changes)).toEqual([expect.stringMatching(line)]);
  });

  test("a type that cannot be near others is no fault where none is to be", () => {
    expect(said({ supportedPlacementStrategies: [] }, false)).toEqual([]);
  });
});

test("an image runs on types of its own architecture alone", () => {
  const type = instanceTypeNamed("c5.large") as InstanceType;
  expect(imageFaults("gateway", type, "ami-1", "x86_64")).toEqual([]);
  expect(imageFaults("gateway", type, "ami-1", "arm64").map(lineOf)).toEqual([
    "invalid-option: machineImage ami-1 is of arm64, and gateway.instanceType c5.large runs x86_64. Choose an image or a type of the same, or leave the image out.",
  ]);
});
