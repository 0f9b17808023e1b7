import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { machinesIn, madeBy, type Made } from "./twin";

const execute = promisify(execFile);
const program = join(__dirname, "..", "cluster", "cluster.mjs");
const twin = join(__dirname, "..", "twin", "twin.mjs");
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** A node of a cluster, as "up" tells of it. */
export interface Node {
  readonly name: string;
  readonly address: string;
}

/** One cluster (test/cluster) with a state folder of its own; the caller destroys it. */
export interface Cluster {
  readonly state: string;
  /** test/cluster/cluster.mjs: what it is asked for stands there. */
  command(...args: readonly string[]): Promise<string>;
  /** With something to read, or nothing. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  apply(...manifests: readonly object[]): Promise<string>;
  /** Begins to bring it up, for whoever wants to end that. */
  begin(): ChildProcess;
  made(): Promise<Made>;
}

/** A cluster that is not up yet. */
export function openCluster(): Cluster {
  const state = mkdtempSync(join(tmpdir(), "gatebench-cluster-"));
  const env = { ...process.env, GATEBENCH_CLUSTER_STATE: state, GATEBENCH_TWIN_STATE: state };
  const node = async (file: string, args: readonly string[]) =>
    (await execute(process.execPath, [file, ...args], { env, maxBuffer: MAX_OUTPUT_BYTES })).stdout;
  const command = (...args: readonly string[]) => node(program, args);
  const kubectl = (args: readonly string[], input = "") =>
    answered(spawn(process.execPath, [program, "kubectl", ...args], { env, stdio: "pipe" }), input);
  return {
    state,
    command,
    kubectl,
    apply: (...items) => kubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items })),
    begin: () => spawn(process.execPath, [program, "up"], { env, stdio: "ignore" }),
    // Its machines are the twin's.
    made: () =>
      madeBy({
        state,
        command: (...args) => node(twin, args),
        machines: async () => machinesIn(await node(twin, ["list"])),
      }),
  };
}

async function answered(child: ReturnType<typeof spawn>, input: string): Promise<string> {
  child.stdin?.end(input);
  const ended = new Promise((resolve) => child.on("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout!), text(child.stderr!), ended]);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** What a pod of one container is made of. */
export interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly [more: string]: unknown;
}

/** A pod's specification: one container, on a pool's nodes, or anywhere where none is named. */
export const podOn = (pool: string | undefined, container: Container, more: object = {}) => ({
  ...(pool !== undefined && {
    nodeSelector: { "gatebench/pool": pool },
    tolerations: [{ key: "gatebench/pool", value: pool, effect: "NoSchedule" }],
  }),
  terminationGracePeriodSeconds: 0,
  containers: [{ name: "main", ...container }],
  ...more,
});

export const pod = (name: string, spec: object) => ({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec });

export const job = (name: string, spec: object) => ({
  ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name } },
  spec: { backoffLimit: 0, template: { spec: { restartPolicy: "Never", ...spec } } },
});
