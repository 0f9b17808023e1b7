import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Readiness, Values } from "../../contract";
import { secondsOf } from "../../contract/duration";
import { makeWorkFolder, readJson, writeJson } from "./files";
import { awaitReady } from "./http";
import { workloadFolder } from "./paths";
import { masking } from "./mask";
import { foreignPod, podLabelled, processOf } from "./pod";
import { crashOf, isRunning, placeOfPod, tagOf, whyNotStarted, type Pod } from "./pod-state";
import { isAlive, type ProcessId } from "./process";
import { programVersion } from "./program-version";
import { setting } from "./setting";
import { lastLines, type WorkloadRecord } from "./workload";

/** A workload that the cluster keeps running on this node. */
export interface AdoptOrder {
  readonly place: string;
  readonly name: string;
  readonly identity: string;
  /** Labels of its pod. */
  readonly selector: string;
  /** Where it answers. */
  readonly address: string;
  /** In which its version is asked for; without, its pod's tells it. */
  readonly image?: string;
  /** Of a pod that is not ours, where it is. */
  readonly namespace?: string;
  readonly versionCommand?: readonly string[];
  readonly readiness?: Readiness;
  /** Masked in what it says. */
  readonly values: Values;
}

/** Puts it on record here: whose CPU it is, and which version of it really runs. It is nobody's to end but the cluster's. */
export async function adoptWorkload(order: AdoptOrder): Promise<WorkloadRecord> {
  const folder = workloadFolder(order.place, order.name);
  makeWorkFolder(folder);
  const { process, pod } = await running(order);
  writeJson(recordOf(folder), process);
  await settle(order, process);
  const { image, versionCommand } = order;
  const version = image === undefined ? tagOf(pod) : await programVersion(versionCommand, { image, folder });
  const record: WorkloadRecord = { identity: order.identity, ...(version === undefined ? {} : { version }) };
  writeJson(join(folder, "identity.json"), record);
  return record;
}

const recordOf = (folder: string): string => join(folder, "adopted.json");

export const adoptedIn = (folder: string): ProcessId | undefined => readJson<ProcessId>(recordOf(folder));

/** The engine was told that its Deployment is there; its pod comes a little later. */
const podWithinS = 60;
const lookMs = 200;

interface Running {
  readonly process: ProcessId;
  readonly pod: Pod;
}

const podOf = ({ selector, identity, namespace }: AdoptOrder): Promise<Pod | undefined> =>
  namespace === undefined ? podLabelled(selector, identity) : foreignPod(selector, namespace);

async function running(order: AdoptOrder): Promise<Running> {
  for (const startedMs = Date.now(); ; await sleep(lookMs)) {
    const afterS = (Date.now() - startedMs) / 1000;
    const pod = await podOf(order);
    const process = pod && isRunning(pod) ? processOf(pod) : undefined;
    if (pod && process) return { pod, process };
    const why = pod && order.namespace === undefined ? whyNot(order, pod, afterS) : afterS > podWithinS && noPod(order);
    if (why) throw new Error(why);
  }
}

/** Of a pod of ours; others may start as often as they like. */
const whyNot = (order: AdoptOrder, pod: Pod, afterS: number): string | undefined =>
  crashOf(pod) ? endedLine(order, pod, "it did not run") : whyNotStarted(pod, afterS);

const noPod = ({ selector, name }: AdoptOrder): string =>
  `workload-gone: no pod with ${selector} is on the node of ${setting.host}, where ${name} was to be. kubectl describe replicaset -l ${selector} says why; then run up again.`;

async function settle(order: AdoptOrder, started: ProcessId): Promise<void> {
  const { name, address, readiness } = order;
  if (readiness === undefined) return;
  const within = secondsOf(readiness.within ?? "15s");
  const reason = await awaitReady({ ...readiness, name, host: address }, within, () => !isAlive(started));
  if (reason === undefined) return;
  const pod = isAlive(started) ? undefined : await podOf(order);
  throw new Error(
    pod ? endedLine(order, pod, reason) : `not-ready: ${name} did not answer within ${within} s: ${reason}.`,
  );
}

/** With its last words, as the kubelet keeps them of what ends badly. */
function endedLine({ name, values }: AdoptOrder, pod: Pod, reason: string): string {
  const { exitCode, message = "" } = crashOf(pod) ?? {};
  const words = lastLines(masking(values)(message)) || "nothing";
  return `not-ready: ${name} ended before it answered: ${reason} (${placeOfPod(pod)}, exit code ${exitCode ?? "unknown"}). It said: ${words}`;
}
