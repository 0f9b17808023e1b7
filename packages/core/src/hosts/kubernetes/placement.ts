import type { NodePool, Taint } from "./cluster";

/** Where a pod may stand: on a node of the pool, whatever it is tainted with. */
export const placedOn = ({ labels, taints = [] }: NodePool) => ({
  nodeSelector: { ...labels },
  tolerations: taints.map(toleration),
});

/** There as soon as its controller knows of it: the agent tells what keeps its pod from running, and sooner. */
export const thereAtOnce = { "pulumi.com/waitFor": "jsonpath={.status.observedGeneration}" };

const toleration = ({ key, value, effect }: Taint) => ({ key, operator: "Equal", value, effect });

/** Of the agent, by which everything else of its host stands on the very node it looks at. */
export const agentLabel = "gatebench/agent";

export const besideAgent = (agent: string) => ({
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { [agentLabel]: agent } }, topologyKey: "kubernetes.io/hostname" },
    ],
  },
});

/** There is nothing to wait for: what it leads to comes after it. */
export const notAwaited = { "pulumi.com/skipAwait": "true" };
