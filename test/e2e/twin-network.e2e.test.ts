/** Networks of the twin of EC2 (test/twin): a VPC's addresses are its own, whichever others stand beside it */
import * as aws from "@pulumi/aws";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { openRig, type Rig } from "./rig";
import { leftOf, madeBy, openTwin, type Answer, type Twin } from "./twin";

jest.setTimeout(60_000);

let twin: Twin;
let rig: Rig;

beforeAll(async () => {
  twin = openTwin();
  rig = await openRig("twin-network", twin.env);
});
afterAll(async () => {
  await rig.destroy().finally(() => twin.destroy());
});

/** Private addresses by machine, by network: each network is 10.0.0.0/16 with the subnet 10.0.1.0/28. */
type Networks = Readonly<Record<string, Readonly<Record<string, string | undefined>>>>;

const program =
  (networks: Networks): PulumiFn =>
  async () =>
    Object.assign({}, ...Object.entries(networks).map(([name, machines]) => declare(name, machines)));

function declare(name: string, machines: Readonly<Record<string, string | undefined>>) {
  const vpc = new aws.ec2.Vpc(name, { cidrBlock: "10.0.0.0/16" });
  const subnet = new aws.ec2.Subnet(name, { vpcId: vpc.id, cidrBlock: "10.0.1.0/28", mapPublicIpOnLaunch: true });
  const key = new aws.ec2.KeyPair(name, { publicKey: twin.publicKey });
  const ami = aws.ssm.getParameterOutput({
    name: "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64",
  }).value;
  return Object.fromEntries(
    Object.entries(machines).map(([machine, privateIp]) => {
      const place = { subnetId: subnet.id, keyName: key.keyName, privateIp };
      const args = { ami, instanceType: "c5.large", instanceInitiatedShutdownBehavior: "terminate", ...place };
      return [machine, new aws.ec2.Instance(machine, args, { deleteBeforeReplace: true })];
    }),
  );
}

interface Known {
  readonly id: string;
  readonly publicIp: string;
  readonly privateIp: string;
}

async function up(networks: Networks): Promise<Readonly<Record<string, Known>>> {
  await rig.up(program(networks));
  const outputs = await rig.stack.outputs();
  return Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value as Known]));
}

const both = { one: { a: "10.0.1.10", b: undefined }, other: { c: "10.0.1.10" } };

test("two networks of the same addresses live at once, each with its own machine at one of them", async () => {
  const { a, b, c } = (await up(both)) as Record<"a" | "b" | "c", Known>;
  expect([a.privateIp, c.privateIp]).toEqual(["10.0.1.10", "10.0.1.10"]);
  expect(b.privateIp).toMatch(/^10\.0\.1\.\d+$/);
  const keys = await Promise.all(
    [a, c].map(({ publicIp }) => twin.ssh(publicIp, "cat /etc/ssh/ssh_host_ed25519_key.pub")),
  );
  const [keyOfA, keyOfC] = keys.map(keyIn);
  expect(keyOfA).not.toBe(keyOfC);
  expect(keyIn(await twin.ssh(b.publicIp, "ssh-keyscan -t ed25519 10.0.1.10"))).toBe(keyOfA);
});

const keyIn = ({ stdout }: Answer) => /ssh-ed25519 (\S+)/.exec(stdout)?.[1];

test.each([
  ["10.0.2.10", "InvalidParameterValue: Address 10.0.2.10 does not fall within the subnet's address range"],
  ["10.0.1.3", "InvalidParameterValue: Address 10.0.1.3 is in subnet's reserved address range"],
  ["10.0.1.15", "InvalidParameterValue: Address 10.0.1.15 is in subnet's reserved address range"],
  ["10.0.1.10", "InvalidIPAddress.InUse: Address 10.0.1.10 is in use."],
  ["10.0.1", "must be an IPv4 address"],
])("refuses the private address %s as EC2 does", async (privateIp, words) => {
  await expect(up({ ...both, one: { ...both.one, d: privateIp } })).rejects.toThrow(words);
});

test("another private address makes another machine", async () => {
  const { a: before } = await up(both);
  const { a: after } = await up({ ...both, one: { ...both.one, a: "10.0.1.12" } });
  expect(after).toMatchObject({ privateIp: "10.0.1.12" });
  expect(after?.id).not.toBe(before?.id);
  expect(await twin.ssh((after as Known).publicIp, "hostname")).toMatchObject({ stdout: "ip-10-0-1-12\n" });
});

test("a machine that shuts itself down is terminated, if that was asked for", async () => {
  const { c } = (await up(both)) as Record<"c", Known>;
  await twin.ssh(c.publicIp, "sudo shutdown -h now");
  const isRunning = async () => (await twin.machines()).find(({ id }) => id === c.id)?.running;
  while (await isRunning()) await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await rig.stack.refresh()).summary.resourceChanges).toMatchObject({ delete: 1 });
  expect((await up(both)).c?.privateIp).toBe("10.0.1.10");
});

test("leaves nothing when it is destroyed", async () => {
  const made = await madeBy(twin);
  expect(made.devices).toHaveLength(5);
  await rig.stack.destroy();
  const { devices, namespaces, processes } = leftOf(twin.state, made);
  expect([devices, namespaces, processes]).toEqual([[], [], []]);
});
