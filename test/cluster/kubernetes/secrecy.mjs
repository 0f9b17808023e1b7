/** What was secret when it was given stays so in what is kept of an object; and a Secret's data always is. */
import { isSecret, secret, unwrapped } from "../../../tools/pulumi/property-values.mjs";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The inputs of a resource as they are to be kept. @param {any} given  As they were wrapped. */
export const guarded = (given) => (isCoreSecret(given) ? markedData(given) : given);

/** @param {any} open  An object with nothing wrapped. @param {any} given  The inputs it came from, as they were wrapped. */
export function marked(open, given) {
  return isCoreSecret(open) ? markedData(open) : markedLike(open, given);
}

const isCoreSecret = ({ apiVersion, kind }) => apiVersion === "v1" && kind === "Secret";

function markedData(object) {
  const hidden = ["data", "stringData"].filter((name) => object[name] !== undefined);
  return { ...object, ...Object.fromEntries(hidden.map((name) => [name, secret(unwrapped(object[name]))])) };
}

/** A list with one secret in it is secret as a whole: the API server may give its elements another order. */
function markedLike(open, given) {
  if (open === undefined || !holdsSecret(given)) return open;
  if (isSecret(given) || !isObject(open) || !isObject(given)) return secret(open);
  return Object.fromEntries(Object.entries(open).map(([name, value]) => [name, markedLike(value, given[name])]));
}

const holdsSecret = (value) =>
  isSecret(value) || (typeof value === "object" && value !== null && Object.values(value).some(holdsSecret));
