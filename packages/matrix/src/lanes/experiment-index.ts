import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "./whole-file";

/** One experiment of a results folder, as its index has it. */
export interface IndexedExperiment {
  readonly name: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly invocations: number;
  /** Cells still to be measured when it last ended. */
  readonly left: number;
}

interface Invocation {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly left: number;
}

/** Writes which experiments a results folder has, from what each says of itself: `experiments.json`. */
export function indexExperiments(results: string): readonly IndexedExperiment[] {
  const found = readdirSync(results, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => indexed(results, name));
  writeWhole(join(results, "experiments.json"), found);
  return found;
}

function indexed(results: string, name: string): readonly IndexedExperiment[] {
  const file = join(results, name, "invocations.jsonl");
  if (!existsSync(file)) return [];
  const all = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const invocations = all.map((line) => JSON.parse(line) as Invocation);
  const [first, last] = [invocations[0], invocations.at(-1)];
  if (!first || !last) return [];
  return [
    { name, startedAt: first.startedAt, endedAt: last.endedAt, invocations: invocations.length, left: last.left },
  ];
}
