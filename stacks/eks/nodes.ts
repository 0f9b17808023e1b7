import { readFileSync } from "node:fs";
import { fault, type Fault, type Topology } from "@gatebench/core";
import { eksFaults, EksTopology, type EksTopologyArgs } from "@gatebench/core/eks";
import {
  clusterPrograms,
  kubernetesFaults,
  KubernetesTopology,
  type KubernetesTopologyArgs,
  type NodePoolArgs,
} from "@gatebench/core/kubernetes";
import { onPath } from "@gatebench/core/local";
import type { StackPlan } from "@gatebench/matrix/stack";
import type { Settings } from "./settings";

/** Where the stack stands: in a cluster that is there, or in one of its own. */
export interface Nodes {
  readonly faults: readonly Fault[];
  make(name: string): Topology;
}

export const nodesFor = (asked: Settings, plan: StackPlan): Nodes =>
  asked.kubeconfig === undefined ? onEks(asked, plan) : inCluster(asked, asked.kubeconfig, plan);

const hasGateway = ({ targets }: StackPlan): boolean => targets.some(({ adapter }) => adapter.version !== null);

function onEks(asked: Settings, plan: StackPlan): Nodes {
  const { version, spot, allowBurstable, allowSmallGenerator, cidr } = asked;
  const args: EksTopologyArgs = {
    ...{ version, spot, allowBurstable, allowSmallGenerator, cidr },
    upstream: Array.from({ length: asked.upstreamMachines }, () => ({ instanceType: asked.upstreamType })),
    ...(hasGateway(plan) ? { gateway: { instanceType: asked.gatewayType } } : {}),
    generator: { instanceType: asked.generatorType },
    workers: Array.from({ length: asked.generatorWorkers }, () => ({ instanceType: asked.workerType })),
  };
  return {
    faults: [...eksFaults(args), ...programFaults(["aws", ...clusterPrograms])],
    make: (name) => new EksTopology(name, args),
  };
}

function inCluster(asked: Settings, path: string, plan: StackPlan): Nodes {
  const pool = (role: string, cpus = 0): NodePoolArgs => ({
    labels: { [asked.poolLabel]: role },
    ...(asked.poolTaint ? { taints: [{ key: asked.poolLabel, value: role, effect: "NoSchedule" as const }] } : {}),
    cpus,
  });
  const pools = {
    upstream: Array.from({ length: asked.upstreamMachines }, (_, index) =>
      pool(index === 0 ? "upstream" : `upstream-${index + 1}`, asked.upstreamCpus),
    ),
    ...(hasGateway(plan) ? { gateway: pool("gateway", asked.gatewayCpus) } : {}),
    generator: pool("generator", asked.generatorCpus),
    workers: Array.from({ length: asked.generatorWorkers }, (_, index) =>
      pool(`worker-${index + 1}`, asked.workerCpus),
    ),
  };
  const { namespace } = asked;
  const kubeconfig = textOf(path);
  const args: KubernetesTopologyArgs = { ...pools, namespace, kubeconfig: kubeconfig ?? "" };
  return {
    faults: [
      ...kubernetesFaults(args),
      ...programFaults(clusterPrograms),
      ...(kubeconfig === undefined ? [unreadable(path)] : []),
    ],
    make: (name) => new KubernetesTopology(name, args),
  };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

const unreadable = (path: string): Fault =>
  fault(
    "invalid-option",
    `config.kubeconfig: ${path} cannot be read. Give the path of a kubeconfig, or leave it out for a cluster on EKS.`,
  );

/** What this machine needs to speak to a cluster. */
function programFaults(names: readonly string[]): readonly Fault[] {
  return names
    .filter((name) => !onPath(name))
    .map((name) =>
      fault("missing-binary", `${name} is not on PATH, and clusters are reached by it. Install it, and run up again.`),
    );
}
