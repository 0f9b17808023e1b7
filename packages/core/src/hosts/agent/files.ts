import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Artifact } from "../../contract";
import { setting } from "./setting";

export function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as T;
  } catch {
    return undefined;
  }
}

/** Whole or not at all: a reader never sees half a file. */
export function writeJson(path: string, value: unknown): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(value), { mode: 0o600 });
  renameSync(unfinished, path);
}

/** Texts by relative path. Readable by all, in a folder that only we can enter unless a workload drops its rights. */
export function writeTexts(folder: string, texts: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o644 });
    chmodSync(join(folder, path), 0o644);
  }
}

/** A folder a program may write to: in a container it may run as anybody, and nobody else can enter the folders above. */
export function makeWorkFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (setting.isolated) chmodSync(folder, 0o777);
}

/** A new file for what a program says; nobody else may read it. */
export const openOutput = (path: string): number => openSync(path, "w", 0o600);

export const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

export function artifact(folder: string, path: string): Artifact {
  const bytes = readFileSync(join(folder, path));
  return { path, bytes: statSync(join(folder, path)).size, sha256: createHash("sha256").update(bytes).digest("hex") };
}
