import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, watch, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { remove as removeFile } from "./files";
import { kube, kubeOnce, KubeError, namespace } from "./kube-api";
import { folderLabel, hostLabel, identityAnnotation, placeLabel, portsOf } from "./labels";
import { placeOf } from "./paths";
import { isRunning, placeOfPod, whyEnded, whyNotStarted, type Pod } from "./pod-state";
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
const lastLine = "# That is all.";

/**
 * Says that it is there, waits until it is told what to run, and leaves the exit code; $1 and $2 are the files of its
 * output. An image need have nothing but a shell: a pipe holds it until we write to it. What it runs comes by that pipe
 * alone, since it may hold values, and a Job can be read by whoever may read Jobs.
 */
const script = `ulimit -n "$(ulimit -Hn)" 2> /dev/null
out=$1; err=$2; told=
: > ${held}
while IFS= read -r line && [ "$line" != "${lastLine}" ]; do told="$told$line
"; done < ${begin}
eval "$told"
"$@" > "$out" 2> "$err"
echo $? > ${ended}`;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** What the script is told: the environment and the argv. */
const toldOf = ({ env, command }: Program): string =>
  [
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`),
    `set -- ${command.map(quoted).join(" ")}`,
    `${lastLine}\n`,
  ].join("\n");

interface Job {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

const podsPath = (): string => `/api/v1/namespaces/${namespace()}/pods`;
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
    run: (killAfterS, started) => run(name, of, killAfterS, started),
    discard: () => remove(name),
  };
}

const manifest = (name: string, of: Program, { stdout, stderr }: Outputs) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name, labels: labelsOf(of), annotations: { [folderLabel]: of.folder } },
  spec: {
    backoffLimit: 0,
    // A load that was cut off is not sent again by anybody but us.
    podReplacementPolicy: "Failed",
    template: {
      metadata: { labels: labelsOf(of) },
      spec: {
        restartPolicy: "Never",
        // This node and no other, whatever it is tainted with.
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: onThisNode() } },
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
            command: ["/bin/sh", "-c", script, "sh", stdout, stderr],
            workingDir: of.folder,
            // The folder is ours alone, whoever the image would have it be.
            securityContext: { runAsUser: 0, runAsGroup: 0 },
            ports: portsOf(of.ports ?? {}),
            resources: { limits: limitsOf(of) },
            volumeMounts: [{ name: "folder", mountPath: of.folder }],
          },
        ],
        volumes: [{ name: "folder", hostPath: { path: of.folder, type: "Directory" } }],
      },
    },
  },
});

/** Its agent is whose host it is on: a Service of the host leads to it by the ports it has. */
const labelsOf = ({ folder }: Program): Readonly<Record<string, string>> => ({
  [placeLabel]: placeOf(folder),
  [hostLabel]: process.env[settingNames.agent] ?? "",
});

/** By its name, as a DaemonSet does it: labels are the cluster's owner's. */
const onThisNode = () => ({
  nodeSelectorTerms: [
    { matchFields: [{ key: "metadata.name", operator: "In", values: [process.env[settingNames.node]] }] },
  ],
});

/** A limit throttles: there is one only where somebody asked for it. */
const limitsOf = ({ limits = {} }: Program): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)]));

async function untilHeld(name: string, { folder }: Program): Promise<void> {
  const startedMs = Date.now();
  while (!existsSync(join(folder, held))) {
    const pod = await podOf(name);
    const reason = pod && whyNotStarted(pod, (Date.now() - startedMs) / 1000);
    if (reason !== undefined) throw new Error(reason);
    await sleep(100);
  }
}

async function podOf(job: string): Promise<Pod | undefined> {
  const query = { labelSelector: `batch.kubernetes.io/job-name=${job}` };
  const { items } = await kube<{ items: readonly Pod[] }>("GET", podsPath(), { query });
  return items[0];
}

async function run(name: string, of: Program, killAfterS: number, started: Started): Promise<Ended> {
  const pod = await podOf(name);
  if (!pod) return lost(`pod of job ${name} on node ${process.env[settingNames.node]}`, "it was deleted");
  const first = processOf(pod);
  // For reading too: then nobody waits for the other side.
  const pipe = openSync(join(of.folder, begin), "r+");
  try {
    writeSync(pipe, toldOf(of));
    if (first) started(first);
    return await end(pod, of.folder, Date.now() + killAfterS * 1000);
  } finally {
    closeSync(pipe);
  }
}

async function end(pod: Pod, folder: string, deadline: number): Promise<Ended> {
  let taken: string | undefined;
  // Beside the wait for its end, which is no later for an API that is slow to answer.
  const look = setInterval(() => void whyTaken(pod).then((why) => (taken ??= why)), lookMs);
  try {
    for (;;) {
      const why = taken;
      const code = codeIn(folder);
      if (code !== undefined) return { exitCode: code, timedOut: false };
      if (why !== undefined) return lost(placeOfPod(pod), why);
      if (Date.now() > deadline) return { exitCode: null, timedOut: true };
      await endedOrAWhile(folder);
    }
  } finally {
    clearInterval(look);
  }
}

const lost = (pod: string, why: string): Ended => ({
  exitCode: null,
  timedOut: false,
  error: `job-failed: ${pod} was ended while its program ran: ${why}. Keep the node free of drains and deletions, and run up with a new runId.`,
});

/** Once it is written whole. As a shell tells a signal. */
function codeIn(folder: string): Ended["exitCode"] | undefined {
  const text = readText(join(folder, ended));
  if (!text?.endsWith("\n")) return undefined;
  return Number(text) > 128 ? null : Number(text);
}

/** Why the pod is no more, where its end is not the program's. */
async function whyTaken({ metadata: { name } }: Pod): Promise<string | undefined> {
  const pod = await kubeOnce<Pod>("GET", `${podsPath()}/${name}`).catch((error: Error) => error);
  if (pod instanceof KubeError && pod.status === 404) return "it was deleted";
  if (pod instanceof Error) return undefined; // The API is away for a moment; the load goes on.
  const { phase } = pod.status;
  const ends = phase === "Failed" || phase === "Succeeded" || pod.metadata.deletionTimestamp !== undefined;
  return ends ? whyEnded(pod) : undefined;
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
export function processOf({ status }: Pod): ProcessId | undefined {
  const [, id] = /\/\/(.+)$/.exec(status.containerStatuses?.[0]?.containerID ?? "") ?? [];
  if (id === undefined) return undefined;
  const own = allProcesses().filter(({ pid }) => (readText(`/proc/${pid}/cgroup`) ?? "").includes(id));
  const [first] = own.filter(({ parent }) => !own.some(({ pid }) => pid === parent));
  return first && { pid: first.pid, startTicks: first.startTicks };
}

/** The pod of a workload as it is to be, by the labels that name the workload and what it is. */
export async function podLabelled(selector: string, identity: string): Promise<Pod | undefined> {
  const items = await podsLabelled(selector, namespace());
  return items.find(({ metadata }) => metadata.annotations?.[identityAnnotation] === identity);
}

/** A pod that somebody else keeps running on this node. */
export async function foreignPod(selector: string, within: string): Promise<Pod | undefined> {
  const here = (await podsLabelled(selector, within)).filter(
    ({ spec }) => spec.nodeName === process.env[settingNames.node],
  );
  return here.find(isRunning) ?? here[0];
}

async function podsLabelled(selector: string, within: string): Promise<readonly Pod[]> {
  const query = { labelSelector: selector };
  return (await kube<{ items: readonly Pod[] }>("GET", `/api/v1/namespaces/${within}/pods`, { query })).items;
}

/** Of this host's: agents of other nodes have theirs in the same namespace. */
async function endIn(belongs: (folder: string) => boolean): Promise<void> {
  const query = { labelSelector: `${placeLabel},${hostLabel}=${process.env[settingNames.agent]}` };
  const { items } = await kube<{ items: readonly Job[] }>("GET", jobs(), { query });
  const chosen = items.filter(({ metadata }) => belongs(metadata.annotations?.[folderLabel] ?? ""));
  await Promise.all(chosen.map(({ metadata }) => remove(metadata.name)));
}

async function remove(name: string): Promise<void> {
  const query = { propagationPolicy: "Background", gracePeriodSeconds: "0" };
  await kube("DELETE", `${jobs()}/${name}`, { query }).catch(goneIsWell);
  const pods = { labelSelector: `batch.kubernetes.io/job-name=${name}` };
  await kube("DELETE", podsPath(), { query: { ...pods, gracePeriodSeconds: "0" } });
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
