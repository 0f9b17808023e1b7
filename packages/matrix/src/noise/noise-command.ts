import { join } from "node:path";
import type { Command } from "commander";
import { fault, FaultError, type Result } from "@gatebench/core";
import { bench } from "../bench";
import type { BenchOptions } from "../bench-options";
import { lookOf } from "../look";
import { rigNoise, storeNoise } from "./noise-file";
import { planNoise } from "./noise-plan";
import { noiseText } from "./noise-text";

type Given = Readonly<Record<string, unknown>>;

/** Where `gatebench compare` looks for what is known of a rig. */
export const noiseFileName = join("results", "noise.json");

/** `gatebench noise`: one gateway against itself, and what this rig can therefore tell apart. */
export function noiseCommand(command: Command, optionsFrom: (given: Given) => BenchOptions): void {
  describedNoise(command).action(async (given: Given) => {
    const result = await bench(optionsFrom(noiseDefaults(given)), noiseTextOf, planNoise);
    const noise = rigNoise(result);
    if (noise.figures.length === 0) throw new FaultError([nothingMeasured]);
    const file = typeof given.store === "string" ? given.store : noiseFileName;
    storeNoise(file, noise);
    process.stdout.write(`what this rig can tell apart, for gatebench compare: ${file}\n`);
  });
}

const noiseTextOf = (result: Result): string => noiseText(rigNoise(result), lookOf(process.stdout));

const nothingMeasured = fault(
  "job-failed",
  "noise: too few runs gave figures, so that nothing is known of this rig. gatebench explain says what became of them.",
);

/** The same options, for a command that only wants to know what they need. */
export function describedNoise(command: Command): Command {
  return command
    .description(
      "one gateway against itself, in turns: which differences this rig can tell apart, and how many runs it takes",
    )
    .option("--gateway <name>", "(default: nginx)")
    .option("--scenario <name>", "(default: plain)")
    .option("--generator <name>", "(default: wrk)")
    .option("--duration <time>", "of each run (default: 1s)")
    .option("--connections <count>", "of each run (default: 32)")
    .option("--threads <count>", "of the generator (default: its own choice)")
    .option("--rate <rate>", "an arrival rate, of generators that can send one: then P99 too can be told apart")
    .option("--pace <rate>", "requests per second of each connection")
    .option("--workers <count>", "of each gateway (default: half of the CPUs)")
    .option("--repetitions <count>", "measured runs of each (default: 20)")
    .option("--seed <number>", "of the order in each round (default: 1)")
    .option("--port-base <port>", "first of 400 ports to listen on (default: derived from the folder)")
    .option("--results <folder>", "where a folder for this is made (default: results/noise)")
    .option("--store <file>", `what is known of rigs (default: ${noiseFileName}, where compare looks)`)
    .allowExcessArguments(false);
}

/** Options of a bench: where it is stored is none of them. */
export const noiseDefaults = (given: Given): Given => ({
  ...{ gateway: "nginx", scenario: "plain", generator: "wrk", repetitions: 20, results: join("results", "noise") },
  ...Object.fromEntries(Object.entries(given).filter(([name]) => name !== "store")),
});
