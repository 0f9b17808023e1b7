import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fault, FaultError, resultSchema, schemaFaults, type Fault, type Result } from "@gatebench/core";

/** A result as it lies in a folder or a file; throws what is wrong with it. */
export function storedResult(path: string): Result {
  const file = fileOf(path);
  const parsed = resultSchema.safeParse(jsonOf(file));
  if (!parsed.success)
    throw new FaultError([unreadable(file, firstOf(schemaFaults("unreadable-result", "result", parsed.error)))]);
  return parsed.data;
}

/** The newest folder below this one that holds a result; folders are named for when they were made. */
export function newestResult(results: string): string {
  const newest = entriesOf(results)
    .filter((name) => isFile(join(results, name, "result.json")))
    .toSorted()
    .at(-1);
  if (newest !== undefined) return join(results, newest);
  throw new FaultError([unreadable(results, "no folder in it holds a result.json")]);
}

const fileOf = (path: string): string => (isFolder(path) ? join(path, "result.json") : path);
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
const entriesOf = (folder: string): readonly string[] => (isFolder(folder) ? readdirSync(folder) : []);

function jsonOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new FaultError([unreadable(file, (error as Error).message)]);
  }
}

const firstOf = ([first]: readonly Fault[]): string => first?.message ?? "it is no result";

const unreadable = (path: string, why: string): Fault =>
  fault(
    "unreadable-result",
    `"${path}" is no result of gatebench (${why.replace(/\.$/, "")}). Give a result.json (gatebench/result/v1), or a folder that holds one.`,
  );
