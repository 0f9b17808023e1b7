/** Objects of any kind as resources: what `create`, `update` and the like ask of the API server, and what is kept of the answer. */
import { setTimeout as sleep } from "node:timers/promises";
import { hasUnknown, unwrapped } from "../../../tools/pulumi/property-values.mjs";
import { isNotFound, isNoMatch } from "./api.mjs";
import { propagationOf, untilGone, untilReady } from "./await.mjs";
import { isAutonamed } from "./naming.mjs";

/** Makes an object that is not there yet, under this manager of its fields; so does the official plug-in, which applies later. */
const CREATOR = "pulumi-kubernetes";
const TRIES = 5;
const FIRST_PAUSE_MS = 200;

/**
 * @typedef {object} Circumstances
 * @property {ReturnType<import("./api.mjs").openApi>} api
 * @property {boolean} preview @property {number} timeoutS
 * @property {string} manager  Of the object's fields, once it is applied.
 * @property {boolean} upserts  Takes over an object that is there already.
 * @property {(line: string) => void} say @property {AbortSignal} cancelled
 */

const dryRun = ({ preview }) => (preview ? { dryRun: "All" } : {});

/** @param {any} object @param {Circumstances} circumstances */
export async function created(object, circumstances) {
  const made = await patiently(() => sentNew(object, circumstances), circumstances);
  return circumstances.preview ? made : untilReady(made, circumstances);
}

function sentNew(object, circumstances) {
  const { api, manager, upserts } = circumstances;
  if (upserts) return api.apply(object, { fieldManager: manager, force: true, ...dryRun(circumstances) });
  return api.create(object, { fieldManager: CREATOR, ...dryRun(circumstances) });
}

/** What an object needs – its kind, its namespace – may be on its way. */
async function patiently(send, { preview, say, cancelled }) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (preview || attempt > TRIES || cancelled.aborted || !(isNotFound(error) || isNoMatch(error))) throw error;
      say(`Retry #${attempt - 1}; creation failed: ${error.message}`);
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

/** @param {any} object @param {Circumstances} circumstances */
export async function updated(object, circumstances) {
  const { api, manager, preview } = circumstances;
  const live = await api.get(object);
  if (object.kind === "CustomResourceDefinition") return api.replace(replacement(object, live), dryRun(circumstances));
  const force = object.metadata.annotations?.["pulumi.com/patchForce"] === "true" || (preview && isCreators(live));
  if (!preview) await takenOver(live, manager, api);
  const applied = await api.apply(object, { fieldManager: manager, force, ...dryRun(circumstances) });
  return preview ? applied : untilReady(applied, circumstances);
}

const replacement = (object, live) => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: live.metadata.resourceVersion },
});

const creators = ({ manager, operation, subresource }) =>
  manager === CREATOR && operation === "Update" && subresource === undefined;
const isCreators = (live) => live.metadata.managedFields?.some(creators) ?? false;

/** Its fields belong to whoever made it; whoever applies must own them, or what is left out later would stay. */
async function takenOver(live, manager, api) {
  const at = live.metadata.managedFields?.findIndex(creators) ?? -1;
  if (at < 0) return;
  const entry = { ...live.metadata.managedFields[at], manager, operation: "Apply" };
  await api.patch(live, [
    { op: "test", path: "/metadata/resourceVersion", value: live.metadata.resourceVersion },
    { op: "replace", path: `/metadata/managedFields/${at}`, value: entry },
  ]);
}

/** @param {any} object  As it was kept. @param {Circumstances} circumstances */
export async function removed(object, circumstances) {
  const { api } = circumstances;
  try {
    await api.remove(object, { propagationPolicy: propagationOf(object) });
  } catch (error) {
    if (isNotFound(error) || isNoMatch(error)) return;
    throw error;
  }
  await untilGone(object, circumstances);
}

/** Whether a preview must do without the API server's opinion: it cannot have one yet. */
export async function isOpen(object, api) {
  return hasUnknown(unwrapped(object)) || !(await api.isKnown(object.apiVersion, object.kind));
}

const EXCUSED = ["Forbidden", "AlreadyExists"];
/** What a preview cannot hold against an object: a namespace that will be there by then, an old object that will be gone. */
export const isExcused = (error) =>
  EXCUSED.includes(error.reason) || (isNotFound(error) && error.about === "namespaces");

/** The new object has the old one's name and place, and nobody may choose another name: the old one goes first. */
export const isInTheWay = (next, live) =>
  !isAutonamed(next) &&
  next.metadata?.name === live.metadata?.name &&
  (next.metadata?.namespace ?? "default") === (live.metadata?.namespace ?? "default");

export const EXISTS_ADVICE = `

The resource already exists in the cluster. This can happen when:

  - Renaming a Pulumi resource: use an alias to preserve the identity,
    or use deleteBeforeReplace if the resource needs replacement.
  - Managing an existing resource: use a Patch resource (e.g. NamespacePatch)
    to manage specific fields without owning the resource lifecycle.
  - Adopting a resource into Pulumi: use \`pulumi import\`. Note that
    protected resources (e.g. kube-system) cannot be deleted on destroy.
  - Intentional upsert: set upsertExistingObjects on the provider to allow
    server-side apply to update existing objects on create.`;
