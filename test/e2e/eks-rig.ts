import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LocalWorkspace, type EngineEvent, type OutputMap } from "@pulumi/pulumi/automation";
import { openCluster, type Cluster } from "./cluster";
import { openTwin } from "./twin";

const stackFolder = join(__dirname, "..", "..", "stacks", "eks");
/** Tests of it run one after the other. */
const stackName = "cluster";

/**
 * `stacks/eks` as people run it, with shortened loads, on nodes of a real cluster (test/cluster). Engine and program are real;
 * the plug-ins of aws, eks and kubernetes are stand-ins, the last of which does what it is told to the real cluster.
 */
export interface EksRig {
  readonly cluster: Cluster;
  /** Where raw output of every run is copied. */
  readonly results: string;
  up(settings: Readonly<Record<string, string>>): Promise<Upped>;
  /** By name, the node it stands on. */
  pods(): Promise<readonly (readonly [pod: string, node: string])[]>;
  destroy(): Promise<void>;
  /** Takes everything down, whatever is left. */
  close(): Promise<void>;
}

export interface Upped {
  readonly outputs: OutputMap;
  readonly events: readonly EngineEvent[];
}

const shortened = {
  ...{ upstreamType: "c5.large", gatewayType: "c5.large", generatorType: "c5.large" },
  ...{ workers: "1", connections: "4", duration: "2s", repetitions: "1" },
};

/** What EKS and AWS are to a program: a real cluster, and stand-ins of the plug-ins and of the AWS command line tool. */
export interface EksStandIn {
  readonly cluster: Cluster;
  /** For whoever starts the engine. */
  readonly env: Readonly<Record<string, string>>;
  destroy(): Promise<void>;
}

/** @param pools  Roles with a node each. @param images  What a registry would hold. */
export async function openEksStandIn(pools: readonly string[], images: readonly string[]): Promise<EksStandIn> {
  const folder = mkdtempSync(join(tmpdir(), "gatebench-aws-"));
  const cluster = openCluster();
  const system = { name: "system", labels: { "gatebench/pool": "system" } };
  const nodes = JSON.stringify([...pools, system]);
  const made = JSON.parse(await cluster.command("up", "--nodes", nodes, "--images", images.join(" "))) as Made;
  const twin = openTwin();
  writeFileSync(join(folder, "aws"), "#!/bin/sh\necho aws-cli/2.15.0 Python/3.11\n");
  chmodSync(join(folder, "aws"), 0o755);
  const bins = ["cluster", "twin"].map((name) => join(__dirname, "..", name, "bin"));
  const path = [folder, ...bins, dirname(made.kubectl), process.env.PATH].join(":");
  return {
    cluster,
    env: { ...twin.env, GATEBENCH_CLUSTER_STATE: cluster.state, PATH: path },
    destroy: async () => {
      await twin.destroy();
      await cluster.command("down");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param pools  Roles with a node each. @param images  What a registry would hold. */
export async function openEks(pools: readonly string[], images: readonly string[]): Promise<EksRig> {
  const folder = mkdtempSync(join(tmpdir(), "gatebench-eks-stack-"));
  const { cluster, env, destroy } = await openEksStandIn(pools, images);
  const envVars = {
    PULUMI_BACKEND_URL: `file://${folder}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...env,
  };
  const stack = await LocalWorkspace.createStack({ stackName, workDir: stackFolder }, { envVars });
  const results = join(folder, "results");
  return {
    ...{ cluster, results: join(results, stackName) },
    up: async (settings) => {
      const events: EngineEvent[] = [];
      const before = Object.keys(await stack.getAllConfig());
      if (before.length > 0) await stack.removeAllConfig(before);
      const all = Object.entries({ ...shortened, results, ...settings });
      await stack.setAllConfig(Object.fromEntries(all.map(([key, value]) => [`gatebench-eks:${key}`, { value }])));
      const { outputs } = await stack.up({ onEvent: (event) => void events.push(event) });
      return { outputs, events };
    },
    pods: async () => {
      const { items } = JSON.parse(await cluster.kubectl(["get", "pods", "-n", "gatebench", "-o", "json"])) as Pods;
      return items.map(({ metadata, spec }) => [metadata.name, spec.nodeName] as const);
    },
    destroy: async () => void (await stack.destroy()),
    close: async () => {
      await stack.destroy();
      rmSync(join(stackFolder, `Pulumi.${stackName}.yaml`), { force: true });
      await destroy();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Made {
  readonly kubectl: string;
}

interface Pods {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly nodeName: string };
  }[];
}

/** Resources of a type that an up did anything to. */
export const touched = (events: readonly EngineEvent[], type: RegExp): readonly string[] =>
  events
    .flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata ?? [])
    .filter((metadata) => type.test(metadata.type) && metadata.op !== "same")
    .map(({ urn }) => urn.split("::").pop() as string);

/** What a destroy should have taken from a cluster and its nodes; empty after one. */
export async function leftOnNodes({ cluster }: EksRig, nodes: readonly string[]): Promise<readonly string[]> {
  const namespaces = await cluster.kubectl(["get", "namespaces", "-o", "name"]);
  const look = "ls /var/lib/gatebench/places 2> /dev/null; true";
  const onNodes = await Promise.all(nodes.map((node) => cluster.command("run", node, "sh", "-c", look)));
  return [...(/gatebench/.exec(namespaces) ?? []), ...onNodes.filter((text) => text !== "")];
}
