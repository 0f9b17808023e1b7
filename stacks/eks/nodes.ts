import { readFileSync } from "node:fs";
import type * as pulumi from "@pulumi/pulumi";
import { fault, type Fault, type Topology } from "@gatebench/core";
import { cpusOfMachine, eksFaults, EksTopology, type EksTopologyArgs } from "@gatebench/core/eks";
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
  /** What this machine needs on PATH to speak to it. */
  readonly programs: readonly string[];
  /** @param after  What must be there before anything stands on them. */
  make(name: string, after: readonly pulumi.Resource[]): Stand;
}

interface Stand {
  readonly site: Topology;
  /** By which kubectl finds the cluster, and what writes it. */
  readonly file: { readonly before?: string; readonly keyFile: string };
  readonly outputs: Readonly<Record<string, pulumi.Output<string>>>;
}

export const nodesFor = (asked: Settings, plan: StackPlan): Nodes =>
  asked.kubeconfig === undefined ? onEks(asked, plan) : inCluster(asked, asked.kubeconfig, plan);

const hasGateway = ({ targets }: StackPlan): boolean => targets.some(({ adapter }) => adapter.version !== null);

function onEks(asked: Settings, plan: StackPlan): Nodes {
  const { version, spot, allowBurstable, allowSmallGenerator, cidr } = asked;
  const args: EksTopologyArgs = {
    ...{ version, spot, allowBurstable, allowSmallGenerator, cidr, credentials: asked.credentials },
    upstream: Array.from({ length: asked.upstreamMachines }, () => ({ instanceType: asked.upstreamType })),
    ...(hasGateway(plan) ? { gateway: { instanceType: asked.gatewayType } } : {}),
    generator: { instanceType: asked.generatorType },
    workers: Array.from({ length: asked.generatorWorkers }, () => ({ instanceType: asked.workerType })),
    ...(asked.observe ? { observer: { instanceType: asked.observerType } } : {}),
    services: Array.from({ length: asked.serviceMachines }, () => ({ instanceType: asked.serviceType })),
  };
  return {
    faults: [...eksFaults(args), ...crowdFaults(asked, args.gateway && cpusOfMachine(args.gateway))],
    programs: ["aws", ...clusterPrograms],
    make: (name, after) => {
      const site = new EksTopology(name, args, { dependsOn: [...after] });
      return { site, file: { before: keepKubeconfig, keyFile }, outputs: { kubeconfig: site.kubeconfig } };
    },
  };
}

const keyFile = "gatebench.kubeconfig";
const keepKubeconfig = `(umask 077 && pulumi stack output kubeconfig --show-secrets > ${keyFile}) && `;

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
    ...(asked.observe ? { observer: pool("observer", asked.observerCpus) } : {}),
    services: Array.from({ length: asked.serviceMachines }, (_, index) =>
      pool(`service-${index + 1}`, asked.serviceCpus),
    ),
  };
  const { namespace, credentials } = asked;
  const kubeconfig = textOf(path);
  const args: KubernetesTopologyArgs = { ...pools, namespace, kubeconfig: kubeconfig ?? "", credentials };
  return {
    faults: [
      ...kubernetesFaults(args),
      ...crowdFaults(asked, args.gateway?.cpus),
      ...(kubeconfig === undefined ? [unreadable(path)] : []),
    ],
    programs: clusterPrograms,
    make: (name) => ({ site: new KubernetesTopology(name, args), file: { keyFile: path }, outputs: {} }),
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

/** Workers that share a CPU wait for each other, and a figure is said to be of so many. */
const crowdFaults = ({ workers = 0 }: Settings, cpus = workers): readonly Fault[] =>
  workers <= cpus
    ? []
    : [
        fault(
          "invalid-option",
          `config.workers ${workers} is more than the ${cpus} CPUs of the gateway's node. Give at most ${cpus}, or a larger node.`,
        ),
      ];

/** What this machine lacks. */
export function programFaults(names: readonly string[]): readonly Fault[] {
  return names
    .filter((name) => !onPath(name))
    .map((name) =>
      fault(
        "missing-binary",
        `${name} is not on PATH, and clusters and their images are reached by it. Install it, and run up again.`,
      ),
    );
}
