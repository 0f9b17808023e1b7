/**
 * What gatebench relies on in the eks plug-in, with its stand-in (test/cluster/eks): the stand-in of the aws plug-in carries
 * what it makes, on the nodes of a cluster of test/cluster.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as aws from "@pulumi/aws";
import * as eks from "@pulumi/eks";
import * as k8s from "@pulumi/kubernetes";
import { openStack, openStackCluster, type StackCluster, type TestStack } from "./kubernetes-stack";
import { openTwin, type Twin } from "./twin";

jest.setTimeout(180_000);

let cluster: StackCluster;
let twin: Twin;
const tools = mkdtempSync(join(tmpdir(), "gatebench-aws-cli-"));
const open: TestStack[] = [];

beforeAll(async () => {
  cluster = await openStackCluster("gateway,generator");
  twin = openTwin();
  writeFileSync(join(tools, "aws"), "#!/bin/sh\necho aws-cli/2.15.0 Python/3.11\n");
  chmodSync(join(tools, "aws"), 0o755);
});

afterAll(async () => {
  for (const stack of open) await stack.close();
  await twin?.destroy();
  await cluster?.destroy();
  rmSync(tools, { recursive: true, force: true });
});

async function stackOf(name: string, hasCli = true): Promise<TestStack> {
  const path = [cluster.env["PATH"], join(__dirname, "..", "twin", "bin")].join(":").split(":");
  const withoutCli = path.filter((folder) => !existsSync(join(folder, "aws")));
  const folders = hasCli ? [tools, ...path] : withoutCli;
  const stack = await openStack(name, { ...twin.env, ...cluster.env, PATH: folders.join(":") });
  open.push(stack);
  return stack;
}

const trust = (service: string) =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Action: "sts:AssumeRole", Effect: "Allow", Principal: { Service: service } }],
  });

type Group = Partial<eks.ManagedNodeGroupArgs>;

/** A cluster with one node group, as a program of ours would declare them. */
const program =
  (group: Group = {}, args: Partial<eks.ClusterArgs> = {}) =>
  () => {
    const vpc = new aws.ec2.Vpc("vpc", { cidrBlock: "10.60.0.0/16" });
    const subnetIds = ["a", "b"].map((zone, index) => {
      const place = { cidrBlock: `10.60.${index}.0/24`, availabilityZone: `eu-central-1${zone}` };
      return new aws.ec2.Subnet(`subnet-${zone}`, { vpcId: vpc.id, ...place }).id;
    });
    const serviceRole = new aws.iam.Role("cluster-role", { assumeRolePolicy: trust("eks.amazonaws.com") });
    const nodeRole = new aws.iam.Role("node-role", { assumeRolePolicy: trust("ec2.amazonaws.com") });
    const policyArn = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy";
    new aws.iam.RolePolicyAttachment("worker", { role: nodeRole.name, policyArn });
    const place = { vpcId: vpc.id, subnetIds, serviceRole, skipDefaultNodeGroup: true };
    const made = new eks.Cluster("bench", { ...place, authenticationMode: "API", ...args });
    const nodes = new eks.ManagedNodeGroup("gateway", {
      ...{ cluster: made, nodeRole, instanceTypes: ["c5.xlarge"], amiType: "AL2023_x86_64_STANDARD" },
      ...{ scalingConfig: { desiredSize: 1, minSize: 1, maxSize: 1 }, labels: { "gatebench/pool": "gateway" } },
      taints: [{ key: "gatebench/lonely", value: "yes", effect: "NO_SCHEDULE" }],
      ...group,
    });
    const provider = new k8s.Provider("cluster", { kubeconfig: made.kubeconfigJson });
    new k8s.core.v1.ConfigMap("map", { metadata: { name: "map" }, data: { a: "1" } }, { provider, dependsOn: nodes });
    return { endpoint: made.eksCluster.endpoint, name: made.eksCluster.name, status: nodes.nodeGroup.status };
  };

async function node(name: string) {
  return JSON.parse(await cluster.kubectl("get", "node", name, "--output", "json"));
}

describe("a cluster with a node group", () => {
  let stack: TestStack;
  beforeAll(async () => void (stack = await stackOf("life")));

  test("can be previewed before there is anything", async () => {
    const { error, operations } = await stack.preview(program());
    expect(error).toBeUndefined();
    expect(operations).toMatchObject({ "bench-eksCluster": ["create"], map: ["create"] });
  });

  test("hands out the cluster of the tests, on which a provider makes objects", async () => {
    const { error, outputs } = await stack.up(program());
    expect(error).toBeUndefined();
    expect(outputs["endpoint"]?.value).toMatch(/^https:\/\/10\.77\.\d+\.10:\d+$/);
    expect(outputs["status"]?.value).toBe("ACTIVE");
    expect(await cluster.kubectl("get", "configmap", "map", "--output", "name")).toBe("configmap/map\n");
  });

  test("marks the node of its pool as EKS would, and no other", async () => {
    const { metadata, spec } = await node("gateway");
    expect(metadata.labels).toMatchObject({
      "eks.amazonaws.com/capacityType": "ON_DEMAND",
      "node.kubernetes.io/instance-type": "c5.xlarge",
    });
    expect(spec.taints).toContainEqual({ key: "gatebench/lonely", value: "yes", effect: "NoSchedule" });
    expect((await node("generator")).metadata.labels["eks.amazonaws.com/nodegroup"]).toBeUndefined();
  });

  test("a second up changes nothing; other taints are an update, another type is a new group", async () => {
    expect(Object.values((await stack.up(program())).operations).flat()).not.toContain("update");
    expect((await stack.up(program({ taints: [] }))).error).toBeUndefined();
    expect((await node("gateway")).spec.taints.map(({ key }: { key: string }) => key)).toEqual(["gatebench/pool"]);
    const { operations } = await stack.preview(program({ instanceTypes: ["c5.2xlarge"] }));
    expect(operations["gateway"]).toContain("create-replacement");
  });

  test("leaves the nodes as they were", async () => {
    expect((await stack.destroy()).error).toBeUndefined();
    const { metadata, spec } = await node("gateway");
    expect(metadata.labels["gatebench/pool"]).toBe("gateway");
    expect(Object.keys(metadata.labels).filter((name) => name.startsWith("eks."))).toEqual([]);
    expect(spec.taints.map(({ key }: { key: string }) => key)).toEqual(["gatebench/pool"]);
  });
});

describe("what is refused", () => {
  test("a machine without the aws command, in the preview", async () => {
    const { said } = await (await stackOf("no-cli", false)).preview(program());
    expect(said).toContain("Could not find aws CLI for EKS. See https://docs.aws.amazon.com/cli/latest/userguide/");
  });

  const cases: readonly [title: string, group: Group, args: Partial<eks.ClusterArgs>, reason: string][] = [
    ["a group without a role", { nodeRole: undefined }, {}, "An IAM role, or role ARN must be provided"],
    [
      "a group with two roles",
      { nodeRoleArn: "arn:aws:iam::1:role/a" },
      {},
      "You cannot specify both nodeRole and nodeRoleArn",
    ],
    [
      "a default node group",
      {},
      { skipDefaultNodeGroup: false },
      "set skipDefaultNodeGroup, and give node groups of your own",
    ],
    ["an unknown way in", {}, { authenticationMode: "IAM" as "API" }, "Invalid value for authenticationMode: IAM"],
  ];
  test.each(cases)("%s", async (title, group, args, reason) => {
    const { error, said } = await (await stackOf(title.replaceAll(" ", "-"))).preview(program(group, args));
    expect(`${said}${error?.message}`).toContain(reason);
  });

  const later: readonly [title: string, group: Group, reason: string][] = [
    ["an unknown instance type", { instanceTypes: ["c5.huge"] }, "instance types do not exist: [c5.huge]"],
    [
      "an image for other processors",
      { amiType: "AL2023_ARM_64_STANDARD" },
      "valid instance type for requested amiType",
    ],
    [
      "more nodes than the pool has",
      { scalingConfig: { desiredSize: 2, minSize: 1, maxSize: 2 } },
      "NodeCreationFailure: the cluster of the tests has 1 free nodes with gatebench/pool=gateway, and 2 are wanted",
    ],
  ];
  test.each(later)("%s, once the group is made", async (title, group, reason) => {
    const stack = await stackOf(title.replaceAll(" ", "-"));
    expect((await stack.up(program(group))).said).toContain(reason);
    expect((await stack.destroy()).error).toBeUndefined();
  });
});
