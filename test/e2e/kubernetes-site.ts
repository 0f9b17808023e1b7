import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { KubernetesTopology, type Pools } from "@gatebench/core/kubernetes";
import type { Values } from "@gatebench/core";
import { openCluster, type Cluster } from "./cluster";

/** A cluster that is up, for stacks in it: a node for each role. The caller destroys it. */
export interface KubernetesSite extends Cluster {
  readonly kubeconfig: string;
  /** Address of its API server. */
  readonly server: string;
  /** Which plug-ins, which kubectl. */
  readonly env: Readonly<Record<string, string>>;
  /** With its pools changed, where something else than a sound topology is meant. */
  site(credentials?: Values, pools?: Partial<Pools>): KubernetesTopology;
  /** As a node's root. */
  on(node: string, command: string): Promise<string>;
  /** Writes down every life of these objects in the benchmark's namespace, until it is asked for them. */
  watch(kind: "pods" | "jobs"): () => Promise<readonly KubeObject[]>;
  /** What is in the cluster that a destroy should have taken away; empty after one. */
  left(): Promise<Readonly<Record<string, string>>>;
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
  const { state, command, kubectl } = cluster;
  const on: KubernetesSite["on"] = (node, line) => command("run", node, "sh", "-c", line);
  const made = JSON.parse(await command("up", "--images", images.join(" "))) as Record<
    "kubeconfig" | "kubectl" | "address",
    string
  >;
  const kubeconfig = readFileSync(made.kubeconfig, "utf8");
  const plugins = join(__dirname, "..", "cluster", "bin");
  return {
    ...cluster,
    kubeconfig,
    server: made.address,
    env: { GATEBENCH_CLUSTER_STATE: state, PATH: `${plugins}:${dirname(made.kubectl)}:${process.env.PATH}` },
    site: (credentials, pools = {}) =>
      new KubernetesTopology("site", {
        ...{ kubeconfig, namespace, credentials },
        ...{ upstream: poolOf("upstream"), gateway: poolOf("gateway"), generator: poolOf("generator") },
        ...pools,
      }),
    on,
    watch: (kind) => watched(made.kubectl, ["--kubeconfig", made.kubeconfig, "--namespace", namespace, "get", kind]),
    left: async () => {
      const names = await kubectl(["get", "namespaces", "-o", "name"]);
      const onNodes = await Promise.all(nodes.map(async (node) => [node, (await on(node, traces)).trim()] as const));
      const found = [["namespace", names.includes(`/${namespace}\n`) ? namespace : ""] as const, ...onNodes];
      return Object.fromEntries(found.filter(([, text]) => text !== ""));
    },
    destroy: async () => {
      await command("down");
      rmSync(state, { recursive: true, force: true });
    },
  };
}

const namespace = "bench";
const nodes = ["gateway", "upstream", "generator", "observer"];

/** Folders and processes of ours. A pattern with a bracket does not find itself. */
const traces = [
  "find /var/lib/gatebench -mindepth 2 2> /dev/null",
  "for process in /proc/[0-9]*; do tr '\\0' ' ' < $process/cmdline; echo; done 2> /dev/null | grep -E '[/]gatebench/agent\\.js|[w]rk |[n]ginx'",
  "true",
].join("; ");

/** As the API has it, of what tests look at. */
export interface KubeObject {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: PodSpec & { readonly template?: { readonly spec: PodSpec } };
}

interface PodSpec {
  readonly nodeName?: string;
  readonly containers?: readonly {
    readonly image: string;
    readonly command?: readonly string[];
    readonly env?: readonly object[];
    readonly resources?: { readonly limits?: object };
  }[];
}

function watched(kubectl: string, argv: readonly string[]): () => Promise<readonly KubeObject[]> {
  const child = spawn(kubectl, [...argv, "--watch", "-o", "json"], { stdio: ["ignore", "pipe", "ignore"] });
  const said = text(child.stdout);
  return async () => {
    child.kill();
    const whole = (await said).split(/^}$/m).slice(0, -1);
    return whole.map((object) => JSON.parse(`${object}}`) as KubeObject);
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
