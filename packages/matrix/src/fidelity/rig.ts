import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rawFolder, referencesIn, resultOf, substitute, type LoadResult, type Run, type Step } from "@gatebench/core";
import { grouped } from "../counts-in-words";
import type { Progress } from "../progress";
import type { ResultsFolder } from "../results-folder";
import { EngineSide, type EngineRun } from "./engine-side";
import type { FidelityPlan } from "./fidelity-plan";
import { handRun } from "./hand-run";
import { JobWatch, placeOf, type SeenJob } from "./job-watch";
import { othersIn } from "./machine-use";
import { courses, generatorOf, type Course } from "./rig-program";
import { withoutSamplers } from "./samplers";
import { withoutFolder, type ToolProcess } from "./tool-process";

/** One run of one side, and what was seen while it went on. */
export interface SeenRun {
  readonly stdout: string;
  readonly result: LoadResult;
  /** Its files named by reference. */
  readonly tool: ToolProcess;
  /** Of all CPUs, what the rest of the machine used meanwhile. */
  readonly others: number;
  /** CPU of gatebench while the load ran; by hand there is none. */
  readonly harness?: Pick<SeenJob, "parts" | "windowS">;
}

/** An upstream and a gateway that stay, and the two ways to send load to them. */
export class Rig {
  readonly #engine: EngineSide;
  readonly #watches = new Map<Course, JobWatch>();
  #handRuns = 0;

  constructor(
    private readonly plan: FidelityPlan,
    private readonly results: ResultsFolder,
    private readonly progress: Progress,
  ) {
    this.#engine = new EngineSide(plan, results, progress);
  }

  /** Runs before the pairs, at least one of each course. They show where the jobs lie, which is watched from then on. */
  async begin(first: Readonly<Record<Course, readonly Step[]>>): Promise<Readonly<Record<Course, readonly Run[]>>> {
    const { paced, saturated } = await this.#engine.carryOut(first);
    for (const course of courses) this.#watches.set(course, new JobWatch(this.#jobs(course)));
    return { paced: paced.map(({ run }) => run), saturated: saturated.map(({ run }) => run) };
  }

  /** The same step so many times, through the engine, in one `up`. */
  async gatebench(course: Course, step: Step, runs: number): Promise<readonly SeenRun[]> {
    const found = await this.#engine.carryOut({ [course]: Array<Step>(runs).fill(step) });
    return Promise.all(found[course].map((one) => this.#seen(course, one)));
  }

  /** The command of the course's last run, by hand, so many times: no engine runs, no sampler, nothing of ours. */
  async byHand(course: Course, runs: number): Promise<readonly SeenRun[]> {
    const { run } = this.#engine.runs(course).at(-1) as EngineRun;
    const seen: SeenRun[] = [];
    await withoutSamplers(placeOf(this.#jobs(course)), async () => {
      while (seen.length < runs) seen.push(await this.#oneByHand(course, run));
    });
    return seen;
  }

  async close(): Promise<void> {
    for (const watch of this.#watches.values()) watch.end();
    await this.#engine.close();
  }

  async #seen(course: Course, { run, folder }: EngineRun): Promise<SeenRun> {
    const { tool, ...harness } = await (this.#watches.get(course) as JobWatch).of(folder);
    return {
      // From the copy that stays beside the results, not from what the adapter was given.
      stdout: readFileSync(join(this.#kept(course, run), "stdout"), "utf8"),
      result: resultOf(run) as LoadResult,
      tool: withoutFolder(tool, folder),
      others: othersIn(run),
      harness,
    };
  }

  async #oneByHand(course: Course, run: Run): Promise<SeenRun> {
    const files = this.#kept(course, run);
    const folder = join(this.results.path, "by-hand", course, String(++this.#handRuns).padStart(3, "0"));
    const { output, tool, others } = await handRun(resolved(run.command, files), folder, placeOf(this.#jobs(course)));
    this.#engine.refuseInterrupted();
    const result = generatorOf(this.plan, course).parse(output, { load: run.asked });
    this.progress.note(`        ${course}, by hand  ${grouped(result.rps)} rps`);
    return { stdout: output.stdout, result, tool: withoutFolder(tool, files), others };
  }

  /** Where the host carries out the jobs of a course. */
  #jobs(course: Course): string {
    return dirname((this.#engine.runs(course)[0] as EngineRun).folder);
  }

  #kept(course: Course, run: Run): string {
    return join(this.results.path, rawFolder(course, run));
  }
}

/** The command as a person types it: its files lie beside the run in the results. */
function resolved(command: readonly string[], files: string): readonly string[] {
  const names = command.flatMap(referencesIn).filter((name) => name.startsWith("file."));
  const paths = Object.fromEntries(names.map((name) => [name, join(files, name.slice("file.".length))]));
  return command.map((word) => substitute(word, paths));
}
