import { setTimeout as sleep } from "node:timers/promises";
import { listed, versionAnnotation, type ClusterAddress } from "./cluster-client";
import { isRunning, unschedulable, unscheduledS, whyNotStarted, type Pod } from "./pod-state";

/** An agent that was told to be there, and which nodes may have it. */
export interface AwaitedAgent {
  /** As results name it. */
  readonly host: string;
  readonly version: string;
  /** Of its pool's nodes. */
  readonly labels: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
}

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

interface Node {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly taints?: readonly Taint[] };
}

const lookMs = 500;
/** Its Deployment is there; where there is no pod by then, its cluster lets none be made. */
const podWithinS = 60;

/** Waits until the agent runs, or says in one line what keeps it from that. */
export async function untilAgentRuns(cluster: ClusterAddress, awaited: AwaitedAgent): Promise<void> {
  const selector = `gatebench/agent=${cluster.agent}`;
  for (const startedMs = Date.now(); ; await sleep(lookMs)) {
    const afterS = (Date.now() - startedMs) / 1000;
    const pods = await listed<Pod>(cluster, ["pods", "-l", selector]);
    const pod = pods.find(({ metadata }) => metadata.annotations?.[versionAnnotation] === awaited.version);
    if (pod && isRunning(pod)) return;
    if (pod && unschedulable(pod) !== undefined && afterS > unscheduledS)
      throw new Error(await whyNowhere(cluster, awaited, unschedulable(pod) as string));
    const why = pod ? whyNotStarted(pod, afterS) : afterS > podWithinS && noPod(cluster);
    if (why) throw new Error(why);
  }
}

const noPod = ({ agent, namespace }: ClusterAddress): string =>
  `host-unready: the cluster makes no pod for ${agent} in namespace ${namespace}. kubectl -n ${namespace} describe replicaset -l gatebench/agent=${agent} says why; then run up again.`;

async function whyNowhere(cluster: ClusterAddress, awaited: AwaitedAgent, scheduler: string): Promise<string> {
  const labels = Object.entries(awaited.labels).map((label) => label.join("="));
  // Who may see no nodes is told what the scheduler says.
  const nodes = await listed<Node>(cluster, ["nodes", "-l", labels.join(",")]).catch(() => undefined);
  return nowhereLine(awaited, labels.join(","), nodes, scheduler);
}

/** What keeps every node of a pool from having the agent. */
export function nowhereLine(
  { host, taints = [] }: Pick<AwaitedAgent, "host" | "taints">,
  labels: string,
  nodes: readonly Node[] | undefined,
  scheduler: string,
): string {
  if (nodes?.length === 0)
    return `host-unready: no node of the cluster has the labels of ${host}, ${labels}. kubectl get nodes --show-labels shows which there are; give the pool of ${host} theirs, or add such a node, and run up again.`;
  const [tainted] = (nodes ?? []).flatMap((node) =>
    (node.spec.taints ?? [])
      .filter((taint) => taint.effect !== "PreferNoSchedule" && !taints.some((known) => sameTaint(known, taint)))
      .map((taint) => ({ node: node.metadata.name, taint })),
  );
  if (tainted)
    return `host-unready: node ${tainted.node} of ${host} has the taint ${taintText(tainted.taint)}, which its pool does not name. Give ${host}.taints ${JSON.stringify([tainted.taint].map(({ key, value = "", effect }) => ({ key, value, effect })))}, or take the taint off, and run up again.`;
  return `host-unready: no node with ${labels} takes the agent of ${host}: ${scheduler}. Make room on one, and run up again.`;
}

const sameTaint = (one: Taint, other: Taint): boolean => taintText(one) === taintText(other);
const taintText = ({ key, value = "", effect }: Taint): string => `${key}=${value}:${effect}`;
