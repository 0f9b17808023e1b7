import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { KubernetesTopology } from "@gatebench/core/kubernetes";
import type { Values } from "@gatebench/core";
import { openCluster, type Cluster } from "./cluster";

/** A cluster that is up, for stacks in it: a node for each role. The caller destroys it. */
export interface KubernetesSite extends Cluster {
  readonly kubeconfig: string;
  /** Which plug-ins, which kubectl. */
  readonly env: Readonly<Record<string, string>>;
  site(credentials?: Values): KubernetesTopology;
  /** As a node's root. */
  on(node: string, command: string): Promise<string>;
  destroy(): Promise<void>;
}

export const poolOf = (role: string) => ({
  labels: { "gatebench/pool": role },
  taints: [{ key: "gatebench/pool", value: role, effect: "NoSchedule" as const }],
  cpus: 2,
});

/** @param images  What a registry would hold: adapters' image names. */
export async function openKubernetes(images: readonly string[]): Promise<KubernetesSite> {
  const cluster = openCluster();
  const { state, command } = cluster;
  const made = JSON.parse(await command("up", "--images", images.join(" "))) as { kubeconfig: string; kubectl: string };
  const kubeconfig = readFileSync(made.kubeconfig, "utf8");
  const plugins = join(__dirname, "..", "cluster", "bin");
  return {
    ...cluster,
    kubeconfig,
    env: { GATEBENCH_CLUSTER_STATE: state, PATH: `${plugins}:${dirname(made.kubectl)}:${process.env.PATH}` },
    site: (credentials) =>
      new KubernetesTopology("site", {
        ...{ kubeconfig, namespace: "bench", credentials },
        ...{ upstream: poolOf("upstream"), gateway: poolOf("gateway") },
        ...{ generator: poolOf("generator"), observer: poolOf("observer") },
      }),
    on: (node, line) => command("run", node, "sh", "-c", line),
    destroy: async () => {
      await command("down");
      rmSync(state, { recursive: true, force: true });
    },
  };
}

/** Of a benchmark with wrk and hey, nginx and our own upstream. */
export const clusterImages = [
  "node:22.12.0-bookworm-slim",
  "nginx:1.30.4",
  "nicolaka/netshoot:v0.14",
  "gatebench/wrk:4.1.0",
  "gatebench/hey:0.1.4",
];
