import * as aws from "@pulumi/aws";
import * as eks from "@pulumi/eks";
import * as pulumi from "@pulumi/pulumi";
import type { Values } from "../../contract";
import { refuseFaults } from "../../hosts/refuse-faults";
import { dependsOf } from "../../hosts/depends-of";
import { openSite } from "../../hosts/site";
import { cpusOfMachine, type InstanceRules } from "../ec2/instance-faults";
import { instanceTypeNamed } from "../ec2/instance-type";
import { hostsOf, openCluster, type NodePoolArgs } from "../kubernetes/pools";
import { byRole, mapRoles, type Roles } from "../roles";
import { TopologyComponent } from "../topology-component";
import { eksFaults } from "./eks-faults";
import { makeEksNetwork, type EksNetwork } from "./eks-network";
import { defaultDiskGib, eksSystemType, type EksNodeArgs } from "./eks-node-args";

export interface EksTopologyArgs extends Roles<EksNodeArgs>, InstanceRules {
  /** Of Kubernetes, such as "1.34". Default: what EKS gives a new cluster. */
  readonly version?: string;
  /** Cheaper, and taken away when others pay more. @default false */
  readonly spot?: boolean;
  /** Of the cluster's network. @default "10.76.0.0/16" */
  readonly cidr?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** Credentials of your own by reference name, such as "consumer-1.key". Default: made once and kept. */
  readonly credentials?: pulumi.Input<Values>;
}

/**
 * A cluster on EKS with a node for each role, which nothing else may stand on: labelled and tainted, in one zone, without
 * load balancers and without autoscaling. For a cluster that is there already: `KubernetesTopology`.
 *
 * It needs the AWS command line tool and kubectl on the machine that runs the program.
 *
 * ### Cost
 * The control plane, its nodes, their disks and public addresses, from `up` to `destroy`. Making one takes a quarter of an
 * hour, and so does taking it down.
 */
export class EksTopology extends TopologyComponent {
  readonly topology = "eks";
  /** As a text: for kubectl, and for whatever else is to stand in the cluster. */
  readonly kubeconfig: pulumi.Output<string>;

  /** What `opts.dependsOn` names is there before anything stands in the cluster. */
  constructor(name: string, args: EksTopologyArgs, opts?: pulumi.ComponentResourceOptions) {
    refuseFaults(eksFaults(args));
    super("gatebench:index:EksTopology", name, described(args), opts);
    const tags = { Project: "gatebench", Stack: `${pulumi.getProject()}/${pulumi.getStack()}`, ...args.tags };
    const network = makeEksNetwork(name, { cidr: args.cidr, tags }, this);
    const made = makeCluster(name, network, args, tags, this);
    const groups = nodeGroups(name, { network, cluster: made, tags }, args, this);
    this.kubeconfig = pulumi.secret(made.kubeconfigJson);
    const where = { kubeconfig: this.kubeconfig, namespace: "gatebench", after: [...groups, ...dependsOf(opts)] };
    const site = openSite(this.topology, name, args.credentials, this);
    this.standOn(hostsOf(name, mapRoles(args, poolOf), openCluster(name, where, this), site, this));
    this.registerOutputs({ kubeconfig: this.kubeconfig });
  }
}

const described = (args: EksTopologyArgs) => ({
  nodes: Object.fromEntries(byRole(args).map(([role, { instanceType }]) => [role, instanceType])),
  version: args.version,
});

/** What a pool's nodes are told from all others by, and kept from all others with. */
const poolKey = "gatebench/pool";

const poolOf = (role: string, nodes: EksNodeArgs): NodePoolArgs => ({
  labels: { [poolKey]: role },
  taints: [{ key: poolKey, value: role, effect: "NoSchedule" }],
  cpus: cpusOfMachine(nodes),
  instanceType: nodes.instanceType,
});

function makeCluster(
  name: string,
  { vpcId, subnetIds, routed }: EksNetwork,
  { version }: EksTopologyArgs,
  tags: Readonly<Record<string, string>>,
  parent: pulumi.Resource,
): eks.Cluster {
  const { role, attached } = roleFor(`${name}-cluster`, "eks.amazonaws.com", ["AmazonEKSClusterPolicy"], tags, parent);
  return new eks.Cluster(
    `${name}-eks`,
    {
      serviceRole: role,
      vpcId,
      publicSubnetIds: [...subnetIds],
      ...(version === undefined ? {} : { version }),
      // Who may use it is asked of AWS; a map of roles in the cluster would have to be kept beside it.
      authenticationMode: eks.AuthenticationMode.Api,
      skipDefaultNodeGroup: true,
      tags,
    },
    { parent, dependsOn: [...routed, ...attached] },
  );
}

/** As EKS' documentation lists them for a node. */
const nodePolicies = [
  "AmazonEKSWorkerNodePolicy",
  "AmazonEKS_CNI_Policy",
  "AmazonEC2ContainerRegistryPullOnly",
] as const;

interface Grouped {
  readonly network: EksNetwork;
  readonly cluster: eks.Cluster;
  readonly tags: Readonly<Record<string, string>>;
}

/** One node each, and never another; besides one without a taint for what the cluster itself needs. */
function nodeGroups(
  name: string,
  { network, cluster, tags }: Grouped,
  args: EksTopologyArgs,
  parent: pulumi.Resource,
): readonly pulumi.Resource[] {
  const { role, attached } = roleFor(`${name}-node`, "ec2.amazonaws.com", nodePolicies, tags, parent);
  // A node that starts before it may use the network never becomes ready.
  const opts = { parent, dependsOn: [...attached] };
  const common = {
    ...{ cluster, nodeRole: role, tags },
    subnetIds: network.subnetIds.slice(0, 1),
    scalingConfig: { desiredSize: 1, minSize: 1, maxSize: 1 },
    capacityType: args.spot ? "SPOT" : "ON_DEMAND",
  };
  const system = new eks.ManagedNodeGroup(
    `${name}-system`,
    { ...common, ...machineOf({ instanceType: eksSystemType }), labels: { [poolKey]: "system" } },
    opts,
  );
  const groups = byRole(args).map(([pool, nodes]) => {
    const { labels, taints = [] } = poolOf(pool, nodes);
    return new eks.ManagedNodeGroup(
      `${name}-${pool}-nodes`,
      { ...common, ...machineOf(nodes), labels, taints: taints.map(asEksWritesIt) },
      opts,
    );
  });
  return [system, ...groups];
}

const machineOf = ({ instanceType, diskGib = defaultDiskGib }: EksNodeArgs) => ({
  instanceTypes: [instanceType],
  diskSize: diskGib,
  // Left out, EKS would decide.
  amiType:
    instanceTypeNamed(instanceType)?.architecture === "arm64" ? "AL2023_ARM_64_STANDARD" : "AL2023_x86_64_STANDARD",
});

const effects = { NoSchedule: "NO_SCHEDULE", NoExecute: "NO_EXECUTE", PreferNoSchedule: "PREFER_NO_SCHEDULE" } as const;

const asEksWritesIt = ({ key, value, effect }: NonNullable<NodePoolArgs["taints"]>[number]) => ({
  ...{ key, value },
  effect: effects[effect],
});

function roleFor(
  name: string,
  service: string,
  policies: readonly string[],
  tags: Readonly<Record<string, string>>,
  parent: pulumi.Resource,
) {
  const opts = { parent };
  const role = new aws.iam.Role(`${name}-role`, { assumeRolePolicy: mayBeTakenBy(service), tags }, opts);
  const attached = policies.map(
    (policy) =>
      new aws.iam.RolePolicyAttachment(
        `${name}-${policy}`,
        { role: role.name, policyArn: `arn:aws:iam::aws:policy/${policy}` },
        opts,
      ),
  );
  return { role, attached };
}

const mayBeTakenBy = (service: string): string =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: service } }],
  });
