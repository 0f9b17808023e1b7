import { cpus, release, totalmem, type } from "node:os";
import type { Result } from "@gatebench/core";

/** What the figures were measured on. */
export function machine(): Result["machine"] {
  return {
    os: `${type()} ${release()}`,
    cpu: cpus()[0]?.model.trim() ?? "unknown CPU",
    cpus: cpus().length,
    memoryBytes: totalmem(),
  };
}

/** Which engine, command plug-in and language host are used, as the set-up says. */
export const engineText = (): string => process.env.GATEBENCH_ENGINE ?? "the Pulumi CLI on PATH";
