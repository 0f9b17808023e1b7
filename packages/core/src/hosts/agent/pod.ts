import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, watch, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { remove as removeFile } from "./files";
import { kube, KubeError, namespace } from "./kube-api";
import { folderLabel, placeLabel } from "./labels";
import { placeOf } from "./paths";
import { allProcesses, readText, type ProcessId } from "./process";
import type { Ended, Outputs, Prepared, Program, Runtime, Started } from "./program";
import { settingNames } from "./setting";

/**
 * Programs as Jobs of the cluster, on this pod's own node, with their folder of it under the same path. Output goes to
 * files there, not through the kubelet's logs, which it cuts off at some size.
 *
 * Workloads are resources of their own, made by the program that makes the host.
 */
export const pods: Runtime = {
  prepare,
  start: () => Promise.reject(new Error("unsupported-host: workloads of a cluster are not started by its agent.")),
  endIn,
  wordsOf: () => Promise.resolve(""),
};

/** What the pod says, and is told, beside its output. */
const held = ".held";
const begin = ".begin";
const ended = ".ended";

/**
 * Says that it is there, waits until it may begin, and leaves its exit code; $1 and $2 are the files of its output. An
 * image need have nothing but a shell: a pipe holds it until we write to it.
 */
const script = `ulimit -n "$(ulimit -Hn)" 2> /dev/null
out=$1; err=$2; shift 2
: > ${held}
read -r go < ${begin}
"$@" > "$out" 2> "$err"
echo $? > ${ended}`;

interface Pod {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly phase: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly image: string;
  readonly containerID?: string;
  readonly state: {
    readonly waiting?: { readonly reason: string; readonly message?: string };
    readonly terminated?: { readonly reason: string; readonly exitCode: number };
  };
}

interface Job {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

const jobs = (): string => `/apis/batch/v1/namespaces/${namespace()}/jobs`;

/** A pod that is there, its image pulled, and waits. */
async function prepare(of: Program, outputs: Outputs): Promise<Prepared> {
  const name = `gatebench-${createHash("sha256").update(of.folder).digest("hex").slice(0, 20)}`;
  await remove(name);
  await untilGone(name);
  for (const file of [held, begin, ended]) removeFile(join(of.folder, file));
  execFileSync("mkfifo", [join(of.folder, begin)]);
  await kube("POST", jobs(), { body: manifest(name, of, outputs) });
  try {
    await untilHeld(name, of);
  } catch (error) {
    await remove(name);
    throw error;
  }
  return {
    run: (killAfterS, started) => run(name, of.folder, killAfterS, started),
    discard: () => remove(name),
  };
}

const manifest = (name: string, of: Program, { stdout, stderr }: Outputs) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name, labels: { [placeLabel]: placeOf(of.folder) }, annotations: { [folderLabel]: of.folder } },
  spec: {
    backoffLimit: 0,
    template: {
      metadata: { labels: { [placeLabel]: placeOf(of.folder) } },
      spec: {
        restartPolicy: "Never",
        // This node and no other, whatever it is tainted with.
        nodeSelector: { "kubernetes.io/hostname": process.env[settingNames.node] },
        tolerations: [{ operator: "Exists" }],
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 2,
        hostAliases: Object.entries(of.hostEntries ?? {}).map(([host, ip]) => ({ ip, hostnames: [host] })),
        containers: [
          {
            name: "program",
            image: of.image,
            imagePullPolicy: "IfNotPresent",
            command: ["/bin/sh", "-c", script, "sh", stdout, stderr, ...of.command],
            env: Object.entries(of.env).map(([key, value]) => ({ name: key, value })),
            workingDir: of.folder,
            // The folder is ours alone, whoever the image would have it be.
            securityContext: { runAsUser: 0, runAsGroup: 0 },
            resources: { limits: limitsOf(of) },
            volumeMounts: [{ name: "folder", mountPath: of.folder }],
          },
        ],
        volumes: [{ name: "folder", hostPath: { path: of.folder, type: "Directory" } }],
      },
    },
  },
});

/** A limit throttles: there is one only where somebody asked for it. */
const limitsOf = ({ limits = {} }: Program): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)]));

/** An image may be large and its registry slow. */
const heldWithinS = 600;
/** What keeps a pod from starting and does not go by itself. */
const hopeless = /ErrImageNeverPull|InvalidImageName|CreateContainer(Config)?Error|RunContainerError/;
/** The kubelet tries again with these; a registry that fails once may be well soon. */
const doubtful = /ErrImagePull|ImagePullBackOff/;
const doubtS = 60;

async function untilHeld(name: string, { folder, image }: Program): Promise<void> {
  const startedMs = Date.now();
  while (!existsSync(join(folder, held))) {
    const pod = await podOf(name);
    const reason = pod && whyNot(pod, (Date.now() - startedMs) / 1000);
    if (reason !== undefined) throw new Error(`${reason} Image: ${image}.`);
    await sleep(100);
  }
}

/** Why a pod does not start, once it is clear that it does not. */
function whyNot({ metadata, status }: Pod, afterS: number): string | undefined {
  const [one] = status.containerStatuses ?? [];
  const { waiting, terminated } = one?.state ?? {};
  const said = waiting ? `${waiting.reason}: ${waiting.message ?? ""}` : undefined;
  const pod = `pod ${metadata.name} on node ${process.env[settingNames.node]}`;
  if (status.phase === "Failed" || terminated)
    return `job-failed: ${pod} ended before it began: ${status.reason ?? terminated?.reason}: ${status.message ?? ""}`;
  if (waiting && (hopeless.test(waiting.reason) || (doubtful.test(waiting.reason) && afterS > doubtS)))
    return `image-unavailable: ${pod} does not start: ${said}. Let the node reach its registry, or load the image under that name.`;
  if (afterS < heldWithinS) return undefined;
  const unscheduled = status.conditions?.find(({ type, status: is }) => type === "PodScheduled" && is === "False");
  return `job-failed: ${pod} did not start within ${heldWithinS} s: ${unscheduled?.message ?? said ?? status.phase}.`;
}

async function podOf(job: string): Promise<Pod | undefined> {
  const query = { labelSelector: `batch.kubernetes.io/job-name=${job}` };
  const { items } = await kube<{ items: readonly Pod[] }>("GET", `/api/v1/namespaces/${namespace()}/pods`, { query });
  return items[0];
}

async function run(name: string, folder: string, killAfterS: number, started: Started): Promise<Ended> {
  const pod = await podOf(name);
  const first = pod && processOf(pod);
  // For reading too: then nobody waits for the other side.
  const pipe = openSync(join(folder, begin), "r+");
  try {
    writeSync(pipe, "\n");
    if (first) started(first);
    return await end(name, folder, Date.now() + killAfterS * 1000);
  } finally {
    closeSync(pipe);
  }
}

async function end(name: string, folder: string, deadline: number): Promise<Ended> {
  for (;;) {
    const lost = await taken(name);
    const code = codeIn(folder);
    if (code !== undefined) return { exitCode: code, timedOut: false };
    if (lost !== undefined) return { exitCode: null, timedOut: false, error: lost };
    if (Date.now() > deadline) return { exitCode: null, timedOut: true };
    await endedOrAWhile(folder);
  }
}

/** Once it is written whole. As a shell tells a signal. */
function codeIn(folder: string): Ended["exitCode"] | undefined {
  const text = readText(join(folder, ended));
  if (!text?.endsWith("\n")) return undefined;
  return Number(text) > 128 ? null : Number(text);
}

/** Why the pod is no more, where its end is not the program's. */
async function taken(name: string): Promise<string | undefined> {
  const pod = await podOf(name).catch((error: Error) => error);
  if (pod instanceof Error) return undefined; // The API is away for a moment; the load goes on.
  const node = process.env[settingNames.node];
  if (!pod) return `job-failed: the pod of ${name} was deleted while it ran on node ${node}. Run up with a new runId.`;
  const { phase, reason, message, containerStatuses: [one] = [] } = pod.status;
  if (phase !== "Failed" && phase !== "Succeeded") return undefined;
  const why = reason ?? one?.state.terminated?.reason ?? phase;
  return `job-failed: pod ${pod.metadata.name} on node ${node} was ended: ${why}${message ? `: ${message}` : ""}.`;
}

/** The end is seen at once, whatever the API says of it a second later. */
const lookMs = 1000;

function endedOrAWhile(folder: string): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, lookMs);
    const watcher = watch(folder, (_, file) => file === ended && codeIn(folder) !== undefined && done());
    watcher.on("error", done);
    if (codeIn(folder) !== undefined) done(); // It came before the watch began.
    function done() {
      clearTimeout(timer);
      watcher.close();
      resolve();
    }
  });
}

/** The first process of a pod on this node; its container's id stands in the name of its control group. */
function processOf({ status }: Pod): Pick<ProcessId, "pid" | "startTicks"> | undefined {
  const [, id] = /\/\/(.+)$/.exec(status.containerStatuses?.[0]?.containerID ?? "") ?? [];
  if (id === undefined) return undefined;
  const own = allProcesses().filter(({ pid }) => (readText(`/proc/${pid}/cgroup`) ?? "").includes(id));
  const [first] = own.filter(({ parent }) => !own.some(({ pid }) => pid === parent));
  return first && { pid: first.pid, startTicks: first.startTicks };
}

/** A pod that somebody else keeps running on this node. */
export interface FoundPod {
  /** Its first. */
  readonly process: ProcessId;
  /** Of the image that really runs. */
  readonly tag?: string;
}

/** By labels, where it runs on this node. */
export async function podLabelled(selector: string, within = namespace()): Promise<FoundPod | undefined> {
  const query = { labelSelector: selector, fieldSelector: `spec.nodeName=${process.env[settingNames.node]}` };
  const { items } = await kube<{ items: readonly Pod[] }>("GET", `/api/v1/namespaces/${within}/pods`, { query });
  const [running] = items.filter(({ status }) => status.phase === "Running");
  const first = running && processOf(running);
  if (!running || !first) return undefined;
  const [, tag] = /:([^:@/]+)(@|$)/.exec(running.status.containerStatuses?.[0]?.image ?? "") ?? [];
  return { process: first, ...(tag === undefined ? {} : { tag }) };
}

async function endIn(belongs: (folder: string) => boolean): Promise<void> {
  const query = { labelSelector: placeLabel };
  const { items } = await kube<{ items: readonly Job[] }>("GET", jobs(), { query });
  const chosen = items.filter(({ metadata }) => belongs(metadata.annotations?.[folderLabel] ?? ""));
  await Promise.all(chosen.map(({ metadata }) => remove(metadata.name)));
}

async function remove(name: string): Promise<void> {
  const query = { propagationPolicy: "Background", gracePeriodSeconds: "0" };
  await kube("DELETE", `${jobs()}/${name}`, { query }).catch(goneIsWell);
  const pods = { labelSelector: `batch.kubernetes.io/job-name=${name}` };
  await kube("DELETE", `/api/v1/namespaces/${namespace()}/pods`, { query: { ...pods, gracePeriodSeconds: "0" } });
}

async function untilGone(name: string): Promise<void> {
  while (
    await kube("GET", `${jobs()}/${name}`).then(
      () => true,
      (error: unknown) => void goneIsWell(error),
    )
  )
    await sleep(50);
}

function goneIsWell(error: unknown): void {
  if (!(error instanceof KubeError && error.status === 404)) throw error;
}
