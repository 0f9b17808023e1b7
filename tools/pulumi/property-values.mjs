/**
 * How the engine writes secrets and unknown values into the plain JSON it sends to a plug-in.
 * The three constants are fixed by the engine's protocol.
 */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const isObject = (value) => typeof value === "object" && value !== null;

/** The value with every secret in it laid open, for the command to use. */
export function unwrapped(value) {
  if (Array.isArray(value)) return value.map(unwrapped);
  if (!isObject(value)) return value;
  if (value[SIGNATURE] === SECRET) return unwrapped(value.value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, unwrapped(member)]));
}

/** Whether some part of the value is only known once another resource exists (previews only). */
export function hasUnknown(value) {
  if (value === UNKNOWN) return true;
  return isObject(value) && Object.values(value).some(hasUnknown);
}
