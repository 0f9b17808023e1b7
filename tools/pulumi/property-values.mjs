/**
 * How the engine writes secrets and unknown values into the plain JSON it sends to a plug-in.
 * The three constants are fixed by the engine's protocol.
 */
import { isDeepStrictEqual } from "node:util";

const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/**
 * Where two sets of properties differ, as deep down as can be said: environment.NAME, triggers[0].
 * @returns {{ path: string, property: string, kind: "ADD" | "DELETE" | "UPDATE" }[]}
 */
export function changedPaths(olds, news) {
  return names(olds, news).flatMap((property) =>
    changesAt(property, olds[property], news[property]).map((change) => ({ ...change, property })),
  );
}

function changesAt(path, before, after) {
  if (isDeepStrictEqual(before, after)) return [];
  if (before === undefined) return [{ path, kind: "ADD" }];
  if (after === undefined) return [{ path, kind: "DELETE" }];
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path, kind: "UPDATE" }];
  }
  const below = (name) => path + step(name, Array.isArray(before));
  return names(before, after).flatMap((name) => changesAt(below(name), before[name], after[name]));
}

const names = (...objects) => [...new Set(objects.flatMap(Object.keys))];
/** A secret, an asset and the like are marked objects, and one value each. */
const isContainer = (value) => isObject(value) && !(SIGNATURE in value);

function step(name, isIndex) {
  if (isIndex) return `[${name}]`;
  return /^\w+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

const isObject = (value) => typeof value === "object" && value !== null;

/** The value with every secret in it laid open, for the command to use. */
export function unwrapped(value) {
  if (Array.isArray(value)) return value.map(unwrapped);
  if (!isObject(value)) return value;
  if (isSecret(value)) return unwrapped(value.value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unwrapped(member)]));
}

export const isSecret = (value) => isObject(value) && value[SIGNATURE] === SECRET;

/** The value, hidden in the state and in what the engine prints. */
export const secret = (value) => ({ [SIGNATURE]: SECRET, value });

/** Whether some part of the value is only known once another resource exists (previews only). */
export function hasUnknown(value) {
  if (value === UNKNOWN) return true;
  return isObject(value) && Object.values(value).some(hasUnknown);
}
