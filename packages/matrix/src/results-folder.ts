import {
  accessSync,
  appendFileSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fault, rawFolder, type Fault, type Result, type Run } from "@gatebench/core";
import { writeReports } from "./report/report-files";

/** One folder per invocation: figures, and beside them everything they come from. */
export interface ResultsFolder {
  readonly path: string;
  /** A run, the moment it is known: nothing is lost because of what comes after it. */
  keepRun(benchmark: string, run: Run, artifactsIn: string | undefined): void;
  keepResult(result: Result): void;
}

/** Makes the folder for this invocation. */
export function openResultsFolder(parent: string, at: Date): ResultsFolder {
  const path = join(resolve(parent), at.toISOString().replace(/[:.]/g, "-"));
  makeFolder(path);
  return {
    path,
    keepRun: (benchmark, run, artifactsIn) => {
      appendFileSync(join(path, "runs.jsonl"), `${JSON.stringify({ benchmark, ...run })}\n`);
      if (artifactsIn !== undefined) copyArtifacts(run, artifactsIn, join(path, rawFolder(benchmark, run)));
    },
    keepResult: (result) => {
      writeFileSync(join(path, "result.json"), `${JSON.stringify(result)}\n`);
      writeReports(result, path);
    },
  };
}

/** Why results cannot be kept there: tried, and taken away again. */
export function resultsFolderFaults(parent: string, option = "--results"): readonly Fault[] {
  try {
    tried(join(resolve(parent), ".gatebench-trial"));
    if (existsSync(parent)) accessSync(parent, constants.W_OK | constants.R_OK);
    return [];
  } catch (error) {
    return [
      fault(
        "results-folder",
        `"${parent}" cannot be used for results (${reasonOf(error)}). Give a folder that can be read and written with ${option}.`,
      ),
    ];
  }
}

/** The result in a file of its own, for other programs. */
export function writeJsonFile(path: string, result: object): void {
  makeFolder(dirname(resolve(path)));
  writeFileSync(path, `${JSON.stringify(result)}\n`);
}

/** Why the --json file could not be written in the end. */
export function jsonFileFaults(path: string): readonly Fault[] {
  try {
    if (existsSync(path) && statSync(path).isDirectory()) throw new Error("it is a folder");
    if (existsSync(path)) accessSync(path, constants.W_OK);
    else tried(join(dirname(resolve(path)), ".gatebench-trial"));
    return [];
  } catch (error) {
    return [
      fault("results-folder", `"${path}" cannot be written (${reasonOf(error)}). Give another file with --json.`),
    ];
  }
}

/** Only making a folder shows whether one can be made: to some users and file systems, permissions say little. */
function tried(folder: string): void {
  const made = makeFolder(folder);
  if (made !== undefined) rmSync(made, { recursive: true });
}

/** Makes a folder and what is missing above it, and says where it began. Node's own way never ends below /proc. */
export function makeFolder(path: string): string | undefined {
  if (existsSync(path)) return undefined;
  const above = makeFolder(dirname(path));
  mkdirSync(path);
  return above ?? path;
}

const reasonOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).message;

/** A run's raw output, as its host keeps it. */
export function copyArtifacts({ artifacts }: Pick<Run, "artifacts">, from: string, to: string): void {
  for (const { path } of artifacts) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    if (existsSync(join(from, path))) copyFileSync(join(from, path), join(to, path));
  }
}
