/** Names and namespaces that nobody has chosen. */
import { randomBytes } from "node:crypto";

const AUTONAMED = "pulumi.com/autonamed";
const DISABLE = 2; // Of the protocol's AutonamingOptions.

/** Whether its name was made by us, so that its successor may have another one. */
export const isAutonamed = (object) => object.metadata?.annotations?.[AUTONAMED] === "true";

export const ownName = (name) => `${name}-${randomBytes(4).toString("hex")}`;

/**
 * The object with a name: its own, the one it has had, or a new one.
 * @param {any} given @param {any} had  The inputs of before, {} if there are none.
 * @param {string} name  Of the resource in the program. @param {{ mode: number, proposedName: string } | undefined} wish  Of the engine.
 */
export function named(given, had, name, wish) {
  const { metadata = {} } = given;
  if (typeof metadata !== "object" || metadata.name !== undefined) return given;
  if (metadata.generateName)
    throw new Error("the `.metadata.generateName` field is not supported in Server-Side Apply mode");
  if (had.metadata && !isAutonamed(had)) return given;
  const annotations = { ...metadata.annotations, [AUTONAMED]: "true" };
  return { ...given, metadata: { ...metadata, name: had.metadata?.name ?? newName(name, wish), annotations } };
}

function newName(name, wish) {
  if (wish?.mode === DISABLE)
    throw new Error("autonaming is disabled, resource requires the .metadata.name field to be set");
  return wish?.proposedName || ownName(name);
}

/** @param {any} given @param {string} namespace  Where it belongs if it does not say. @param {boolean} isNamespaced */
export function placed(given, namespace, isNamespaced) {
  if (!isNamespaced || typeof given.metadata !== "object" || given.metadata.namespace) return given;
  return { ...given, metadata: { ...given.metadata, namespace } };
}

/** How the plug-in calls an object: its id in the state. */
export const idOf = ({ metadata: { namespace, name } }) => (namespace ? `${namespace}/${name}` : name);

export function placeIn(id) {
  const [name, namespace] = id.split("/").reverse();
  return namespace ? { name, namespace } : { name };
}
