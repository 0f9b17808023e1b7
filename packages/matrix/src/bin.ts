#!/usr/bin/env node
import { CommanderError } from "commander";
import { fault, faultsBehind, lineOf, type Fault } from "@gatebench/core";
import { commandLine } from "./command-line";

/** Wrong input ends with 2, an interrupt with 130, everything else that fails with 1; people see one line for each thing wrong. */
commandLine()
  .parseAsync()
  .catch((error: Error) => {
    if (error instanceof CommanderError) return parted(error);
    process.stderr.write(`${error.message}\n`);
    process.exitCode = exitCodeOf(faultsBehind(error));
  });

/** 130 is what a shell expects of an interrupted command. */
function exitCodeOf(faults: readonly Fault[] | undefined): number {
  if (!faults) return 1;
  return faults.some(({ code }) => code === "interrupted") ? 130 : 2;
}

/** Help and version are answers, not faults; they have been given already. */
function parted({ code, message, exitCode }: CommanderError): void {
  process.exitCode = exitCode;
  if (!code.startsWith("commander.") || /help|version/i.test(code)) return;
  const said = message.replace(/^error: /, "").replace(/\.?$/, ".");
  process.stderr.write(`${lineOf(fault("invalid-option", `${said} See --help.`))}\n`);
  process.exitCode = 2;
}
