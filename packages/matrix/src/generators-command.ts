import type { Command } from "commander";
import type { Result } from "@gatebench/core";
import { generators } from "@gatebench/generators";
import { bench } from "./bench";
import type { BenchOptions } from "./bench-options";
import { generatorTable } from "./generator-table";

/** `gatebench generators`: every generator against one local target without a gateway, and what each says of it. */
export function generatorsCommand(command: Command, optionsFrom: (given: Given) => BenchOptions): void {
  describedGenerators(command).action(async (given: Given) => void (await compared(optionsFrom(withDefaults(given)))));
}

type Given = Readonly<Record<string, unknown>>;

/** The same options, for a command that only wants to know what they need. */
export function describedGenerators(command: Command): Command {
  return command
    .description(
      "each generator in turn against one target: what it counted and what the server did, and what it costs",
    )
    .option("--generator <names>", "comma-separated (default: all that need no hosts of their own)")
    .option("--scenario <name>", "plain, https, tls-transactions, … (default: plain)")
    .option("--duration <time>", "of each run (default: 3s)")
    .option("--connections <count>", "of each run (default: 16)")
    .option("--rate <rate>", "an arrival rate, of those that can send one")
    .option("--repetitions <count>", "measured runs of each, after a warm-up (default: 3)")
    .option("--json <file>", "write the result there too (gatebench/result/v1)")
    .option("--results <folder>", "where a folder for this is made (default: results/generators)")
    .allowExcessArguments(false);
}

/** Options of a bench of the path without a gateway. */
export const withDefaults = (given: Given): Given => ({
  generator: ofOneHost(),
  ...{ scenario: "plain", duration: "3s", connections: 16, repetitions: 3, results: "results/generators" },
  ...given,
  gateway: "direct",
});

/** Names of ours that send a load without hosts of their own. */
const ofOneHost = (): readonly string[] =>
  Object.keys(generators).filter((name) => generators[name]?.().reports.distributed !== "required");

const compared = (options: BenchOptions): Promise<Result> => bench(options, generatorTable);
