import { fault } from "@gatebench/core";
import type { z } from "zod";
import type { FileFault, FilePath } from "./matrix";
import { didYouMean } from "./nearest";
import { shown } from "./shown";

/** The value as its schema has it, or everything that is wrong with it, each with its path. */
export function checked<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> | readonly FileFault[] {
  const parsed = schema.safeParse(value, { error: unsaid, reportInput: true });
  return parsed.success ? parsed.data : withoutEchoes(parsed.error.issues.flatMap((issue) => faultsOf(issue, [])));
}

/** What is said of a whole mapping means little while one of its keys is wrong. */
const withoutEchoes = (faults: readonly FileFault[]): readonly FileFault[] =>
  faults.filter(({ at }) => !faults.some((other) => other.at.length > at.length && isWithin(other.at, at)));

const isWithin = (at: FilePath, around: FilePath): boolean => around.every((step, index) => at[index] === step);

type Issue = z.core.$ZodIssue;

/** Words for what a schema has none of its own for; of unknown keys, the known ones. */
function unsaid(raw: z.core.$ZodRawIssue): string | undefined {
  const { input } = raw;
  if (raw.code === "unrecognized_keys") return Object.keys(shapeOf(raw.inst)).join(", ");
  if (raw.code === "invalid_type") return `${shown(input)} is not ${kindNames[raw.expected] ?? raw.expected}`;
  if (raw.code === "invalid_value") return `${shown(input)} is not one of ${raw.values.map(String).join(", ")}`;
  if (raw.code === "too_small") return `${shown(input)} is too little; give at least ${raw.minimum}`;
  if (raw.code === "too_big") return `${shown(input)} is too much; give at most ${raw.maximum}`;
  return undefined;
}

const kindNames: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: 'a list; write each entry as a line that begins with "- "',
  object: "a mapping; write its keys as lines, key: value",
  record: "a mapping; write its keys as lines, key: value",
};

const shapeOf = (schema: unknown): object =>
  (schema as { readonly _zod?: { readonly def?: { readonly shape?: object } } })._zod?.def?.shape ?? {};

function faultsOf(issue: Issue, above: FilePath): readonly FileFault[] {
  const at = [...above, ...(issue.path as FilePath)];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => unknownKey(key, issue.message.split(", "), at));
  if (issue.code === "invalid_union") {
    const meant = issue.errors.filter((branch) => !branch.some(isOfAnotherKind));
    if (meant.length === 1) return (meant[0] as readonly Issue[]).flatMap((inner) => faultsOf(inner, at));
  }
  return [{ ...fault("invalid-matrix", sentence(issue)), at }];
}

/** A text where a mapping may stand: that branch of a union was not meant. */
const isOfAnotherKind = ({ code, path }: Issue): boolean =>
  path.length === 0 && (code === "invalid_type" || code === "invalid_value" || code === "custom");

function unknownKey(key: string, known: readonly string[], at: FilePath): FileFault {
  const message = `this key is not known${didYouMean(key, known) || "."} Known here: ${known.join(", ")}.`;
  return { ...fault("unknown-key", message), at: [...at, key] };
}

/** What was given, and what is allowed. */
function sentence(issue: Issue): string {
  const message = issue.message.replace(/^null is/, "nothing is");
  const missing = /^undefined is not (.*)$/s.exec(message)?.[1];
  if (missing !== undefined) return `it is missing; give ${missing}.`;
  const given = shown(issue.input);
  const told = message.startsWith(given) || /is not |is empty|everything/.test(message);
  return `${told ? message : `${given} is not allowed: ${message}`}${suggestion(issue)}`;
}

/** Of a list of names, the one that was probably meant. */
function suggestion({ input, message }: Issue): string {
  const names = / is not one of (.*)$/.exec(message)?.[1]?.split(", ") ?? [];
  return (typeof input === "string" && didYouMean(input, names)) || ".";
}
