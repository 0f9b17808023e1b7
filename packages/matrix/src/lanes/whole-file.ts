import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** Writes a file so that whoever reads it finds the old or the new one, never a part: a kill may come at any moment. */
export function writeWhole(path: string, content: unknown): void {
  const beside = `${path}.${process.pid}.new`;
  writeFileSync(beside, typeof content === "string" ? content : `${JSON.stringify(content)}\n`);
  renameSync(beside, path);
}

/** What was written; undefined where nothing was. */
export function readWhole<T>(path: string): T | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as T) : undefined;
}
