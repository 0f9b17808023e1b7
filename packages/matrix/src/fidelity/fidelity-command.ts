import type { Command } from "commander";
import { alwaysNeeded } from "@gatebench/core/local";
import { fidelity } from "./fidelity";
import { readFidelityOptions } from "./fidelity-options";
import { binariesOf, planFidelity } from "./fidelity-plan";

/** `gatebench fidelity`: ends with 1 where a bound is broken. */
export function fidelityCommand(command: Command): void {
  described(command).action(async (given) => {
    const { held } = await fidelity(readFidelityOptions(given));
    if (!held) process.exitCode = 1;
  });
}

/** `gatebench needs fidelity`. */
export function fidelityNeeds(command: Command): void {
  described(command).action(async (given) => {
    const programs = binariesOf(await planFidelity(readFidelityOptions(given)));
    process.stdout.write(`${JSON.stringify([...new Set([...programs, ...alwaysNeeded])])}\n`);
  });
}

function described(command: Command): Command {
  return command
    .description(
      "what gatebench itself takes from a measurement: the same load through the engine and by hand, in turns",
    )
    .option("--gateway <name>", "a gateway's name, a package or a path (default: nginx)")
    .option("--generator <name>", "for the load at saturation (default: wrk); hey sends the one at a pace")
    .option("--quick", "fewer pairs: a minute instead of four")
    .option("--json <file>", "write what was found there too (gatebench/fidelity/v1)")
    .option("--results <folder>", "where a folder for this check is made (default: results/fidelity)")
    .allowExcessArguments(false);
}
