import { readFileSync, statSync, type Stats } from "node:fs";
import { extname, resolve } from "node:path";
import { fault, FaultError } from "@gatebench/core";
import type { MatrixSource } from "./matrix-source";
import { programSource } from "./program-source";
import { yamlSource } from "./yaml-source";

/** A matrix is some hundred lines; more was not meant to be one. */
const mostBytes = 1024 * 1024;
const texts = [".yaml", ".yml", ".json"];
const programs = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"];

/** What a matrix file says, whatever it is written in. Throws every mistake of its form. */
export function readSource(path: string): MatrixSource {
  const file = resolve(path);
  const ending = extname(file).toLowerCase();
  refuseFile(path, statsOf(path, file), ending);
  return texts.includes(ending) ? yamlSource(path, textOf(path, file)) : programSource(path, file);
}

function statsOf(path: string, file: string): Stats {
  try {
    return statSync(file);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw refusal(path, isAbsent ? "there is no such file. Give its path from the working folder." : unreadable(error));
  }
}

function refuseFile(path: string, stats: Stats, ending: string): void {
  if (stats.isDirectory()) throw refusal(path, "this is a folder. Name the file in it.");
  if (!stats.isFile()) throw refusal(path, "this is no file that can be read twice. Name an ordinary file.");
  if (![...texts, ...programs].includes(ending))
    throw refusal(path, `a matrix file ends in ${[...texts, ...programs].join(", ")}. Rename it.`);
  if (stats.size > mostBytes)
    throw refusal(path, `it has ${stats.size} bytes, and a matrix at most ${mostBytes}. Is it the right file?`);
}

function textOf(path: string, file: string): string {
  const bytes = bytesOf(path, file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const before = new TextDecoder().decode(bytes).split("\uFFFD")[0] as string;
    const lines = before.split("\n");
    throw refusal(
      `${path}:${lines.length}:${(lines.at(-1) as string).length + 1}`,
      "the text is not UTF-8. Save it as UTF-8.",
    );
  }
}

function bytesOf(path: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw refusal(path, unreadable(error));
  }
}

const unreadable = (error: unknown): string => `it cannot be read (${(error as Error).message}).`;

const refusal = (path: string, message: string): FaultError =>
  new FaultError([fault("invalid-matrix", `${path}: ${message}`)]);
