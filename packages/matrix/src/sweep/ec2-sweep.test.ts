import * as sdk from "@aws-sdk/client-ec2";
import { ec2Sweep, type Ec2SweepOptions } from "./ec2-sweep";
import type { LeftGroup, Removal } from "./leftover";
import { StandInEc2, type Held } from "./stand-in-ec2";

jest.setTimeout(30_000);

let ec2: StandInEc2;
let client: sdk.EC2Client;

beforeEach(async () => {
  ec2 = await new StandInEc2().open();
  const credentials = { accessKeyId: "of-nobody", secretAccessKey: "nothing" };
  client = new sdk.EC2Client({ region: "eu-central-1", endpoint: ec2.endpoint, credentials, maxAttempts: 1 });
});
afterEach(async () => {
  client.destroy();
  await ec2.close();
});

const now = Date.parse("2026-11-21T20:00:00Z");
const ago = (hours: number) => new Date(now - hours * 3_600_000);
const tags = (stack = "gatebench-matrix/ec2-c5.large", more: Readonly<Record<string, string>> = {}) => ({
  ...{ Project: "gatebench", Stack: stack, Ttl: "4h" },
  ...more,
});

/** Everything of one topology, held by each other as on EC2; ids end with `n`. */
function topology(n: string, ofTags: Readonly<Record<string, string>>, machines: readonly Partial<Held>[]): void {
  const [vpc, subnet, group, table, internet] = ["vpc", "subnet", "sg", "rtb", "igw"].map((kind) => `${kind}-${n}`);
  const common = { tags: ofTags, vpc };
  const instances = machines.map((one, index) => ({ id: `i-${n}${index}`, ...common, ...one }));
  const held = [`key-${n}`, `near-${n}`, group, subnet] as string[];
  ec2.has("Instances", ...instances.map((one) => ({ ...one, holds: held })));
  ec2.has("KeyPairs", { id: `key-${n}`, ...common, since: ago(9) });
  ec2.has("PlacementGroups", { id: `near-${n}`, ...common });
  ec2.has("SecurityGroups", { id: group as string, ...common, holds: [vpc as string] });
  ec2.has("Subnets", { id: subnet as string, ...common, holds: [vpc as string, table as string] });
  ec2.has("RouteTables", { id: table as string, ...common, holds: [vpc as string] });
  ec2.has("InternetGateways", { id: internet as string, ...common, holds: [vpc as string] });
  ec2.has("Vpcs", { id: vpc as string, ...common });
}

const swept = (options: Partial<Ec2SweepOptions> = {}) =>
  ec2Sweep({ sdk, client }, { region: "eu-central-1", now, patienceS: 8, ...options });
const ids = ({ items }: LeftGroup) => items.map(({ id }) => id);

async function removed(options: Partial<Ec2SweepOptions> = {}): Promise<readonly Removal[]> {
  const found = await swept(options);
  const removals: Removal[] = [];
  await found.remove(
    found.groups.filter(({ inUse }) => inUse === undefined),
    (removal) => void removals.push(removal),
  );
  return removals;
}

test("nothing there is nothing left", async () => expect((await swept()).groups).toEqual([]));

test("what a run left is found by its tags, in the order in which it can go, with its age", async () => {
  topology("a", tags("p/s", { Name: "site-gateway" }), [{ since: ago(5) }, { since: ago(5) }, { since: ago(5) }]);
  const [group, ...none] = (await swept()).groups;
  expect(none).toEqual([]);
  expect(group).toMatchObject({ name: "p/s", where: "eu-central-1", inUse: undefined });
  expect(ids(group as LeftGroup)).toEqual([
    ...["i-a0", "i-a1", "i-a2", "key-a", "near-a", "sg-a", "subnet-a", "rtb-a", "igw-a", "vpc-a"],
  ]);
  expect(group?.items[0]).toMatchObject({ kind: "instance", about: "site-gateway, c5.large, running", since: ago(5) });
  expect(group?.items.at(-1)).toMatchObject({ kind: "VPC", since: undefined });
});

test("looking changes nothing", async () => {
  topology("a", tags(), [{ since: ago(5) }]);
  await swept();
  expect(ec2.changes).toEqual([]);
});

test("everything goes in an order in which EC2 refuses nothing", async () => {
  topology("a", tags("p/one"), [{ since: ago(5) }, { since: ago(5) }, { since: ago(6) }]);
  topology("b", tags("p/two"), []);
  const removals = await removed();
  expect(removals.filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect(removals).toHaveLength(17);
  expect(ec2.refusals).toEqual([]);
  expect(
    Object.values(ec2.there)
      .flat()
      .filter(({ tags }) => tags?.State !== "terminated"),
  ).toEqual([]);
  expect(ec2.changes.at(-1)).toBe("DeleteVpc vpc-b");
  expect((await swept()).groups).toEqual([]);
});

test("what is not ours is neither listed nor touched", async () => {
  topology("a", { ...tags("theirs/prod"), Project: "shop" }, [{ since: ago(500) }]);
  topology("b", { Name: "untagged" }, [{ since: ago(500) }]);
  expect(await removed()).toEqual([]);
  expect(ec2.changes).toEqual([]);
});

describe("a stack is in use", () => {
  test("as long as its youngest machine's time is not over, and then with all that is its", async () => {
    topology("a", tags("p/live"), [{ since: ago(3) }, { since: ago(9) }]);
    topology("b", tags("p/dead"), [{ since: ago(5) }]);
    const { groups } = await swept();
    expect(groups.map(({ name, inUse }) => [name, inUse])).toEqual([
      ["p/live", "its machines' time is over in 1 h 00 min"],
      ["p/dead", undefined],
    ]);
    await removed();
    expect(ec2.changes.filter((change) => /-a/.test(change))).toEqual([]);
    expect(ec2.changes).toHaveLength(9);
  });

  test("by its own time to live, not by a default", async () => {
    topology("a", tags("p/long", { Ttl: "24h" }), [{ since: ago(20) }]);
    topology("b", tags("p/short", { Ttl: "10m" }), [{ since: ago(0.5) }]);
    topology("c", { Project: "gatebench", Stack: "p/older" }, [{ since: ago(3.5) }]);
    topology("d", tags("p/odd", { Ttl: "soon" }), [{ since: ago(3.5) }]);
    expect((await swept()).groups.map(({ name, inUse }) => [name, inUse])).toEqual([
      ["p/long", "its machines' time is over in 15 h 00 min"],
      ["p/short", undefined],
      ["p/older", "its machines' time is over in 30 min"],
      ["p/odd", "its machines' time is over in 30 min"],
    ]);
  });

  test("from its key pair on, before there is a machine", async () => {
    ec2.has("KeyPairs", { id: "key-n", tags: tags("p/new"), since: ago(0.01) });
    ec2.has("Vpcs", { id: "vpc-n", tags: tags("p/new") });
    expect((await swept()).groups[0]?.inUse).toBe("its machines' time is over in 3 h 59 min");
  });

  test("unless it is asked for by its name", async () => {
    topology("a", tags("p/live"), [{ since: ago(1) }]);
    topology("b", tags("p/other"), [{ since: ago(1) }]);
    expect((await swept({ stack: "p/live" })).groups.map(({ name, inUse }) => [name, inUse])).toEqual([
      ["p/live", undefined],
    ]);
    await removed({ stack: "p/live" });
    expect(ec2.changes.filter((change) => /-b/.test(change))).toEqual([]);
    expect(ec2.changes).toHaveLength(9);
  });
});

test("what ended already is not there", async () => {
  topology("a", tags("p/s"), [{ since: ago(5), tags: tags("p/s", { State: "terminated" }), holds: [] }]);
  expect(ids((await swept()).groups[0] as LeftGroup)).not.toContain("i-a0");
});

test("what EC2 does not let go of yet is tried again", async () => {
  topology("a", tags(), []);
  ec2.errors.DeleteSecurityGroup = ["DependencyViolation"];
  expect((await removed({ patienceS: 5 })).filter(({ failure }) => failure !== undefined)).toEqual([]);
});

test("what cannot be removed is said, and the rest is removed all the same", async () => {
  topology("a", tags("p/one"), []);
  topology("b", tags("p/two"), []);
  ec2.errors.DeleteSubnet = ["UnauthorizedOperation"];
  const failures = (await removed({ patienceS: 0 })).filter(({ failure }) => failure !== undefined);
  expect(failures.map(({ item, failure }) => `${item.id}: ${failure}`)).toEqual([
    "subnet-a: UnauthorizedOperation: DeleteSubnet is refused",
    "rtb-a: DependencyViolation: rtb-a has dependencies and cannot be deleted.",
    "vpc-a: DependencyViolation: vpc-a has dependencies and cannot be deleted.",
  ]);
  expect(ec2.changes).toContain("DeleteVpc vpc-b");
});

test("what somebody else removed meanwhile is gone, and no failure", async () => {
  topology("a", tags(), []);
  const found = await swept();
  ec2.there.DescribeKeyPairs = [];
  ec2.errors.DeletePlacementGroup = ["InvalidPlacementGroup.Unknown"];
  const removals: Removal[] = [];
  await found.remove(found.groups, (removal) => void removals.push(removal));
  expect(removals.filter(({ failure }) => failure !== undefined)).toEqual([]);
});

test("an EC2 that refuses is one line", async () => {
  ec2.errors.DescribeInstances = ["UnauthorizedOperation"];
  await expect(swept()).rejects.toThrow(
    "cloud-refused: EC2 in eu-central-1 does not say what is there (UnauthorizedOperation: DescribeInstances is refused). Look at the credentials, the region and the connection; it takes the right to describe and delete what Ec2Topology makes.",
  );
});
