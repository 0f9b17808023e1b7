#!/usr/bin/env node
import { CommanderError } from "commander";
import { fault, faultsBehind, lineOf } from "@gatebench/core";
import { commandLine } from "./command-line";

/** Wrong input ends with 2, everything else that fails with 1; people see one line for each thing wrong. */
commandLine()
  .parseAsync()
  .catch((error: Error) => {
    if (error instanceof CommanderError) return parted(error);
    process.stderr.write(`${error.message}\n`);
    process.exitCode = faultsBehind(error) ? 2 : 1;
  });

/** Help and version are answers, not faults; they have been given already. */
function parted({ code, message, exitCode }: CommanderError): void {
  process.exitCode = exitCode;
  if (!code.startsWith("commander.") || /help|version/i.test(code)) return;
  const said = message.replace(/^error: /, "").replace(/\.?$/, ".");
  process.stderr.write(`${lineOf(fault("invalid-option", `${said} See --help.`))}\n`);
  process.exitCode = 2;
}
