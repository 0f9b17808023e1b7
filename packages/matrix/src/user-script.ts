import { readFileSync } from "node:fs";
import { fault, type Fault } from "@gatebench/core";
import { generators, generatorsWith } from "@gatebench/generators";

/** Our generators, with a script of somebody's own where one was given; `option` is how, for the fault. */
export function generatorsOf(script: string | undefined, option: string): typeof generators | Fault {
  try {
    return script === undefined ? generators : generatorsWith({ script: readFileSync(script, "utf8") });
  } catch (error) {
    return fault("invalid-option", `${option}: ${script} cannot be read (${(error as Error).message}).`);
  }
}
