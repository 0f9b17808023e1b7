import { accessSync, appendFileSync, constants, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fault, FaultError, type Result, type Run } from "@gatebench/core";
import { markdownReport } from "./markdown-report";

/** One folder per invocation: figures, and beside them everything they come from. */
export interface ResultsFolder {
  readonly path: string;
  /** A run, the moment it is known: nothing is lost because of what comes after it. */
  keepRun(benchmark: string, run: Run, artifactsIn: string | undefined): void;
  keepResult(result: Result): void;
}

/** Makes the folder for this invocation, or says why it cannot be had. */
export function openResultsFolder(parent: string, at: Date): ResultsFolder {
  const path = join(resolve(parent), at.toISOString().replace(/[:.]/g, "-"));
  makeFolder(path, parent);
  return {
    path,
    keepRun: (benchmark, run, artifactsIn) => {
      appendFileSync(join(path, "runs.jsonl"), `${JSON.stringify({ benchmark, ...run })}\n`);
      if (artifactsIn !== undefined) copyArtifacts(run, artifactsIn, join(path, rawFolder(benchmark, run)));
    },
    keepResult: (result) => {
      writeFileSync(join(path, "result.json"), `${JSON.stringify(result)}\n`);
      writeFileSync(join(path, "report.md"), markdownReport(result));
    },
  };
}

/** Where a run's raw output lies in the results folder. */
export const rawFolder = (benchmark: string, { target, id, order }: Pick<Run, "target" | "id" | "order">): string =>
  join("raw", benchmark, target, `${String(order).padStart(3, "0")}-${id}`);

function makeFolder(path: string, parent: string): void {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK | constants.R_OK);
  } catch (error) {
    throw new FaultError([resultsFault(parent, error)]);
  }
}

const resultsFault = (path: string, error: unknown) =>
  fault(
    "results-folder",
    `"${path}" cannot be used for results (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}). Give a folder that can be read and written with --results.`,
  );

/** Refuses a --json file that could not be written in the end. */
export function checkJsonFile(path: string): void {
  try {
    mkdirSync(dirname(resolve(path)), { recursive: true });
    accessSync(existsSync(path) ? path : dirname(resolve(path)), constants.W_OK);
  } catch (error) {
    throw new FaultError([
      fault(
        "results-folder",
        `"${path}" cannot be written (${(error as NodeJS.ErrnoException).code}). Give another file with --json.`,
      ),
    ]);
  }
}

function copyArtifacts({ artifacts }: Run, from: string, to: string): void {
  for (const { path } of artifacts) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    if (existsSync(join(from, path))) copyFileSync(join(from, path), join(to, path));
  }
}
