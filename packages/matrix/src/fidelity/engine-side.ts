import { setMaxListeners } from "node:events";
import type { Stack } from "@pulumi/pulumi/automation";
import {
  FaultError,
  broken,
  fault,
  type Benchmark,
  type FaultCode,
  type Run,
  type Step,
  type Verification,
} from "@gatebench/core";
import { destroyCommand, fidelityStackName, openStack, tryDestroy, tryUp } from "../engine-stack";
import type { Progress } from "../progress";
import type { ResultsFolder } from "../results-folder";
import { stopOnSignal, type Stop } from "../stop";
import type { FidelityPlan } from "./fidelity-plan";
import { courses, rigProgram, type Course } from "./rig-program";

/** A run through the engine. */
export interface EngineRun {
  readonly run: Run;
  /** Where the host carried it out. */
  readonly folder: string;
}

/** Runs as every benchmark makes them: steps are added to the program, and an `up` carries out those that are new. */
export class EngineSide {
  #stack: Stack | undefined;
  #verifications: Verification[] = [];
  readonly #runId = new Date().toISOString();
  readonly #steps: Record<Course, Step[]> = { paced: [], saturated: [] };
  readonly #runs: Record<Course, Map<string, EngineRun>> = { paced: new Map(), saturated: new Map() };
  readonly #stop: Stop;

  constructor(
    private readonly plan: FidelityPlan,
    private readonly results: ResultsFolder,
    private readonly progress: Progress,
  ) {
    this.#stop = stopOnSignal(progress, () => destroyCommand);
    setMaxListeners(0, this.#stop.signal); // Every `up` listens anew.
  }

  /** Carries out more steps; returns their runs, course by course. */
  async carryOut(more: Partial<Record<Course, readonly Step[]>>): Promise<Record<Course, readonly EngineRun[]>> {
    const before = { paced: this.#runs.paced.size, saturated: this.#runs.saturated.size };
    for (const course of courses) this.#steps[course].push(...(more[course] ?? []));
    await this.#up();
    this.#refuseUnmeasured();
    return { paced: this.runs("paced").slice(before.paced), saturated: this.runs("saturated").slice(before.saturated) };
  }

  /** In the order in which they took place. */
  runs(course: Course): readonly EngineRun[] {
    return [...this.#runs[course].values()];
  }

  /** Ends with a fault where somebody has asked for the end. */
  refuseInterrupted(): void {
    if (this.#stop.asked()) throw failure("interrupted", "the check was interrupted; nothing of it was kept running.");
  }

  async close(): Promise<void> {
    const reason = this.#stack && (await tryDestroy(this.#stack));
    if (reason !== undefined)
      this.progress.note(`not everything could be taken down (${reason}); try: ${destroyCommand}`);
    this.#stop.forget();
  }

  async #up(): Promise<void> {
    this.#verifications = [];
    this.#stack ??= await this.#open();
    const problem = await tryUp(this.#stack, { signal: this.#stop.signal });
    if (!problem) return;
    this.refuseInterrupted();
    throw new Error(problem.text, { cause: problem.cause });
  }

  /** What a killed check left behind is taken down first. */
  async #open(): Promise<Stack> {
    const stack = await openStack(async () => this.#program(), fidelityStackName);
    await stack.destroy();
    return stack;
  }

  #program(): void {
    const benchmarks = rigProgram(this.plan, this.#steps, this.#runId);
    for (const course of courses) this.#observe(course, benchmarks[course]);
  }

  #observe(course: Course, { runs, verifications }: Benchmark): void {
    for (const verification of Object.values(verifications))
      verification.apply((known) => void this.#verifications.push(known));
    for (const { run, folder } of runs)
      run.apply((known) => folder.apply((path) => known && path && this.#keep(course, { run: known, folder: path })));
  }

  /** Every `up` states the runs of those before it again. */
  #keep(course: Course, known: EngineRun): void {
    if (this.#runs[course].has(known.run.id)) return;
    this.#runs[course].set(known.run.id, known);
    this.results.keepRun(course, known.run, known.folder);
    this.progress.ran(`${course}, gatebench`, known.run);
  }

  #refuseUnmeasured(): void {
    const reasons = this.#verifications.flatMap(broken).map(({ law, reason }) => `${law}: ${reason}`);
    if (reasons.length > 0)
      throw failure("verification-failed", `${this.plan.gateway.name} is not measured: ${reasons.join("; ")}`);
    for (const { run } of courses.flatMap((course) => this.runs(course)))
      if ("failure" in run.outcome)
        throw failure("job-failed", `${run.outcome.failure.code}: ${run.outcome.failure.message}`);
  }
}

const failure = (code: FaultCode, message: string): FaultError => new FaultError([fault(code, message)]);
