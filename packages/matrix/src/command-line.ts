import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { fault, FaultError, listed, refuse, scenarios, type Fault } from "@gatebench/core";
import { alwaysNeeded } from "@gatebench/core/local";
import { gateways } from "@gatebench/gateways";
import { generators } from "@gatebench/generators";
import { parse } from "yaml";
import { bench, destroyBench } from "./bench";
import { readBenchOptions, type BenchOptions } from "./bench-options";
import { binariesOf, planBench } from "./bench-plan";
import { compareCommand, describedCompare } from "./compare/compare-command";
import { describedExplain, explainCommand } from "./explain/explain-command";
import { fidelityCommand, fidelityNeeds } from "./fidelity/fidelity-command";
import { describedGenerators, generatorsCommand, withDefaults } from "./generators-command";
import { laneCommand } from "./lanes/lane-command";
import { matrixCommand, matrixNeeds } from "./lanes/matrix-command";
import { describedPlan, planCommand } from "./plan/plan-command";
import { describedNoise, noiseCommand, noiseDefaults } from "./noise/noise-command";
import { describedParse, parseCommand } from "./parse-command";
import { describedReport, reportCommand } from "./report/report-command";
import { describedSweep, sweepCommand } from "./sweep/sweep-command";
import { version } from "./version";

/** The `gatebench` command. */
export function commandLine(): Command {
  const program = new Command("gatebench")
    .description("Benchmarks API gateways and reports numbers their reader can defend.")
    .version(version)
    // Faults are told by the caller, in the one form all faults have.
    .exitOverride()
    .configureOutput({ outputError: () => undefined });
  benchCommand(program.command("bench")).action(async (given) => void (await bench(optionsFrom(given))));
  fidelityCommand(program.command("fidelity"));
  generatorsCommand(program.command("generators"), optionsFrom);
  parseCommand(program.command("parse"));
  matrixCommand(program.command("matrix"));
  planCommand(program.command("plan"));
  sweepCommand(program.command("sweep"));
  laneCommand(program.command("lane", { hidden: true }));
  compareCommand(program.command("compare"));
  explainCommand(program.command("explain"));
  noiseCommand(program.command("noise"), optionsFrom);
  reportCommand(program.command("report"));
  program
    .command("destroy")
    .description("take down what an earlier bench kept or could not take down")
    .action(destroyBench);
  const needs = program.command("needs", { hidden: true }).description("print the programs a command starts, as JSON");
  benchCommand(needs.command("bench")).action(
    async (given) => void process.stdout.write(`${JSON.stringify(await needed(optionsFrom(given)))}\n`),
  );
  fidelityNeeds(needs.command("fidelity"));
  describedGenerators(needs.command("generators")).action(
    async (given) => void process.stdout.write(`${JSON.stringify(await needed(optionsFrom(withDefaults(given))))}\n`),
  );
  describedParse(needs.command("parse")).action(() => void process.stdout.write("[]\n"));
  matrixNeeds(needs.command("matrix"));
  describedPlan(needs.command("plan")).action(() => void process.stdout.write("[]\n"));
  describedSweep(needs.command("sweep")).action(() => void process.stdout.write("[]\n"));
  describedCompare(needs.command("compare")).action(() => void process.stdout.write("[]\n"));
  describedExplain(needs.command("explain")).action(() => void process.stdout.write("[]\n"));
  describedNoise(needs.command("noise")).action(
    async (given) => void process.stdout.write(`${JSON.stringify(await needed(optionsFrom(noiseDefaults(given))))}\n`),
  );
  describedReport(needs.command("report")).action(() => void process.stdout.write("[]\n"));
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
    .option(
      "--pace <rate>",
      "requests per second of each connection, for generators that can pace: hey, k6 (default: as fast as possible)",
    )
    .option("--rate <rate>", "arrival rate in requests per second, for generators with an open model: k6, oha")
    .option("--max-in-flight <count>", "most requests of an arrival rate under way at once (default: --connections)")
    .option("--users <count>", "users who send, think and send again: k6, locust, ngrinder")
    .option("--think <time>", "of a user between two requests: 2s, or 1s-3s for any time between (default: none)")
    .option("--spawn <rate>", "users started per second (default: all at once)")
    .option("--start-within <time>", "in which all users have started")
    .option("--iterations <count>", "requests of each user, in place of a duration")
    .option("--spread <name>", "of requests over routes and consumers: uniform, normal (default: uniform)")
    .option("--script <file>", "your own script in the generator's language, in place of ours: k6, locust, wrk")
    .option("--generator-workers <count>", "of a generator that shares its load among several: locust (default: 0)")
    .option("--repetitions <count>", "measured runs of each row, after a warm-up of 1 s (default: 5)")
    .option("--workers <count>", "of each gateway (default: half of the CPUs)")
    .option("--seed <number>", "of the order of targets in each round (default: 1)")
    .option("--port-base <port>", "first of 400 ports to listen on (default: derived from the folder)")
    .option("--observe", "Prometheus and a node exporter beside the runs, and figures by PromQL in the result")
    .option("--scrape-interval <time>", "from one scrape to the next (default: 1s)")
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

/** What a stack file sets, as options; one that sets what only a stack has is refused, not half followed. */
function presetOptions(name: string): Given {
  if (!presetNames().includes(name))
    throw new FaultError([fault("unknown-preset", `"${name}" is not a preset. Known: ${listed(presetNames())}.`)]);
  const settings = settingsOf(name);
  refuse(settings.flatMap(([key]) => (optionOf(key) === undefined ? [stackOnly(name, key)] : [])));
  return Object.fromEntries(settings.map(([key, value]) => [optionOf(key), value]));
}

function settingsOf(preset: string): readonly (readonly [key: string, value: unknown])[] {
  const text = readFileSync(join(presetFolder, `Pulumi.${preset}.yaml`), "utf8");
  const { config } = parse(text) as { readonly config: Given };
  return Object.entries(config).map(([key, value]) => [key.split(":").pop() as string, value]);
}

const stackOnly = (preset: string, key: string): Fault =>
  fault(
    "unknown-preset",
    `"${preset}" sets ${key}, which gatebench bench has not. Run it as a stack: "cd stacks/local && pulumi up --stack ${preset}".`,
  );

const sameInBoth = [
  "gateway",
  "generator",
  "scenario",
  "duration",
  "connections",
  "threads",
  "maxInFlight",
  "users",
  "think",
  "startWithin",
  "iterations",
  "spread",
  "generatorWorkers",
  "repetitions",
  "workers",
  "portBase",
];
const spelledDifferently: Readonly<Record<string, string>> = {
  pacePerConnection: "pace",
  ratePerS: "rate",
  spawnPerS: "spawn",
};
const optionOf = (key: string): string | undefined => (sameInBoth.includes(key) ? key : spelledDifferently[key]);
