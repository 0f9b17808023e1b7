import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { untilAgentRuns, type AwaitedAgent } from "./awaited-agent";
import { remove } from "./files";

/** How the agent of a node is reached. */
export interface ClusterAddress {
  /** As a text. */
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Kubernetes' name of the agent's Deployment. */
  readonly agent: string;
}

/** How a command in a pod ended. */
export interface ClusterAnswer {
  readonly code: number | null;
  readonly stderr: string;
}

export const clusterPrograms: readonly string[] = ["kubectl"];

/** Where an agent lies in its pod. */
export const agentPath = "/gatebench/agent.js";
/** Of its pod: changes when the agent does. */
export const versionAnnotation = "gatebench/version";

interface Streams {
  readonly stdin?: Buffer;
  /** Takes all of its standard output. */
  readonly read: (stdout: Readable) => Promise<unknown>;
  /** Told of standard error as it comes. */
  readonly hear?: (chunk: Buffer) => void;
}

/** Asks an agent through the cluster's API. */
export function overKubectl(cluster: ClusterAddress, argv: readonly string[], streams: Streams) {
  const where = ["exec", ...(streams.stdin ? ["-i"] : []), "-c", "agent", `deployment/${cluster.agent}`];
  return kubectl(cluster, [...where, "--", "node", agentPath, ...argv], streams);
}

/** By this machine's own kubectl and none of its settings. */
export async function kubectl(
  { kubeconfig, namespace }: ClusterAddress,
  argv: readonly string[],
  { stdin, read, hear = () => undefined }: Streams,
): Promise<ClusterAnswer> {
  const folder = mkdtempSync(join(tmpdir(), "gatebench-cluster-"));
  try {
    const file = join(folder, "kubeconfig");
    writeFileSync(file, kubeconfig, { mode: 0o600 });
    const child = spawn("kubectl", ["--kubeconfig", file, "--namespace", namespace, ...argv], { stdio: "pipe" });
    child.stdin.on("error", () => {}); // It may end without having read it all.
    child.stdin.end(stdin);
    child.stderr.on("data", hear);
    const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
    const [code, stderr] = await Promise.all([ended, text(child.stderr), read(child.stdout)]);
    return { code, stderr };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Error("missing-binary: kubectl is not on PATH. Install it, and run up again.", { cause: error });
  } finally {
    remove(folder);
  }
}

/** kubectl's own words; an agent's are followed by these. One that was killed with its pod had none. */
const agentFailed = /command terminated with exit code (?!137|143)\d+/;
const gone = /NotFound|not found/;
const refused = /Forbidden|Unauthorized|must be logged in/;

/** Until somebody answered, soon: an address may be wrong. Afterwards as long as it takes an API server to start anew. */
const tries = { atFirst: 5, ifCut: 90 };
const pauseMs = 2000;

/** What the engine's command is for a host in a cluster: the order comes by standard input, the cluster by the environment. */
export const askCluster = async (verb: string, owner: string): Promise<void> =>
  ask(await buffer(process.stdin), verb, owner, () => false);

/** The same for a destroy: where the agent is gone already, so is all it kept. */
export const endInCluster = async (verb: string, owner: string): Promise<void> =>
  ask(await buffer(process.stdin), verb, owner, ({ stderr }) => gone.test(stderr) && !agentFailed.test(stderr));

/** The same once its agent runs. */
export async function openInCluster(verb: string, owner: string): Promise<void> {
  const stdin = await buffer(process.stdin);
  const { awaited } = JSON.parse(stdin.toString("utf8")) as { awaited: AwaitedAgent };
  await untilAgentRuns(clusterAddress(), awaited);
  await ask(stdin, verb, owner, () => false);
}

const clusterAddress = () => JSON.parse(process.env.GATEBENCH_CLUSTER ?? "{}") as ClusterAddress;

async function ask(
  stdin: Buffer,
  verb: string,
  owner: string | undefined,
  well: (answer: ClusterAnswer) => boolean,
): Promise<void> {
  const address = clusterAddress();
  let heard = false;
  for (let left = tries.atFirst; ; left -= 1) {
    const said: Buffer[] = [];
    let spoke = false;
    const answer = await overKubectl(address, [verb, ...(owner ? [owner] : [])], {
      stdin,
      read: async (stdout) => void said.push(await buffer(stdout)),
      hear: (chunk) => (spoke = (agentSpeaks(chunk) && process.stderr.write(chunk)) || spoke),
    });
    if (answer.code === 0) return void process.stdout.write(Buffer.concat(said));
    if (agentFailed.test(answer.stderr)) return void (process.exitCode = 1); // It has said why.
    if (well(answer)) return;
    const last = answer.stderr.trim().split("\n").at(-1) ?? "";
    heard ||= spoke;
    if (spoke) left = tries.ifCut;
    if (left === 1 || gone.test(last) || (refused.test(last) && !heard)) throw new Error(unreachable(address, last));
    // A connection that was cut ends no job: asked again, the agent returns to the one that runs.
    await sleep(pauseMs);
  }
}

const unreachable = ({ agent, namespace }: ClusterAddress, last: string): string =>
  `host-unreachable: agent ${agent} in namespace ${namespace} cannot be asked: ${last}. Run up again when the cluster answers; a job that runs there goes on.`;

/** Heartbeats and errors of the agent go on as they come; what kubectl adds to them says nothing to people. */
const agentSpeaks = (chunk: Buffer): boolean =>
  !/^(error: |Error from server|Unable to connect|The connection to the server|E\d{4} |command terminated)/.test(
    chunk.toString("utf8"),
  );

/** What the API says of some objects, as JSON. */
export async function listed<T>(cluster: ClusterAddress, argv: readonly string[]): Promise<readonly T[]> {
  for (let left = tries.atFirst; ; left -= 1) {
    let said = "";
    const read = async (stdout: Readable) => void (said = await text(stdout));
    const { code, stderr } = await kubectl(cluster, ["get", ...argv, "-o", "json"], { read });
    if (code === 0) return (JSON.parse(said) as { items: readonly T[] }).items;
    const last = stderr.trim().split("\n").at(-1) ?? "";
    if (left === 1 || refused.test(last)) throw new Error(unreachable(cluster, last));
    await sleep(pauseMs);
  }
}
