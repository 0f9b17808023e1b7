import type { Command } from "commander";
import { alwaysNeeded } from "@gatebench/core/local";
import { expand } from "../plan/expand";
import { binariesOf } from "./matrix-lanes";
import { runMatrix, type MatrixOptions } from "./matrix-run";
import { readMatrix } from "../matrix-file/read-matrix";

/** `gatebench matrix FILE`. */
export function matrixCommand(command: Command): void {
  describedMatrix(command).action(
    async (file: string, options: MatrixOptions) => void (await runMatrix(file, options)),
  );
}

/** Which programs it starts on this machine, for a command that only wants to know. */
export function matrixNeeds(command: Command): void {
  describedMatrix(command).action(async (file: string) => {
    const programs = new Set([...binariesOf(expand(await readMatrix(file))), ...alwaysNeeded]);
    process.stdout.write(`${JSON.stringify([...programs])}\n`);
  });
}

function describedMatrix(command: Command): Command {
  return command
    .description("measure every cell of a matrix file to the end: gateways × scenarios × generators × loads × sizes")
    .argument("<file>", "YAML, or TypeScript that exports one")
    .option("--results <folder>", "where the experiment's folder is made, by the matrix's name", "results")
    .option("--retry-failed", "measure again what was invalid, failed or could not be deployed", false)
    .option("--prices <source>", "dated: the table kept with gatebench; aws: AWS's own list as it is today", "dated")
    .addHelpText(
      "after",
      `
Everything measured is kept at once: after a kill, a crash or a lost connection the same command goes on where it was and
repeats nothing. Interrupted once, it stops after the run under way and takes everything down; interrupted twice, it stops now.`,
    )
    .allowExcessArguments(false);
}
