import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { fault, type Fault } from "../../contract";
import type { Host } from "../../hosts/host";
import { kubeName, type Cluster, type NodePool } from "../../hosts/kubernetes/cluster";
import { KubernetesHost } from "../../hosts/kubernetes/kubernetes-host";
import { identityOf } from "../../hosts/identity";
import type { Site } from "../../hosts/site";
import { byRole, hostsInRoles, mapRoles, roleFaults, type Roles } from "../roles";
import type { Topology } from "../topology";

/** Nodes of one role: which they are, and what one of them has. */
export interface NodePoolArgs extends NodePool {
  /** Of a node, as `kubectl get nodes` shows its capacity. */
  readonly cpus: number;
  /** Such as "c5.4xlarge"; stands in results. */
  readonly instanceType?: string;
}

/** The pools of one benchmark. No two share a node. */
export type Pools = Roles<NodePoolArgs>;

export function hostsOf(
  name: string,
  pools: Pools,
  cluster: Cluster,
  site: Site,
  parent: pulumi.Resource,
): Omit<Topology, "topology"> {
  return hostsInRoles(
    mapRoles<NodePoolArgs, Host>(
      pools,
      (role, { cpus, instanceType, ...pool }) =>
        new KubernetesHost(`${name}-${role}`, { site, cluster, pool, cpus, instanceType, label: role }, { parent }),
    ),
  );
}

export interface ClusterArgs {
  readonly kubeconfig: pulumi.Input<string>;
  /** Made and removed with the topology. */
  readonly namespace: string;
  /** What must be there before anything is made in it. */
  readonly after?: readonly pulumi.Resource[];
}

/** A cluster that is there, and a namespace of our own in it. */
export function openCluster(
  name: string,
  { kubeconfig, namespace, after = [] }: ClusterArgs,
  parent: pulumi.Resource,
): Cluster {
  const provider = new k8s.Provider(
    `${name}-cluster`,
    { kubeconfig: pulumi.secret(kubeconfig), deleteUnreachable: true },
    { parent },
  );
  const ready = new k8s.core.v1.Namespace(
    `${name}-namespace`,
    {
      metadata: {
        name: namespace,
        // Agents look at their nodes: at processes, network and disk.
        labels: { "pod-security.kubernetes.io/enforce": "privileged", "gatebench/topology": kubeName(name) },
      },
    },
    { parent, provider, dependsOn: [...after], deleteBeforeReplace: true },
  );
  const identity = ready.metadata.uid.apply((uid) => identityOf(namespace, uid));
  return { provider, kubeconfig, namespace, ready, identity, services: new Map() };
}

/** As everything of one stack is told from all else in a cluster. */
export const defaultNamespace = (): string => kubeName(`gatebench-${pulumi.getProject()}-${pulumi.getStack()}`);

const option = (message: string): Fault => fault("invalid-option", message);

/** What is wrong with pools as a person gave them; nobody is asked to find out. */
export function poolFaults(pools: Pools): readonly Fault[] {
  const roles = byRole(pools);
  return [...roleFaults(pools), ...roles.flatMap(([role, pool]) => eachFaults(role, pool)), ...sharedFaults(roles)];
}

function eachFaults(role: string, { labels, taints = [], cpus }: NodePoolArgs): readonly Fault[] {
  return [
    ...(Object.keys(labels).length > 0
      ? []
      : [
          option(
            `${role}.labels is empty: any node would do. Give the labels of its nodes, such as {"gatebench/pool":"${role}"}.`,
          ),
        ]),
    ...(Number.isInteger(cpus) && cpus >= 1
      ? []
      : [option(`${role}.cpus is ${cpus}; give the CPUs of one of its nodes.`)]),
    ...taints.flatMap(({ key, effect }) =>
      ["NoSchedule", "NoExecute", "PreferNoSchedule"].includes(effect)
        ? []
        : [
            option(
              `${role}.taints: ${key} has the effect "${effect}"; there are NoSchedule, NoExecute and PreferNoSchedule.`,
            ),
          ],
    ),
  ];
}

/** What stands beside the gateway takes from it. */
function sharedFaults(roles: readonly (readonly [string, NodePoolArgs])[]): readonly Fault[] {
  const gateway = roles.find(([role]) => role === "gateway")?.[1];
  const beside = roles.find(
    ([role, { labels }]) => role !== "gateway" && gateway && sameLabels(labels, gateway.labels),
  );
  return beside
    ? [
        option(
          `${beside[0]} and gateway are on the same nodes (${labelsText(beside[1].labels)}): what one uses the other lacks. Give each nodes of its own.`,
        ),
      ]
    : [];
}

const sameLabels = (a: NodePool["labels"], b: NodePool["labels"]): boolean => labelsText(a) === labelsText(b);
const labelsText = (labels: NodePool["labels"]): string =>
  Object.entries(labels)
    .map((label) => label.join("="))
    .sort()
    .join(",");
