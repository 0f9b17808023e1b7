/**
 * EKS on the tests' Kubernetes cluster (test/cluster), whose state folder GATEBENCH_CLUSTER_STATE names: a cluster is that
 * cluster, a node group is a mark on its nodes. Nothing is waited for that EKS takes minutes for.
 */
import { join } from "node:path";
import { openApi } from "../../cluster/kubernetes/api.mjs";
import { accessOf } from "../../cluster/kubernetes/kubeconfig.mjs";
import { fault } from "../shell.mjs";
import { ACCOUNT, all, existing, get } from "./cloud.mjs";
import { block, flag, list, number, oneOf, tags, text, texts } from "./inputs.mjs";
import { instanceType } from "./instance-types.mjs";
import { EKS_CLUSTER, NODE_GROUP, ROLE, SUBNET } from "./types.mjs";

const NO_REQUEST = "00000000-0000-0000-0000-000000000000";
const POOL = "gatebench/pool";
const ADDED = "gatebench/eks-taints"; // Which taints of a node are its group's.
const MANAGER = "eks";

const eksError = (action, operation, code, said) =>
  new Error(
    `${action}: operation error EKS: ${operation}, https response error StatusCode: 400, RequestID: ${NO_REQUEST}, ${code}: ${said}`,
  );

/** Without this variable nothing is done. */
export function clusterAccess() {
  const folder = process.env.GATEBENCH_CLUSTER_STATE;
  if (folder) return accessOf(join(folder, "kubeconfig.json"));
  const advice = `Set it to the state folder that "node test/cluster/cluster.mjs up" printed.`;
  throw fault("cluster-state", `GATEBENCH_CLUSTER_STATE does not say which cluster stands for EKS. ${advice}`);
}

const vpcConfig = block({
  ...{ subnetIds: texts, securityGroupIds: texts, publicAccessCidrs: texts },
  ...{ endpointPrivateAccess: flag, endpointPublicAccess: flag },
});
const accessConfig = block({
  authenticationMode: oneOf("API", "API_AND_CONFIG_MAP", "CONFIG_MAP"),
  bootstrapClusterCreatorAdminPermissions: flag,
});

const cluster = {
  inputs: {
    ...{ name: text, region: text, roleArn: text, version: text, tags, vpcConfig, accessConfig },
    ...{ enabledClusterLogTypes: texts, deletionProtection: flag, bootstrapSelfManagedAddons: flag },
  },
  required: ["roleArn", "vpcConfig"],
  named: "name",
  replaces: ["name", "roleArn", "region"],
  outputs: [
    "arn",
    "certificateAuthorities",
    "certificateAuthority",
    "endpoint",
    "platformVersion",
    "status",
    "version",
  ],
  create: async (inputs, { region }) => {
    const { name, vpcConfig: network, roleArn } = inputs;
    const wrong = (code, said) => eksError(`creating EKS Cluster (${name})`, "CreateCluster", code, said);
    if (await get(EKS_CLUSTER, name))
      throw wrong("ResourceInUseException", `Cluster already exists with name: ${name}`);
    await roleOf(roleArn, wrong);
    await checkSubnets(network.subnetIds ?? [], wrong);
    const access = clusterAccess();
    const { major, minor } = await openApi(access).version();
    const certificateAuthority = { data: access.ca?.toString("base64") ?? "" };
    return {
      ...{
        id: name,
        arn: `arn:aws:eks:${region}:${ACCOUNT}:cluster/${name}`,
        endpoint: access.server,
        status: "ACTIVE",
      },
      ...{ certificateAuthority, certificateAuthorities: [certificateAuthority] },
      ...{ version: `${major}.${minor}`, platformVersion: "eks.1" },
    };
  },
  remove: async ({ id }) => {
    const groups = (await all(NODE_GROUP)).filter(({ inputs }) => inputs.clusterName === id);
    if (groups.length > 0)
      throw eksError(
        `deleting EKS Cluster (${id})`,
        "DeleteCluster",
        "ResourceInUseException",
        "Cluster has nodegroups attached",
      );
  },
};

async function roleOf(arn, wrong) {
  const roles = await all(ROLE);
  if (roles.some(({ outputs }) => outputs.arn === arn)) return;
  throw wrong("InvalidParameterException", `Role with arn: ${arn}, could not be assumed because it does not exist`);
}

async function checkSubnets(ids, wrong) {
  const missing = (id) => () =>
    wrong("InvalidParameterException", `The subnet ID '${id}' does not exist (Service: AmazonEC2)`);
  const subnets = await Promise.all(ids.map((id) => existing(SUBNET, id, missing(id))));
  const zones = new Set(subnets.map(({ outputs }) => outputs.availabilityZone));
  if (zones.size < 2)
    throw wrong("InvalidParameterException", "Subnets specified must be in at least two different AZs");
}

const AMI_TYPES = [
  ...["AL2023_x86_64_STANDARD", "AL2023_ARM_64_STANDARD", "BOTTLEROCKET_x86_64", "BOTTLEROCKET_ARM_64"],
  ...["AL2_x86_64", "AL2_ARM_64", "CUSTOM"],
];
const taint = block({ key: text, value: text, effect: oneOf("NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE") });

const nodeGroup = {
  inputs: {
    ...{ region: text, clusterName: text, nodeGroupName: text, nodeGroupNamePrefix: text, nodeRoleArn: text },
    ...{ subnetIds: texts, instanceTypes: texts, amiType: oneOf(...AMI_TYPES), version: text, diskSize: number },
    ...{ capacityType: oneOf("ON_DEMAND", "SPOT"), labels: tags, taints: list(taint), tags },
    scalingConfig: block({ desiredSize: number, minSize: number, maxSize: number }),
  },
  required: ["clusterName", "nodeRoleArn", "scalingConfig", "subnetIds"],
  conflicts: [["nodeGroupName", "nodeGroupNamePrefix"]],
  named: "nodeGroupName",
  replaces: [
    ...["clusterName", "nodeGroupName", "nodeGroupNamePrefix", "nodeRoleArn", "subnetIds", "instanceTypes"],
    ...["amiType", "capacityType", "diskSize", "region"],
  ],
  faults: (inputs) => groupFaults(inputs),
  outputs: ["arn", "status", "resources"],
  create: async (inputs, { region }) => {
    const { clusterName, nodeGroupName, nodeRoleArn } = inputs;
    const id = `${clusterName}:${nodeGroupName}`;
    const wrong = (code, said) => eksError(`creating EKS Node Group (${id})`, "CreateNodegroup", code, said);
    const absent = () => wrong("ResourceNotFoundException", `No cluster found for name: ${clusterName}.`);
    await existing(EKS_CLUSTER, clusterName, absent);
    if (await get(NODE_GROUP, id))
      throw wrong("ResourceInUseException", `NodeGroup already exists with name ${nodeGroupName}`);
    await roleOf(nodeRoleArn, wrong);
    await mark(await nodesFor(id, inputs), inputs);
    return { id, arn: `arn:aws:eks:${region}:${ACCOUNT}:nodegroup/${clusterName}/${nodeGroupName}`, status: "ACTIVE" };
  },
  update: async ({ id, inputs: before }, inputs) => {
    await unmark(before);
    await mark(await nodesFor(id, inputs), inputs);
    return {};
  },
  remove: ({ inputs }) => unmark(inputs),
};

function groupFaults({ instanceTypes = [], scalingConfig = {}, amiType }) {
  const { desiredSize, minSize, maxSize } = scalingConfig;
  const known = instanceTypes.map(instanceType);
  const unknown = instanceTypes.filter((_, index) => !known[index]);
  const arms = new Set(known.filter(Boolean).map(({ supportedArchitectures: [architecture] }) => architecture));
  const wanted = amiType && (amiType.includes("ARM_64") ? "arm64" : amiType === "CUSTOM" ? undefined : "x86_64");
  const suits = !wanted || [...arms].every((architecture) => architecture === wanted);
  return [
    ...unknown.map((name) => ["instanceTypes", `The following supplied instance types do not exist: [${name}]`]),
    ...(suits ? [] : [["amiType", `[${instanceTypes}] is not a valid instance type for requested amiType ${amiType}`]]),
    ...(minSize > maxSize ? [["scalingConfig", "Minimum capacity can't be greater than maximum size"]] : []),
    ...(desiredSize < minSize ? [["scalingConfig", "Minimum capacity can't be greater than desired size"]] : []),
    ...(desiredSize > maxSize ? [["scalingConfig", "desired capacity can't be greater than max size"]] : []),
  ];
}

const NODE = { apiVersion: "v1", kind: "Node", metadata: {} };
const GROUP = "eks.amazonaws.com/nodegroup";

/** The cluster's nodes of the pool that the group's labels name; free ones, as many as are wanted. */
async function nodesFor(id, { labels = {}, scalingConfig }) {
  const pool = labels[POOL];
  const nodes = await openApi(clusterAccess()).list(NODE);
  const ofPool = nodes.filter(({ metadata }) => metadata.labels[POOL] === pool);
  const free = ofPool.filter(({ metadata }) => !metadata.labels[GROUP]);
  const wanted = scalingConfig.desiredSize;
  if (free.length >= wanted) return free.slice(0, wanted);
  const have = `the cluster of the tests has ${free.length} free nodes with ${POOL}=${pool ?? "nothing"}, and ${wanted} are wanted`;
  throw new Error(
    `waiting for EKS Node Group (${id}) to create: unexpected state 'CREATE_FAILED', wanted target 'ACTIVE'. last error: NodeCreationFailure: ${have}. Start one with more: node test/cluster/cluster.mjs up --nodes …`,
  );
}

const EFFECTS = { NO_SCHEDULE: "NoSchedule", NO_EXECUTE: "NoExecute", PREFER_NO_SCHEDULE: "PreferNoSchedule" };
const same = (one, other) => one.key === other.key && one.effect === other.effect;

async function mark(
  nodes,
  { nodeGroupName, labels = {}, taints = [], capacityType = "ON_DEMAND", instanceTypes = [] },
) {
  const api = openApi(clusterAccess());
  const wanted = taints.map(({ effect, ...rest }) => ({ ...rest, effect: EFFECTS[effect] }));
  const own = { [GROUP]: nodeGroupName, "eks.amazonaws.com/capacityType": capacityType };
  const type = { "node.kubernetes.io/instance-type": instanceTypes[0] ?? "t3.medium" };
  for (const { metadata, spec } of nodes) {
    const had = spec.taints ?? [];
    const added = wanted.filter((one) => !had.some((other) => same(one, other)));
    const marks = { labels: { ...labels, ...own, ...type }, annotations: { [ADDED]: JSON.stringify(added) } };
    await applied(api, metadata.name, marks);
    await retaint(api, metadata.name, [...had, ...added]);
  }
}

async function unmark({ nodeGroupName }) {
  const api = openApi(clusterAccess());
  for (const { metadata, spec } of await api.list(NODE, { labelSelector: `${GROUP}=${nodeGroupName}` })) {
    const added = JSON.parse(metadata.annotations[ADDED] ?? "[]");
    await retaint(
      api,
      metadata.name,
      (spec.taints ?? []).filter((one) => !added.some((other) => same(one, other))),
    );
    await applied(api, metadata.name, {});
  }
}

const applied = (api, name, marks) =>
  api.apply({ ...NODE, metadata: { name, ...marks } }, { fieldManager: MANAGER, force: true });
const retaint = (api, name, taints) =>
  api.patch({ ...NODE, metadata: { name } }, [{ op: "add", path: "/spec/taints", value: taints }]);

export const eksResources = { [EKS_CLUSTER]: cluster, [NODE_GROUP]: nodeGroup };
