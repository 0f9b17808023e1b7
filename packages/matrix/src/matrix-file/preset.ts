import { readdirSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { fault, listed } from "@gatebench/core";
import type { FileFault } from "./matrix";
import { didYouMean } from "./nearest";
import { readSource } from "./read-source";
import { shown } from "./shown";

/** Keys of a file, before anything is known of their values. */
export type Given = Readonly<Record<string, unknown>>;

/** Published tests, each a file that says all of a matrix but its name. */
export const presetFolder = join(__dirname, "..", "..", "presets");

export const presetNames = (): readonly string[] =>
  readdirSync(presetFolder).flatMap((name) => /^(.+)\.yaml$/.exec(name)?.[1] ?? []);

/** A file with what its preset says besides, or why that cannot be. */
export function withPreset(given: Given): Given | readonly FileFault[] {
  const { preset: name } = given;
  if (name === undefined) return given;
  if (typeof name !== "string" || !presetNames().includes(name)) return [unknownPreset(name)];
  return merged(readSource(join(presetFolder, `${name}.yaml`)).value as Given, given);
}

function unknownPreset(name: unknown): FileFault {
  const guess = typeof name === "string" ? didYouMean(name, presetNames()) : "";
  const message = `${shown(name)} is not a preset${guess || "."} Known: ${listed(presetNames())}.`;
  return { ...fault("unknown-preset", message), at: ["preset"] };
}

function merged(preset: Given & Differing, given: Given): Given {
  const topologies = filledUp(given.topologies, preset.topologies);
  const all: Given = { ...preset, ...given, ...(topologies === undefined ? {} : { topologies }) };
  const own = Object.keys(preset).filter((key) => !ofItself.includes(key) && !sameAs(preset[key], all[key]));
  const differsIn = [...(preset.differsIn ?? []), ...own.map((key) => `${key} as this matrix has them`)];
  return given.differsIn === undefined ? { ...all, differsIn } : all;
}

interface Differing {
  readonly differsIn?: readonly string[];
}

const ofItself = ["published", "differsIn"];

/** An account's own words, such as the region, go into the preset's topology of the same kind. */
function filledUp(given: unknown, preset: unknown): unknown {
  if (!Array.isArray(given) || !Array.isArray(preset)) return given ?? preset;
  return given.map((one: unknown) => {
    const same = preset.find((other: Given) => isMapping(one) && other.kind === one.kind) as Given | undefined;
    return same && isMapping(one) ? { ...same, ...one } : one;
  });
}

const isMapping = (value: unknown): value is Given =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value still says all that the preset's does. */
function sameAs(preset: unknown, value: unknown): boolean {
  if (Array.isArray(preset))
    return Array.isArray(value) && value.length === preset.length && preset.every((one, at) => sameAs(one, value[at]));
  if (isMapping(preset)) return isMapping(value) && Object.keys(preset).every((key) => sameAs(preset[key], value[key]));
  return isDeepStrictEqual(preset, value);
}
