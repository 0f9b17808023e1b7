import type { Stack } from "@pulumi/pulumi/automation";
import { join } from "node:path";
import { rawFolder, type Duration, type Run, type Verification } from "@gatebench/core";
import { byHand, type KeptRun } from "../by-hand";
import { copyArtifacts } from "../results-folder";
import { openStack, tryDestroy, tryUp, type EngineProblem } from "../engine-stack";
import { benchmarksAbout } from "../plan/benchmarks-about";
import type { Lane, PlannedBenchmark, PlannedCell } from "../plan/expansion";
import type { Experiment } from "./experiment";
import type { LaneFolder, Pass } from "./lane-folder";
import { laneProgram } from "./lane-program";
import { engineConfigOf, siteOf } from "./lane-site";
import type { LaneOutcome, LaneSays } from "./lane-words";
import type { Matrix } from "../matrix-file/matrix";
import { mergeDeployments, type Cells } from "./merge-deployments";
import type { PatientStop } from "./patient-stop";
import { baselineName } from "../plan/plan-group";
import { laneStack, matrixProject } from "./lane-stack";

export interface LaneRun {
  readonly matrix: Matrix;
  readonly lane: Lane;
  readonly experiment: Experiment;
  readonly ttl: Duration | undefined;
  readonly stop: PatientStop;
  readonly say: (words: LaneSays) => void;
}

/** Measures what is left of a lane, and takes its hosts down. Asked again after a kill, it goes on where it was. */
export async function runLane(run: LaneRun): Promise<LaneOutcome> {
  const folder = run.experiment.lane(run.lane.name);
  const stack = await laneStackOf(run);
  for (let before = ""; ;) {
    const left = run.experiment.unfinished(run.lane.cells).map(({ id }) => id);
    const goesOn = folder.pass?.ended === false;
    if (run.stop.asked || (left.length === 0 && !goesOn)) return { left: false };
    if (String(left) === before) return { left: false, problem: `nothing was learnt of ${left.join(", ")}.` };
    before = String(left);
    if (goesOn) run.say({ says: "note", text: `${run.lane.name} was killed; it goes on where it was` });
    const outcome = await new PassRun(run, folder, folder.beginPass(left), stack).carryOut();
    if (outcome.problem !== undefined || outcome.left) return outcome;
  }
}

async function laneStackOf({ matrix, lane }: LaneRun): Promise<Stack> {
  const stack = await openStack(async () => undefined, laneStack(matrix.name, lane.name), matrixProject);
  for (const [key, value] of Object.entries(engineConfigOf(lane.place))) await stack.setConfig(key, { value });
  return stack;
}

/** A connection may be cut and an engine fail; what runs on the hosts goes on meanwhile, and is found again. */
const tries = 3;

/** One life of a lane. */
class PassRun {
  readonly #kept = new Map<string, KeptRun>();
  #deployment: number | undefined;

  constructor(
    private readonly run: LaneRun,
    private readonly folder: LaneFolder,
    private readonly pass: Pass,
    private stack: Stack,
  ) {}

  async carryOut(): Promise<LaneOutcome> {
    const problem = await this.#measure().then(
      () => undefined,
      (error: Error) => error.message,
    );
    const left = !(await this.#takeDown());
    this.folder.endPass();
    return { ...(this.run.stop.asked ? {} : { problem }), left };
  }

  async #measure(): Promise<void> {
    const { rounds, repetitions } = this.run.matrix.file;
    if (rounds === "kept") return this.#up();
    for (let deployment = 1; deployment <= repetitions && !this.run.stop.asked; deployment++) {
      await this.#deploy(deployment);
    }
    this.#mergeDeployments();
  }

  /** One deployment of everything, unless it was measured already. Nothing of the one before it is left. */
  async #deploy(deployment: number): Promise<void> {
    if (this.#benchmarks().every((benchmark) => this.#deployed(deployment, benchmark))) return;
    const underWay = this.folder.pass?.deployment;
    if (underWay !== undefined && underWay !== deployment) await this.stack.destroy();
    this.folder.beginDeployment(deployment);
    this.#deployment = deployment;
    await this.#up();
  }

  /** What was measured of a benchmark on one deployment, if that was all it asks for: also by an earlier pass. */
  #deployed(deployment: number, { name, targets }: PlannedBenchmark): Cells | undefined {
    const cells = this.folder.deployment(deployment, name);
    return targets.every((target) => cells?.[this.#idOf(name, target.name)]) ? cells : undefined;
  }

  async #up(): Promise<void> {
    for (let left = tries; ; left--) {
      const options = { program: await this.#program(), signal: this.run.stop.signal };
      const problem = await tryUp(this.stack, options, (name) => this.run.say({ says: "begins", name }));
      if (problem === undefined) return;
      if (this.run.stop.asked) return;
      if (this.#leaveOut(problem)) continue;
      if (left <= 1) throw new Error(problem.text);
      this.run.say({ says: "note", text: `${this.run.lane.name}: ${problem.text.split("\n")[0]}; trying again` });
      // An engine that was killed leaves its lock behind; opening takes it away.
      this.stack = await laneStackOf(this.run);
    }
  }

  async #program(): Promise<() => Promise<void>> {
    const { matrix, lane, stop, ttl } = this.run;
    const benchmarks = this.#benchmarks();
    const workers = Math.max(0, ...benchmarks.map((one) => one.workers));
    const tags = { Matrix: matrix.name, Lane: lane.name };
    const site = await siteOf(lane.place, { workers, ttl, tags });
    const deployment = this.#deployment;
    const runId = deployment === undefined ? this.pass.runId : `${this.pass.runId}/${deployment}`;
    const seed = matrix.file.seed + (deployment ?? 0);
    const results = lane.place.topology.kind === "local" ? undefined : this.run.experiment.path;
    const label = (benchmark: string) => this.#label(benchmark);
    return laneProgram({ matrix, place: lane.place, benchmarks, runId, seed, site, stop, results, label }, this);
  }

  /** What of the lane this pass is about, without what could not be deployed. */
  #benchmarks(): readonly PlannedBenchmark[] {
    const failed = new Set(this.folder.failed.map(({ id }) => id));
    const wanted = new Set(this.pass.cells.filter((id) => !failed.has(id)));
    return benchmarksAbout(this.run.lane.benchmarks, (...row) => wanted.has(this.#idOf(...row)));
  }

  /** A gateway that does not start takes no other with it: its cells are put down as failed, and the rest goes on. */
  #leaveOut({ complaints }: EngineProblem): boolean {
    const { cells } = this.run.lane;
    const reasons = new Map<string, string>();
    for (const { urn, text } of complaints) {
      const [, name] = /GatewayUnderTest\$.*::([^:]+)$/.exec(urn) ?? [];
      const target = name && targetOf(name, cells);
      if (target !== undefined && !reasons.has(target)) reasons.set(target, saidIn(text));
    }
    const known = new Set(this.folder.failed.map(({ id }) => id));
    const fresh = cells
      .filter(({ id, target }) => reasons.has(target) && this.pass.cells.includes(id) && !known.has(id))
      .map(({ id, target }) => ({ id, reason: reasons.get(target) as string }));
    this.folder.keepFailed(fresh);
    for (const { id, reason } of fresh) this.run.say({ says: "failed", cell: id, reason });
    return fresh.length > 0;
  }

  verified(benchmark: string, verification: Verification): void {
    this.run.say({ says: "verified", benchmark: this.#label(benchmark), verification });
  }

  ran(benchmark: string, of: Run, folder: string | undefined): void {
    const run = this.#deployment === undefined ? of : { ...of, deployment: this.#deployment };
    const id = this.#idOf(benchmark, run.target);
    const label = this.#label(benchmark);
    this.#kept.set(id, { benchmark: label, run, folder });
    if (!this.folder.isKept(id, run)) {
      if (folder !== undefined) copyArtifacts(run, folder, join(this.run.experiment.path, rawFolder(label, run)));
      this.folder.keepRun(id, label, run);
      this.run.say({ says: "ran", benchmark: label, run: withoutHistogram(run) });
    }
    this.run.stop.ran();
  }

  measured(benchmark: string, cells: Cells): void {
    const byId = renamed(cells, (target) => this.#idOf(benchmark, target));
    if (this.#deployment === undefined) this.#keepCells(benchmark, byId);
    else if (!this.run.stop.asked) this.folder.keepDeployment(this.#deployment, benchmark, byId);
  }

  #mergeDeployments(): void {
    const { repetitions } = this.run.matrix.file;
    for (const benchmark of this.#benchmarks()) {
      const all = Array.from({ length: repetitions }, (_, index) => this.#deployed(index + 1, benchmark));
      const whole = all.filter((cells) => cells !== undefined);
      if (whole.length === repetitions) this.#keepCells(benchmark.name, mergeDeployments(whole));
    }
    if (!this.run.stop.asked) this.folder.forgetDeployments();
  }

  /** By id. */
  #keepCells(benchmark: string, cells: Cells): void {
    for (const [id, cell] of Object.entries(cells)) {
      const kept = this.#kept.get(id);
      this.run.experiment.keepCell(id, this.pass.number, {
        ...cell,
        id,
        baseline: cell.baseline === null ? null : this.#idOf(benchmark, baselineName),
        byHand: byHand(cell, kept, this.run.experiment.path),
      });
    }
  }

  #idOf(benchmark: string, target: string): string {
    const { cells } = this.run.lane;
    return (cells.find((one) => one.benchmark === benchmark && one.target === target) as PlannedCell).id;
  }

  /** Another life of a lane is another benchmark: what stood in one table took turns. */
  #label(benchmark: string): string {
    const { number } = this.pass;
    return `${this.run.lane.name}/${benchmark}${number > 1 ? `-pass-${number}` : ""}`;
  }

  async #takeDown(): Promise<boolean> {
    const note = (text: string) => this.run.say({ says: "note", text: `${this.run.lane.name}: ${text}` });
    note("taking everything down");
    const reason = await tryDestroy(this.stack);
    if (reason !== undefined) note(`not everything could be taken down (${reason})`);
    return reason === undefined;
  }
}

const renamed = (cells: Cells, name: (target: string) => string): Cells =>
  Object.fromEntries(Object.entries(cells).map(([target, cell]) => [name(target), cell]));

/** A gateway's resources are named for it and what they are: of "nginx" and "nginx-key-auth" the longer one is meant. */
function targetOf(resource: string, cells: readonly PlannedCell[]): string | undefined {
  const named = cells.map(({ target }) => target).filter((one) => resource === one || resource.startsWith(`${one}-`));
  return named.toSorted((left, right) => right.length - left.length)[0];
}

/** Of what a failing command printed, the line that says why: those of ours begin with a code. */
function saidIn(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.find((line) => /^[a-z]+(-[a-z]+)+: /.test(line)) ?? lines[0] ?? "";
}

/** For people to look at: what is kept has everything. */
function withoutHistogram(run: Run): Run {
  if (!("result" in run.outcome)) return run;
  const { histogram, series, ...result } = run.outcome.result;
  return histogram || series ? { ...run, outcome: { result } } : run;
}
