import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Asked, JobOutput } from "@gatebench/core/contract";
import type { GeneratorRecording } from "@gatebench/core/laws";

/** What stands beside each recorded output: how it was made, and what the server counted. */
interface Meta {
  readonly case: string;
  readonly command: string | readonly string[];
  readonly files: readonly string[];
  readonly exitCode: number;
  readonly asked?: Asked;
  readonly groundTruth: {
    readonly accessLogRequests?: number;
    readonly statusCounts?: Readonly<Record<string, number>>;
    readonly connections?: number;
  };
}

/**
 * All recordings of a folder of fixtures, by name, with what in them nobody can check, by the same names. For tests.
 */
export function recordingsIn(
  folder: string,
  uncheckable: Readonly<Record<string, RegExp>> = {},
): Readonly<Record<string, GeneratorRecording>> {
  const metas = readdirSync(folder).filter((name) => name.endsWith(".meta.json"));
  const recordings = metas.map((name) => recording(folder, name));
  return Object.fromEntries(
    recordings.map((given) => [given.name, { ...given, ...numbersIn(uncheckable[given.name]) }]),
  );
}

const numbersIn = (uncheckable: RegExp | undefined) => (uncheckable === undefined ? {} : { uncheckable });

function recording(folder: string, name: string): GeneratorRecording {
  const meta = JSON.parse(readFileSync(join(folder, name), "utf8")) as Meta;
  const { accessLogRequests = 0, statusCounts = {}, connections } = meta.groundTruth;
  return {
    name: meta.case,
    output: outputOf(folder, meta),
    ...(meta.asked === undefined ? {} : { asked: meta.asked }),
    truth: {
      requests: accessLogRequests,
      statuses: statusCounts,
      ...(connections === undefined ? {} : { connections }),
      inFlight: connectionsOf(meta),
    },
  };
}

function outputOf(folder: string, { files, exitCode }: Meta): JobOutput {
  const text = (names: readonly string[]) => names.map((name) => readFileSync(join(folder, name), "utf8")).join("");
  const isError = (name: string) => name.endsWith(".stderr.txt");
  const stdout = text(files.filter((name) => !isError(name)));
  return { stdout, stderr: text(files.filter(isError)), files: {}, exitCode };
}

/** A closed load has at most one request under way on each connection. */
function connectionsOf({ command }: Meta): number {
  const [, connections = "50"] = /-c ?,?(\d+)/.exec(typeof command === "string" ? command : command.join(" ")) ?? [];
  return Number(connections);
}

/** The text with two neighbouring, different digits of each number exchanged, one number at a time. */
export function digitSwaps(text: string, numbers: RegExp): readonly string[] {
  return [...text.matchAll(numbers)].flatMap((match) => {
    const from = match.index + match[0].length - (match[1] as string).length;
    return swapsWithin(text, from, from + (match[1] as string).length);
  });
}

function swapsWithin(text: string, from: number, to: number): readonly string[] {
  const places = Array.from({ length: to - from - 1 }, (_, index) => from + index);
  return places
    .filter((at) => text[at] !== text[at + 1])
    .map((at) => text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2));
}
