import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Readiness } from "../../contract";
import { secondsOf } from "../../contract/duration";
import { makeWorkFolder, readJson, writeJson } from "./files";
import { awaitReady } from "./http";
import { workloadFolder } from "./paths";
import { podLabelled, type FoundPod } from "./pod";
import type { ProcessId } from "./process";
import { programVersion } from "./program-version";
import { setting } from "./setting";
import type { WorkloadRecord } from "./workload";

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
  /** Where its pod is not in the agent's own. */
  readonly namespace?: string;
  readonly versionCommand?: readonly string[];
  readonly readiness?: Readiness;
}

/** Puts it on record here: whose CPU it is, and which version of it really runs. It is nobody's to end but the cluster's. */
export async function adoptWorkload(order: AdoptOrder): Promise<WorkloadRecord> {
  const folder = workloadFolder(order.place, order.name);
  makeWorkFolder(folder);
  const { process, tag } = await foundPod(order);
  writeJson(recordOf(folder), process);
  await settle(order);
  const { image, versionCommand } = order;
  const version = image === undefined ? tag : await programVersion(versionCommand, { image, folder });
  const record: WorkloadRecord = { identity: order.identity, ...(version === undefined ? {} : { version }) };
  writeJson(join(folder, "identity.json"), record);
  return record;
}

const recordOf = (folder: string): string => join(folder, "adopted.json");

export const adoptedIn = (folder: string): ProcessId | undefined => readJson<ProcessId>(recordOf(folder));

/** The API may say a little later what the engine was told. */
const tries = 50;
const pauseMs = 200;

async function foundPod({ selector, namespace, name }: AdoptOrder): Promise<FoundPod> {
  for (let left = tries; left > 0; left -= 1) {
    const found = await podLabelled(selector, namespace);
    if (found) return found;
    await sleep(pauseMs);
  }
  throw new Error(
    `workload-gone: no pod with ${selector} runs on the node of ${setting.host}, where ${name} was to be. kubectl describe pod -l ${selector} says why; then run up again.`,
  );
}

async function settle({ name, address, readiness }: AdoptOrder): Promise<void> {
  if (readiness === undefined) return;
  const within = secondsOf(readiness.within ?? "15s");
  const reason = await awaitReady({ ...readiness, name, host: address }, within, () => false);
  if (reason !== undefined) throw new Error(`not-ready: ${name} did not answer within ${within} s: ${reason}.`);
}
