import type { Command } from "commander";
import { lookOf } from "../look";
import { newestResult } from "../report/newest-result";
import { readResult } from "../report/read-result";
import { explanation } from "./explanation";
import { foundRun } from "./found-run";

/** `gatebench explain RUN`: what is known of a run or a cell, and of each warning its evidence and the fix. */
export function explainCommand(command: Command): void {
  describedExplain(command).action((named: string, { results }: { readonly results?: string }) => {
    const folder = results ?? newestResult("results");
    const result = readResult(folder).result;
    process.stdout.write(`${explanation(foundRun(result, named), result, folder, lookOf(process.stdout))}\n`);
  });
}

/** The same arguments, for a command that only wants to know what they need. */
export function describedExplain(command: Command): Command {
  return command
    .description("what was asked and came out of a run or a cell, and of each warning its evidence and what to do")
    .argument("<run>", "a cell's id (wrk-plain/nginx), or a run's, or its beginning as far as only one has it")
    .option("--results <folder>", "the folder of its bench (default: the newest in results)")
    .allowExcessArguments(false);
}
