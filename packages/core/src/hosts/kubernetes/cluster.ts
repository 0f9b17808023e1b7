import type { Provider } from "@pulumi/kubernetes";
import type { Input, Output, Resource } from "@pulumi/pulumi";

/** A cluster as hosts in it need it. */
export interface Cluster {
  readonly provider: Provider;
  /** As a text; kept secret. It must say how to log in without asking anybody. */
  readonly kubeconfig: Input<string>;
  /** Ours alone; everything of the topology stands in it and goes with it. A plain name: addresses are known while planning. */
  readonly namespace: string;
  /** What made the namespace. */
  readonly ready: Resource;
  /** Addresses of our Services in it, by name; a host adds its own. */
  readonly services: Map<string, Output<string>>;
  /** Changes when the cluster is another one. */
  readonly identity: Output<string>;
}

/** Which nodes are meant, and what they must be asked with. */
export interface NodePool {
  /** Labels of its nodes, such as `{ "gatebench/pool": "gateway" }`. One of them must be there: none is waited for. */
  readonly labels: Readonly<Record<string, string>>;
  /** Taints of its nodes, which everything that is to stand there tolerates. */
  readonly taints?: readonly Taint[];
}

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: "NoSchedule" | "NoExecute" | "PreferNoSchedule";
}

/** As Kubernetes takes it for a name: of an object, and of a host in its DNS. */
export const kubeName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 52)
    .replace(/-+$/, "");
