import * as pulumi from "@pulumi/pulumi";
import { MockedEngine, isSecret, plain, sshKey, type Cloud } from "../../hosts/mocked-engine";
import { Ec2Topology, type Ec2TopologyArgs } from "./ec2-topology";

const cloud: Cloud = {
  "aws:ec2/instance:Instance": ({ privateIp }) => ({ publicIp: `of ${String(privateIp)}` }),
  "aws:ec2/keyPair:KeyPair": () => ({ keyName: "the-pair" }),
  "aws:ec2/placementGroup:PlacementGroup": () => ({ name: "the-group" }),
  "aws:ssm/getParameter:getParameter": ({ name }) => ({ value: `ami of ${String(name).split("/").pop()}` }),
  "aws:ec2/getAmi:getAmi": () => ({ architecture: "x86_64" }),
  "aws:ec2/getInstanceType:getInstanceType": ({ instanceType }) => ({
    defaultVcpus: { "c5.2xlarge": 8, "c5.9xlarge": 36, "c6g.2xlarge": 8, "t3.large": 2 }[instanceType as string],
    supportedArchitectures: [/g\./.test(instanceType as string) ? "arm64" : "x86_64"],
    supportedPlacementStrategies: ["cluster"],
  }),
};

const published: Ec2TopologyArgs = {
  sshFrom: "203.0.113.7/32",
  upstream: { instanceType: "c5.2xlarge" },
  gateway: { instanceType: "c5.9xlarge" },
  generator: { instanceType: "c5.9xlarge" },
};

async function made(changes: Partial<Ec2TopologyArgs> = {}): Promise<{ engine: MockedEngine; rig: Ec2Topology }> {
  const engine = new MockedEngine(undefined, cloud);
  const rig = await engine.run(() => new Ec2Topology("rig", { ...published, ...changes }));
  return { engine, rig };
}

const inputsOf = (engine: MockedEngine, name: string) => engine.named(name).inputs;
const instances = (engine: MockedEngine) => engine.names("aws:ec2/instance:Instance");

test("three machines with addresses and CPUs that are known while planning", async () => {
  const { engine, rig } = await made();
  expect(instances(engine)).toEqual(["rig-upstream-instance", "rig-gateway-instance", "rig-generator-instance"]);
  const { upstream, gateway, generator } = rig;
  expect([upstream, gateway, generator].map(({ name, address, cpus }) => [name, address, cpus])).toEqual([
    ["upstream", "10.77.0.10", 8],
    ["gateway", "10.77.0.11", 36],
    ["generator", "10.77.0.12", 36],
  ]);
  expect(gateway).toMatchObject({ kind: "ssh", runs: ["containers"] });
  expect(gateway.site.topology).toBe("ec2");
});

test("one network with a way out, and nothing else of AWS", async () => {
  const { engine } = await made();
  const types = engine.registered.map(({ type }) => type).filter((type) => type.startsWith("aws:"));
  expect(
    Object.fromEntries([...new Set(types)].map((type) => [type, types.filter((one) => one === type).length])),
  ).toEqual({
    "aws:ec2/keyPair:KeyPair": 1,
    "aws:ec2/vpc:Vpc": 1,
    "aws:ec2/subnet:Subnet": 1,
    "aws:ec2/internetGateway:InternetGateway": 1,
    "aws:ec2/routeTable:RouteTable": 1,
    "aws:ec2/routeTableAssociation:RouteTableAssociation": 1,
    "aws:ec2/securityGroup:SecurityGroup": 1,
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": 2,
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": 1,
    "aws:ec2/placementGroup:PlacementGroup": 1,
    "aws:ec2/instance:Instance": 3,
  });
  expect(inputsOf(engine, "rig-routes").routes).toEqual([{ cidrBlock: "0.0.0.0/0", gatewayId: "rig-internet-id" }]);
});

test("SSH from one address, everything among the machines, nothing else from outside", async () => {
  const { engine } = await made();
  const rules = engine
    .names("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule")
    .map((name) => inputsOf(engine, name));
  expect(rules).toEqual([
    expect.objectContaining({ ipProtocol: "tcp", fromPort: 22, toPort: 22, cidrIpv4: "203.0.113.7/32" }),
    expect.objectContaining({ ipProtocol: "-1", referencedSecurityGroupId: "rig-group-id" }),
  ]);
  expect(rules.flatMap(({ cidrIpv4 = [] }) => cidrIpv4)).toEqual(["203.0.113.7/32"]);
  expect(inputsOf(engine, "rig-out")).toMatchObject({ ipProtocol: "-1", cidrIpv4: "0.0.0.0/0" });
});

test("an observer has a machine and an address of its own, and moves nobody's; nothing is opened for it", async () => {
  const { engine, rig } = await made({ observer: { instanceType: "c5.2xlarge" } });
  expect(instances(engine)).toContain("rig-observer-instance");
  expect([rig.observer, rig.generator].map(({ name, address }) => [name, address])).toEqual([
    ["observer", "10.77.0.36"],
    ["generator", "10.77.0.12"],
  ]);
  const rules = engine.names("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule");
  expect(rules).toEqual(["rig-ssh", "rig-within"]);
  const { rig: without } = await made();
  expect(without.observer).toBe(without.generator);
});

test("what opens the machines is known to who may read secrets", async () => {
  const { rig } = await made();
  expect(await pulumi.isSecret(rig.privateKey)).toBe(true);
  expect(await new Promise((resolve) => rig.privateKey.apply(resolve))).toBe(sshKey.privateKey);
});

test("a machine: pinned image, encrypted disk, tokens for its metadata, an end of its own", async () => {
  const { engine } = await made({ ttl: "90m" });
  const { userData, ...inputs } = inputsOf(engine, "rig-gateway-instance");
  expect(inputs).toMatchObject({
    ami: "ami of al2023-ami-kernel-default-x86_64",
    instanceType: "c5.9xlarge",
    privateIp: "10.77.0.11",
    associatePublicIpAddress: true,
    keyName: "the-pair",
    placementGroup: "the-group",
    instanceInitiatedShutdownBehavior: "terminate",
    metadataOptions: { httpEndpoint: "enabled", httpTokens: "required", httpPutResponseHopLimit: 1 },
    rootBlockDevice: { encrypted: true, volumeType: "gp3", volumeSize: 30, deleteOnTermination: true },
    tags: { Project: "gatebench", Stack: "project/stack", Ttl: "90m", Name: "rig-gateway", Role: "gateway" },
  });
  expect(userData).toContain("end=/var/lib/cloud/scripts/per-boot/gatebench-end");
  expect(userData).toContain("shutdown -h +90 ");
  expect(userData).toContain("dnf install --quiet --assumeyes docker");
});

test("each architecture gets its own image", async () => {
  const { engine } = await made({ upstream: { instanceType: "c6g.2xlarge" } });
  expect(inputsOf(engine, "rig-upstream-instance").ami).toBe("ami of al2023-ami-kernel-default-arm64");
});

test("an image of one's own is asked for its architecture", async () => {
  const { engine } = await made({ machineImage: "ami-mine" });
  expect(inputsOf(engine, "rig-gateway-instance").ami).toBe("ami-mine");
});

test("a baseline has no machine for a gateway", async () => {
  const { engine, rig } = await made({ gateway: undefined });
  expect(instances(engine)).toEqual(["rig-upstream-instance", "rig-generator-instance"]);
  expect(rig.gateway).toBe(rig.upstream);
});

test("a machine more moves no other", async () => {
  const [without, within] = [
    (await made({ gateway: undefined })).rig,
    (await made({ workers: [{ instanceType: "c5.2xlarge" }] })).rig,
  ];
  expect([without.upstream, without.generator].map(({ address }) => address)).toEqual(["10.77.0.10", "10.77.0.12"]);
  expect([within.upstream, within.gateway, within.generator, ...within.workers].map(({ address }) => address)).toEqual([
    "10.77.0.10",
    "10.77.0.11",
    "10.77.0.12",
    "10.77.0.13",
  ]);
});

describe("several machines for upstreams", () => {
  const two = { upstream: [{ instanceType: "c5.2xlarge" }, { instanceType: "t3.large" }], allowBurstable: true };

  test("are hosts of one role, reached over private addresses; the first is the one there was", async () => {
    const { engine, rig } = await made({ ...two, workers: [{ instanceType: "c5.2xlarge" }] });
    expect(instances(engine)).toEqual([
      ...["rig-upstream-instance", "rig-upstream-2-instance", "rig-gateway-instance", "rig-generator-instance"],
      "rig-worker-1-instance",
    ]);
    expect(rig.upstreams.map(({ name, address, cpus }) => [name, address, cpus])).toEqual([
      ["upstream", "10.77.0.10", 8],
      ["upstream-2", "10.77.0.21", 2],
    ]);
    expect(rig.upstream).toBe(rig.upstreams[0]);
    expect([rig.gateway, rig.generator, ...rig.workers].map(({ address }) => address)).toEqual([
      ...["10.77.0.11", "10.77.0.12", "10.77.0.13"],
    ]);
  });

  test("stand in the same group, network and books as the others", async () => {
    const { engine } = await made(two);
    const [one, other] = ["rig-upstream-instance", "rig-upstream-2-instance"].map((name) => inputsOf(engine, name));
    for (const key of ["subnetId", "vpcSecurityGroupIds", "keyName", "userData"])
      expect(other?.[key]).toEqual(one?.[key]);
    expect(other).toMatchObject({ privateIp: "10.77.0.21", tags: { Name: "rig-upstream-2", Role: "upstream-2" } });
    expect(engine.named("rig").inputs).toMatchObject({
      machines: { upstream: "c5.2xlarge", "upstream-2": "t3.large" },
    });
  });

  test("a single one in a list is the one there was", async () => {
    const { rig } = await made({ upstream: [{ instanceType: "c5.2xlarge" }] });
    expect(rig.upstreams.map(({ name, address }) => [name, address])).toEqual([["upstream", "10.77.0.10"]]);
  });
});

test("no placement group where it is not wanted, or a type cannot have one", async () => {
  const burstable = { allowBurstable: true, upstream: { instanceType: "t3.large" } };
  for (const changes of [{ placementGroup: false }, burstable]) {
    const { engine } = await made(changes);
    expect(engine.names("aws:ec2/placementGroup:PlacementGroup")).toEqual([]);
    expect(inputsOf(engine, "rig-gateway-instance")).not.toHaveProperty("placementGroup");
  }
});

test("spot and single threads by choice", async () => {
  const { engine } = await made({ spot: true, upstream: { instanceType: "c5.2xlarge", threadsPerCore: 1 } });
  expect(inputsOf(engine, "rig-upstream-instance")).toMatchObject({
    cpuOptions: { coreCount: 4, threadsPerCore: 1 },
    instanceMarketOptions: { marketType: "spot" },
  });
});

test("an existing subnet is used, and none is made", async () => {
  const network = { vpcId: "vpc-mine", subnetId: "subnet-mine", firstAddress: "10.0.4.20" };
  const { engine, rig } = await made({ network });
  expect(engine.names("aws:ec2/vpc:Vpc")).toEqual([]);
  expect(inputsOf(engine, "rig-gateway-instance").subnetId).toBe("subnet-mine");
  expect(inputsOf(engine, "rig-group").vpcId).toBe("vpc-mine");
  expect([rig.upstream, rig.gateway, rig.generator].map(({ address }) => address)).toEqual([
    "10.0.4.20",
    "10.0.4.21",
    "10.0.4.22",
  ]);
});

test("the private key is secret wherever it stands, and opens what the public one is on", async () => {
  const { engine } = await made();
  expect(inputsOf(engine, "rig-key-pair").publicKey).toBe(sshKey.publicKey);
  const places = engine.registered.filter(({ type }) => type === "command:remote:Command");
  const roles = ["upstream", "gateway", "generator"];
  expect(places.map(({ name }) => name).sort()).toEqual(
    roles.flatMap((role) => [`rig-${role}-machine`, `rig-${role}-place`]).sort(),
  );
  for (const { inputs } of places) {
    expect(isSecret(inputs.connection)).toBe(true);
    expect(plain(inputs.connection)).toMatchObject({
      user: "ec2-user",
      host: expect.stringMatching(/^of 10\.77\.0\./),
    });
  }
  const clear = engine.registered.map(({ inputs, outputs }) => JSON.stringify([inputs, outputs], withoutSecrets));
  expect(clear.filter((text) => text.includes(sshKey.privateKey))).toEqual([]);
});

const withoutSecrets = (_: string, value: unknown): unknown => (isSecret(value) ? "secret" : value);

test("what is on a machine needs no taking down when the machine goes", async () => {
  const { engine } = await made();
  for (const name of ["rig-gateway-machine", "rig-gateway-place"])
    expect(engine.named(name).deletedWith).toBe("rig-gateway-instance");
});

test("another type is another machine: changed in place, it would have another public address", async () => {
  const { engine } = await made();
  for (const name of instances(engine)) {
    const { replaceOnChanges, deleteBeforeReplace } = engine.named(name);
    expect({ replaceOnChanges, deleteBeforeReplace }).toEqual({
      ...{ replaceOnChanges: ["instanceType"], deleteBeforeReplace: true },
    });
  }
});

test("bad arguments are refused before anything is created", async () => {
  const engine = new MockedEngine(undefined, cloud);
  await engine.run(() =>
    expect(() => new Ec2Topology("rig", { ...published, sshFrom: "0.0.0.0/0" })).toThrow(
      /^invalid-option: sshFrom 0.0.0.0\/0/,
    ),
  );
  expect(engine.registered.filter(({ type }) => type !== "pulumi:pulumi:Stack")).toEqual([]);
});
