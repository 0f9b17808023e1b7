#!/usr/bin/env node
import { FaultError } from "@gatebench/core";
import { commandLine } from "./command-line";

/** Wrong input ends with 2, everything else that fails with 1; people see one line for each thing wrong. */
commandLine()
  .parseAsync()
  .catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error instanceof FaultError ? 2 : 1;
  });
