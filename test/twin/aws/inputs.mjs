/** What a property of a resource may be, and the complaint when it is not. */
import { isIPv4 } from "node:net";
import { hasUnknown } from "../../../tools/pulumi/property-values.mjs";

/** @typedef {{ name: string, is: (value: any) => boolean }} Kind */
/** @type {Kind} */
export const text = { name: "a string", is: (value) => typeof value === "string" };
/** @type {Kind} */
export const number = { name: "a number", is: (value) => typeof value === "number" };
/** @type {Kind} */
export const flag = { name: "a boolean", is: (value) => typeof value === "boolean" };
/** @type {Kind} */
export const texts = { name: "a list of strings", is: (value) => Array.isArray(value) && value.every(text.is) };
/** @type {Kind} */
export const tags = { name: "a map of strings", is: (value) => isRecord(value) && Object.values(value).every(text.is) };
/** @param {...string} values @returns {Kind} */
export const oneOf = (...values) => ({ name: `one of ${values.join(", ")}`, is: (value) => values.includes(value) });
/** @type {Kind} */
export const cidr = {
  name: "a CIDR such as 10.0.0.0/16",
  is: (value) => text.is(value) && /^\d+(\.\d+){3}\/\d+$/.test(value),
};
/** @type {Kind} */
export const address = {
  name: "an IPv4 address such as 10.0.0.10",
  is: (value) => text.is(value) && isIPv4(value),
};
/** A nested block. @param {Record<string, Kind>} members @returns {Kind} */
export const block = (members) => ({
  name: `a block of ${Object.keys(members).join(", ")}`,
  is: (value) =>
    isRecord(value) && Object.entries(value).every(([name, member]) => hasUnknown(member) || members[name]?.is(member)),
});
/** @param {Kind} kind @returns {Kind} */
export const list = (kind) => ({
  name: `a list, each ${kind.name}`,
  is: (value) => Array.isArray(value) && value.every((one) => hasUnknown(one) || kind.is(one)),
});

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * @param {string} type @param {{ inputs: Record<string, Kind>, required?: string[], conflicts?: string[][] }} resource
 * @param {Record<string, any>} given  Secrets laid open. @returns {[property: string, reason: string][]}
 */
export function inputFaults(type, { inputs, required = [], conflicts = [] }, given) {
  const missing = required
    .filter((name) => !(name in given))
    .map((name) => [
      name,
      `Missing required argument. The argument "${name}" is required, but no definition was found.`,
    ]);
  const wrong = Object.entries(given)
    .filter(
      ([name, value]) => !name.startsWith("__") && !(hasUnknown(value) && name in inputs) && !inputs[name]?.is(value),
    )
    .map(([name, value]) => [
      name,
      inputs[name] ? `must be ${inputs[name].name}, not ${JSON.stringify(value)}` : notCarried(name, type, inputs),
    ]);
  const both = conflicts
    .filter((names) => names.every((name) => name in given))
    .map((names) => [names[0], `Conflicting configuration arguments: ${names.join(" and ")}`]);
  return [...missing, ...wrong, ...both];
}

const notCarried = (name, type, inputs) =>
  `the twin of EC2 carries no "${name}" of ${type}. It carries: ${Object.keys(inputs).join(", ")}. Add it to test/twin/aws, or leave it out`;
