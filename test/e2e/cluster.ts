import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { KubernetesTopology } from "@gatebench/core/kubernetes";
import type { Values } from "@gatebench/core";

const execute = promisify(execFile);
const folder = join(__dirname, "..", "cluster");
const program = join(folder, "cluster.mjs");

/** A cluster for tests (test/cluster): real nodes with real pods, one for each role. The caller destroys it. */
export interface Cluster {
  readonly state: string;
  readonly kubeconfig: string;
  /** For a stack in the cluster: which plug-ins, which kubectl. */
  readonly env: Readonly<Record<string, string>>;
  site(credentials?: Values): KubernetesTopology;
  kubectl(...args: readonly string[]): Promise<string>;
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
export async function openCluster(images: readonly string[]): Promise<Cluster> {
  const state = mkdtempSync(join(tmpdir(), "gatebench-cluster-"));
  const own = { GATEBENCH_CLUSTER_STATE: state };
  const command = async (...args: readonly string[]) =>
    (await execute(process.execPath, [program, ...args], { env: { ...process.env, ...own }, maxBuffer: 2 ** 26 }))
      .stdout;
  const made = JSON.parse(await command("up", "--images", images.join(" "))) as { kubeconfig: string; kubectl: string };
  const kubeconfig = readFileSync(made.kubeconfig, "utf8");
  return {
    state,
    kubeconfig,
    env: { ...own, PATH: `${join(folder, "bin")}:${dirname(made.kubectl)}:${process.env.PATH}` },
    site: (credentials) =>
      new KubernetesTopology("site", {
        ...{ kubeconfig, namespace: "bench", credentials },
        ...{ upstream: poolOf("upstream"), gateway: poolOf("gateway") },
        ...{ generator: poolOf("generator"), observer: poolOf("observer") },
      }),
    kubectl: (...args) => command("kubectl", ...args),
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
