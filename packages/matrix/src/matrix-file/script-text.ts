import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fault, type Fault } from "@gatebench/core";

/** A script of somebody's own, from the file's folder; or why it cannot be had. */
export function scriptText(path: string, folder: string): string | Fault {
  try {
    return readFileSync(resolve(folder, path), "utf8");
  } catch (error) {
    return fault("invalid-option", `the script cannot be read (${(error as Error).message}).`);
  }
}
