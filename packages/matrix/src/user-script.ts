import { readFileSync } from "node:fs";
import { fault, type Fault } from "@gatebench/core";
import { generators, generatorsWith } from "@gatebench/generators";

/** Our generators, with a script of somebody's own where one was given; `option` is how, for the fault. */
export function generatorsOf(path: string | undefined, option: string): typeof generators | Fault {
  if (path === undefined) return generators;
  const script = scriptText(path, `${option}: ${path}`);
  return typeof script === "string" ? generatorsWith({ script }) : script;
}

/** A script of somebody's own; or that `said` cannot be had, and why. */
export function scriptText(path: string, said: string): string | Fault {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return fault("invalid-option", `${said} cannot be read (${(error as Error).message}).`);
  }
}
