import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { fault, FaultError, listed, scenarios, type Fault } from "@gatebench/core";
import { alwaysNeeded } from "@gatebench/core/local";
import { gateways } from "@gatebench/gateways";
import { generators } from "@gatebench/generators";
import { parse } from "yaml";
import { bench, destroyBench } from "./bench";
import { readBenchOptions, type BenchOptions } from "./bench-options";
import { binariesOf, planBench } from "./bench-plan";
import { version } from "./version";

/** The `gatebench` command. */
export function commandLine(): Command {
  const program = new Command("gatebench")
    .description("Benchmarks API gateways and reports numbers their reader can defend.")
    .version(version);
  benchCommand(program.command("bench")).action(async (given) => void (await bench(optionsFrom(given))));
  program
    .command("destroy")
    .description("take down what an earlier bench kept or could not take down")
    .action(destroyBench);
  const needs = program.command("needs", { hidden: true }).description("print the programs a command starts, as JSON");
  benchCommand(needs.command("bench")).action(
    async (given) => void process.stdout.write(`${JSON.stringify(await needed(optionsFrom(given)))}\n`),
  );
  needs.command("destroy").action(() => void process.stdout.write("[]\n"));
  return program;
}

function benchCommand(command: Command): Command {
  return command
    .description(
      "gateways × scenarios × generators on this machine, in interleaved rounds, beside the path without a gateway",
    )
    .option(
      "--gateway <names>",
      `comma-separated: ${listed(Object.keys(gateways))}, a package or a path (default: nginx,envoy; direct is always the baseline)`,
    )
    .option(
      "--scenario <names>",
      `comma-separated: ${listed(Object.keys(scenarios))} (default: plain,key-auth-rate-limit,tls-transactions)`,
    )
    .option(
      "--generator <names>",
      `comma-separated: ${listed(Object.keys(generators))}, a package or a path (default: wrk,hey)`,
    )
    .option("--duration <time>", "of each run, with its unit: 500ms, 10s, 1m (default: 1s)")
    .option("--connections <count>", "of each run (default: 32)")
    .option("--threads <count>", "of the generator (default: its own choice)")
    .option("--pace <rate>", "requests per second of each connection (default: as fast as possible)")
    .option("--rate <rate>", "arrival rate in requests per second, for generators with an open model")
    .option("--repetitions <count>", "measured runs of each row, after a warm-up of 1 s (default: 5)")
    .option("--workers <count>", "of each gateway (default: half of the CPUs)")
    .option("--seed <number>", "of the order of targets in each round (default: 1)")
    .option("--quick", "a first look: one run of 2 s for each row")
    .option("--keep", "leave everything running afterwards; take it down with: gatebench destroy")
    .option("--json <file>", "write the result there too (gatebench/result/v1)")
    .option("--results <folder>", "where a folder for this bench is made (default: results)")
    .option("--preset <name>", `options of stacks/local: ${listed(presetNames())}`)
    .allowExcessArguments(false);
}

async function needed(options: BenchOptions): Promise<readonly string[]> {
  return [...new Set([...binariesOf(await planBench(options)), ...alwaysNeeded])];
}

type Given = Readonly<Record<string, unknown>>;

function optionsFrom({ preset, ...given }: Given): BenchOptions {
  const options = readBenchOptions({ ...(typeof preset === "string" ? presetOptions(preset) : {}), ...given });
  if (Array.isArray(options)) throw new FaultError(options as readonly Fault[]);
  return options as BenchOptions;
}

const presetFolder = join(__dirname, "..", "..", "..", "stacks", "local");

function presetNames(): readonly string[] {
  if (!existsSync(presetFolder)) return [];
  return readdirSync(presetFolder).flatMap((name) => /^Pulumi\.(.+)\.yaml$/.exec(name)?.[1] ?? []);
}

/** What a stack file sets, as options; keys only stacks have are left to stacks. */
function presetOptions(name: string): Given {
  if (!presetNames().includes(name))
    throw new FaultError([fault("unknown-preset", `"${name}" is not a preset. Known: ${listed(presetNames())}.`)]);
  const { config } = parse(readFileSync(join(presetFolder, `Pulumi.${name}.yaml`), "utf8")) as { config: Given };
  const named = Object.entries(config).map(
    ([key, value]) => [optionOf(key.split(":").pop() as string), value] as const,
  );
  return Object.fromEntries(named.filter(([key]) => key !== undefined)) as Given;
}

const sameInBoth = ["gateway", "generator", "scenario", "duration", "connections", "threads", "repetitions", "workers"];
const spelledDifferently: Readonly<Record<string, string>> = { pacePerConnection: "pace", ratePerS: "rate" };
const optionOf = (key: string): string | undefined => (sameInBoth.includes(key) ? key : spelledDifferently[key]);
