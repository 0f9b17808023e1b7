/** Waits until an object is there, or gone, as long as the official plug-in would. */
import { setTimeout as sleep } from "node:timers/promises";
import { isNotFound } from "./api.mjs";
import { rules } from "./rules.mjs";
import { waitForRule } from "./wait-for.mjs";

const POLL_MS = 250;
const TIMEOUT_S = 600;

/** The object is on the API server, and did not become what it should. */
export class NotReady extends Error {
  /** @param {string} message @param {string[]} faults @param {any} live */
  constructor(message, faults, live) {
    super(message);
    this.faults = faults;
    this.live = live;
  }
}

const annotation = (object, name) => object.metadata.annotations?.[`pulumi.com/${name}`];
const isOn = (object, name) => annotation(object, name) === "true";

/** @param {number} givenS  From the resource's customTimeouts; 0: none. @param {any} object */
function timeoutMs(givenS, object) {
  const annotated = annotation(object, "timeoutSeconds");
  const seconds = givenS || (/^\d+$/.test(annotated ?? "") ? Number(annotated) : TIMEOUT_S);
  return seconds * 1000;
}

/**
 * @param {any} object @param {{ api: ReturnType<import("./api.mjs").openApi>, timeoutS: number, say: (line: string) => void,
 *   cancelled: AbortSignal }} circumstances
 * @returns {Promise<any>} the object as it is once it is ready
 */
export async function untilReady(object, circumstances) {
  const rule = isOn(object, "skipAwait") ? undefined : ruleOf(object);
  return rule ? watched(object, rule, circumstances) : object;
}

function ruleOf(object) {
  const wish = annotation(object, "waitFor");
  return wish ? waitForRule(wish) : rules[`${object.apiVersion}/${object.kind}`];
}

/** A Job's or a Pod's patience starts anew whenever it moves (its rule gives signs); that of others does not. */
async function watched(object, rule, { api, timeoutS, say, cancelled }) {
  const name = object.metadata.name;
  const moved = since();
  const quiet = since();
  for (;;) {
    const live = await api.get(object);
    const look = await rule(live, api);
    if (quiet(look.ready) >= (look.quietS ?? 0) * 1000 && look.ready) return live;
    if (look.failed) throw new NotReady(`Resource '${name}' was created but failed to initialize`, look.faults, live);
    if (cancelled.aborted) throw new NotReady(`Resource operation was cancelled for "${name}"`, look.faults, live);
    if (moved(look.signs) > timeoutMs(timeoutS, object))
      throw new NotReady(`'${name}' timed out waiting to be Ready`, look.faults, live);
    say(look.faults.at(-1) ?? `Waiting for ${object.kind} "${name}"`);
    await sleep(POLL_MS);
  }
}

/** For how many milliseconds it has been told the same. */
function since() {
  let [start, last] = [Date.now(), undefined];
  return (signs) => {
    const text = JSON.stringify(signs);
    if (text !== last) [start, last] = [Date.now(), text];
    return Date.now() - start;
  };
}

/** Kinds whose skipAwait also spares the wait for their end: an old flaw of the official plug-in that programs rely on. */
const SPARED = ["Namespace", "Pod", "ReplicationController", "DaemonSet", "Deployment", "StatefulSet", "Job"];

/** Foreground by default: an object is gone when all that belongs to it is. */
export function propagationOf(object) {
  const asked = annotation(object, "deletionPropagationPolicy")?.toLowerCase();
  return { orphan: "Orphan", background: "Background" }[asked] ?? "Foreground";
}

/** @param {any} object  As it was before its deletion. */
export async function untilGone(object, { api, timeoutS, say, cancelled }) {
  if (isOn(object, "skipAwait") && SPARED.includes(object.kind)) return;
  const since = Date.now();
  for (;;) {
    const live = await alive(object, api);
    if (!live) return;
    const held = live.metadata.finalizers?.join(", ");
    const why = held ? [`it is held by ${held}`] : [];
    if (cancelled.aborted || Date.now() - since > timeoutMs(timeoutS, object))
      throw new NotReady(`'${object.metadata.name}' timed out waiting to be deleted`, why, live);
    say(`Waiting for deletion of ${object.kind} "${object.metadata.name}"`);
    await sleep(POLL_MS);
  }
}

/** Another object of its name is not it. */
async function alive(object, api) {
  try {
    const live = await api.get(object);
    return live.metadata.uid === object.metadata.uid ? live : undefined;
  } catch (error) {
    if (isNotFound(error) || error.isNoMatch) return undefined;
    throw error;
  }
}
