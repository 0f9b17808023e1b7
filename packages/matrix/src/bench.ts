import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation";
import { fault, FaultError, refuse, resultSchemaName, type Cell, type Result, type Run } from "@gatebench/core";
import { localTopologyFaults, missingBinaries } from "@gatebench/core/local";
import type { BenchOptions } from "./bench-options";
import { loadSeconds } from "./bench-options";
import { binariesOf, planBench, type BenchPlan } from "./bench-plan";
import { benchProgram, siteName } from "./bench-program";
import { byHand, type KeptRun } from "./by-hand";
import { holdCheckout } from "./checkout-lock";
import {
  destroyCommand,
  engineFaults,
  engineFolder,
  openStack,
  projectName,
  stackName,
  fidelityStackName,
  tryDestroy,
  tryUp,
} from "./engine-stack";
import { matrixProject } from "./lanes/lane-stack";
import type { ProgrammedBenchmark } from "./lanes/declare-benchmarks";
import { engineText, machine } from "./machine";
import { beginMeasuring, endMeasuring } from "./measuring";
import { clock, openProgress, type Progress } from "./progress";
import {
  jsonFileFaults,
  openResultsFolder,
  resultsFolderFaults,
  writeJsonFile,
  type ResultsFolder,
} from "./results-folder";
import { stopOnSignal, type Stop } from "./stop";
import { terminalTables } from "./terminal-tables";
import { version } from "./version";
import { counted } from "./counts-in-words";

/** What a result looks like in a terminal. */
type Shown = (result: Result) => string;

/** Plans, deploys, verifies, warms up, measures, and always takes everything down again. Returns the result. */
export async function bench(
  options: BenchOptions,
  shown: Shown = terminalTables,
  planned: (options: BenchOptions) => Promise<BenchPlan> = planBench,
): Promise<Result> {
  const plan = await planned(options);
  refuse([
    ...engineFaults(),
    ...missingBinaries(binariesOf(plan)),
    ...resultsFolderFaults(options.results),
    ...(options.json === undefined ? [] : jsonFileFaults(options.json)),
    ...localTopologyFaults(siteName, options.portBase, { project: projectName, stack: stackName }),
  ]);
  const release = holdCheckout();
  try {
    return await measured(plan, openResultsFolder(options.results, new Date()), shown);
  } finally {
    release();
  }
}

async function measured(plan: BenchPlan, results: ResultsFolder, shown: Shown): Promise<Result> {
  const { options } = plan;
  const progress = announce(plan);
  const startedAt = new Date().toISOString();
  const { runId, continued } = beginMeasuring();
  if (continued) progress.note("the last bench here was killed; it goes on where it was");
  const cells = await carryOut(plan, runId, results, progress).finally(() => progress.end());
  endMeasuring();
  const result: Result = {
    schema: resultSchemaName,
    startedAt,
    endedAt: new Date().toISOString(),
    gatebench: version,
    engine: engineText(),
    machine: machine(),
    seed: options.seed,
    cells,
    skipped: [...plan.skipped],
  };
  results.keepResult(result);
  if (options.json !== undefined) writeJsonFile(options.json, result);
  const took = (Date.parse(result.endedAt) - Date.parse(startedAt)) / 1000;
  process.stdout.write(`\n${shown(result)}\n\nresults, after ${clock(took)}: ${results.path}\n`);
  return result;
}

function announce(plan: BenchPlan): Progress {
  const targets = plan.benchmarks.reduce((total, one) => total + one.targets.length, 0);
  const seconds = targets * loadSeconds(plan.options);
  const progress = openProgress(targets * plan.protocol.maxRuns, seconds);
  progress.note(
    [
      counted(plan.benchmarks.length, "benchmark"),
      counted(targets, "row"),
      counted(targets * plan.protocol.maxRuns, "run"),
      `${clock(seconds)} of load`,
    ].join(", "),
  );
  return progress;
}

/** The cells, from an engine that was brought up and is down again, whatever happened in between. */
async function carryOut(
  plan: BenchPlan,
  runId: string,
  results: ResultsFolder,
  progress: Progress,
): Promise<readonly Cell[]> {
  const observed = new ObservedProgram(plan, runId, results, progress);
  const stack = await openStack(() => observed.run());
  const stop = stopOnSignal(progress, () => recovery());
  try {
    await up(stack, stop, progress, results);
    return await observed.cells();
  } finally {
    if (plan.options.keep && !stop.asked()) progress.note(`kept running; take it down with: ${recovery()}`);
    else if (await takeDown(stack, progress)) endMeasuring();
    stop.forget();
  }
}

async function up(stack: Stack, stop: Stop, progress: Progress, { path }: ResultsFolder): Promise<void> {
  const problem = await tryUp(stack, { signal: stop.signal }, (name) => progress.begins(name));
  if (!problem) return;
  if (stop.asked()) throw new FaultError([interruptedFault(path)]);
  throw new Error(problem.text, { cause: problem.cause });
}

/** Runs of a gateway that was taken down are never pooled with those of its next life. */
const interruptedFault = (results: string) =>
  fault(
    "interrupted",
    `the bench was interrupted. What it had measured lies in ${results}; the same command measures everything again.`,
  );

/** Whether everything is down: then there is nothing left to go on with. */
async function takeDown(stack: Stack, progress: Progress): Promise<boolean> {
  progress.note("taking everything down");
  const reason = await tryDestroy(stack);
  if (reason !== undefined) progress.note(`not everything could be taken down (${reason}); try: ${recovery()}`);
  return reason === undefined;
}

const recovery = (): string => `${destroyCommand}   (state: ${engineFolder()})`;

/** The program as the engine runs it, with everything it yields handed on the moment it is known. */
class ObservedProgram {
  #benchmarks: readonly ProgrammedBenchmark[] = [];
  readonly #cells = new Map<string, Readonly<Record<string, Cell>>>();
  /** The last run of each row. */
  readonly #kept = new Map<string, KeptRun>();

  constructor(
    private readonly plan: BenchPlan,
    private readonly runId: string,
    private readonly results: ResultsFolder,
    private readonly progress: Progress,
  ) {}

  async run(): Promise<void> {
    this.#benchmarks = benchProgram(this.plan, this.runId);
    for (const { planned, benchmark } of this.#benchmarks) {
      benchmark.cells.apply((cells) => this.#cells.set(planned.name, cells));
      for (const verification of Object.values(benchmark.verifications))
        verification.apply((found) => this.progress.verified(planned.name, found));
      for (const { run, folder } of benchmark.runs)
        run.apply((known) => folder.apply((path) => this.#keep(planned.name, known, path)));
    }
  }

  /** In the order of the plan. */
  async cells(): Promise<readonly Cell[]> {
    return this.plan.benchmarks.flatMap(({ name }) =>
      Object.entries(this.#cells.get(name) ?? {}).map(([target, cell]) => ({
        ...cell,
        byHand: byHand(cell, this.#kept.get(`${name}/${target}`), this.results.path),
      })),
    );
  }

  #keep(benchmark: string, run: Run | undefined, folder: string | undefined): void {
    if (!run) return;
    this.results.keepRun(benchmark, run, folder);
    this.#kept.set(`${benchmark}/${run.target}`, { benchmark, run, folder });
    this.progress.ran(benchmark, run);
  }
}

/** Takes down what an earlier bench or matrix kept, and what they or a fidelity check could not take down. */
export async function destroyBench(): Promise<void> {
  const release = holdCheckout();
  try {
    for (const [project, name] of [[projectName, stackName], [projectName, fidelityStackName], ...laneStacks()]) {
      const stack = await openStack(async () => undefined, name, project);
      await stack.destroy({ onOutput: (text) => process.stderr.write(text) });
    }
    endMeasuring();
  } finally {
    release();
  }
}

/** Of every matrix that was ever begun in this checkout. */
function laneStacks(): readonly (readonly [project: string, name: string])[] {
  const folder = join(engineFolder(), matrixProject);
  return existsSync(folder) ? readdirSync(folder).map((name) => [matrixProject, name] as const) : [];
}
