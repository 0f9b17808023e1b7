import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
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

interface Streams {
  readonly stdin?: Buffer;
  /** Takes all of its standard output. */
  readonly read: (stdout: Readable) => Promise<unknown>;
  /** Told of standard error as it comes. */
  readonly hear?: (chunk: Buffer) => void;
}

/** Asks an agent through the cluster's API, by this machine's own kubectl and none of its settings. */
export async function overKubectl(
  { kubeconfig, namespace, agent: deployment }: ClusterAddress,
  argv: readonly string[],
  { stdin, read, hear = () => undefined }: Streams,
): Promise<ClusterAnswer> {
  const folder = mkdtempSync(join(tmpdir(), "gatebench-cluster-"));
  try {
    const file = join(folder, "kubeconfig");
    writeFileSync(file, kubeconfig, { mode: 0o600 });
    const where = ["--kubeconfig", file, "--namespace", namespace, "exec", ...(stdin ? ["-i"] : [])];
    const command = ["-c", "agent", `deployment/${deployment}`, "--", "node", agentPath, ...argv];
    const child = spawn("kubectl", [...where, ...command], { stdio: "pipe" });
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

/** kubectl's own words; an agent's are followed by these. */
const agentFailed = /command terminated with exit code \d+/;
const gone = /NotFound|not found/;
const refused = /Forbidden|Unauthorized|must be logged in/;

const triesIfCut = 5;
const pauseMs = 2000;

/** What the engine's command is for a host in a cluster: the order comes by standard input, the cluster by the environment. */
export const askCluster = (verb: string, owner: string): Promise<void> => ask(verb, owner, () => undefined);

/** The same for a destroy: where the agent is gone already, so is all it kept. */
export const endInCluster = (verb: string, owner: string): Promise<void> =>
  ask(verb, owner, ({ stderr }) => (gone.test(stderr) && !agentFailed.test(stderr) ? 0 : undefined));

async function ask(
  verb: string,
  owner: string | undefined,
  well: (answer: ClusterAnswer) => number | undefined,
): Promise<void> {
  const address = JSON.parse(process.env.GATEBENCH_CLUSTER ?? "{}") as ClusterAddress;
  const stdin = await buffer(process.stdin);
  for (let left = triesIfCut; ; left -= 1) {
    const said: Buffer[] = [];
    const answer = await overKubectl(address, [verb, ...(owner ? [owner] : [])], {
      stdin,
      read: async (stdout) => void said.push(await buffer(stdout)),
      hear: (chunk) => void (agentSpeaks(chunk) && process.stderr.write(chunk)),
    });
    if (answer.code === 0) return void process.stdout.write(Buffer.concat(said));
    if (agentFailed.test(answer.stderr)) return void (process.exitCode = 1); // It has said why.
    if (well(answer) !== undefined) return;
    const last = answer.stderr.trim().split("\n").at(-1) ?? "";
    if (left === 1 || gone.test(last) || refused.test(last))
      throw new Error(
        `host-unreachable: agent ${address.agent} in namespace ${address.namespace} cannot be asked: ${last}. Run up again when the cluster answers; a job that runs there goes on.`,
      );
    // A connection that was cut ends no job: asked again, the agent returns to the one that runs.
    await sleep(pauseMs);
  }
}

/** Heartbeats and errors of the agent go on as they come; what kubectl adds to them says nothing to people. */
const agentSpeaks = (chunk: Buffer): boolean =>
  !/^(error: |Error from server|Unable to connect|command terminated)/.test(chunk.toString("utf8"));
