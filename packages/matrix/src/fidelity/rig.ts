import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation";
import {
  Benchmark,
  FaultError,
  GatewayUnderTest,
  LoadGenerator,
  UpstreamHost,
  broken,
  fault,
  referencesIn,
  resultOf,
  substitute,
  type FaultCode,
  type GeneratorAdapter,
  type LoadResult,
  type Run,
  type Step,
  type Verification,
} from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { steps } from "@gatebench/core/measure";
import { staticPayload } from "@gatebench/core/upstreams";
import { complaint, openStack } from "../engine-stack";
import type { Progress } from "../progress";
import { rawFolder, type ResultsFolder } from "../results-folder";
import { stopOnSignal, type Stop } from "../stop";
import { saturated, scenario, type FidelityPlan } from "./fidelity-plan";
import { handRun } from "./hand-run";
import { othersIn } from "./machine-use";
import { JobWatch, placeOf, type SeenJob } from "./job-watch";
import { withoutSamplers } from "./samplers";
import { withoutFolder, type ToolProcess } from "./tool-process";

/** A load that both sides send with one generator. */
export type Course = "paced" | "saturated";

/** One run of one side. */
export interface SeenRun {
  readonly course: Course;
  readonly stdout: string;
  readonly result: LoadResult;
  /** Its files named by reference. */
  readonly tool: ToolProcess;
  /** Cores that the rest of the machine used meanwhile. */
  readonly othersCores: number;
  /** CPU of gatebench while the tool ran; by hand there is none. */
  readonly harness?: Pick<SeenJob, "parts" | "windowS">;
}

/** A run through the engine, the moment it is known. */
interface KnownRun {
  readonly run: Run;
  /** Where the host carried it out. */
  readonly folder: string;
}

const stackName = "fidelity";

/**
 * An upstream and a gateway that stay, and the two ways to send load to them: through the engine, where each `up`
 * carries out the runs that are new, and by hand while no engine runs.
 */
export class Rig {
  #stack: Stack | undefined;
  readonly #runId = new Date().toISOString();
  readonly #stop: Stop;
  readonly #steps: Record<Course, Step[]> = { paced: [], saturated: [] };
  readonly #known: Record<Course, Map<string, KnownRun>> = { paced: new Map(), saturated: new Map() };
  readonly #watches = new Map<Course, JobWatch>();
  #verifications: Verification[] = [];
  #handRuns = 0;

  constructor(
    private readonly plan: FidelityPlan,
    private readonly results: ResultsFolder,
    private readonly progress: Progress,
  ) {
    this.#stop = stopOnSignal(progress, () => "npm run bench:fidelity, which takes over what is left");
  }

  /** Carries out more steps of a course in one `up`; returns their runs. */
  async throughEngine(more: Readonly<Partial<Record<Course, readonly Step[]>>>): Promise<readonly KnownRun[]> {
    const before = new Set(this.#allKnown().map(({ run }) => run.id));
    for (const course of courses) this.#steps[course].push(...(more[course] ?? []));
    await this.#up();
    this.#refuseBroken();
    const found = this.#allKnown().filter(({ run }) => !before.has(run.id));
    for (const { run } of found) refuseFailed(run);
    this.#watch();
    return found;
  }

  /** The same, with what was seen of each while it ran. */
  async gatebench(course: Course, more: readonly Step[]): Promise<readonly SeenRun[]> {
    const found = await this.throughEngine({ [course]: more });
    return Promise.all(found.map((known) => this.#seen(course, known)));
  }

  /** The command of the course's last run, by hand, so many times, with no engine and no sampler beside it. */
  async byHand(course: Course, runs: number): Promise<readonly SeenRun[]> {
    const seen: SeenRun[] = [];
    const { run, folder } = [...this.#known[course].values()].at(-1) as KnownRun;
    const place = placeOf(dirname(folder));
    await withoutSamplers(place, async () => {
      while (seen.length < runs) seen.push(await this.#oneByHand(course, run, place));
    });
    return seen;
  }

  async close(): Promise<void> {
    for (const watch of this.#watches.values()) watch.end();
    await this.#stack?.destroy().catch((error: Error) => {
      const [first] = error.message.split("\n");
      this.progress.note(`not everything could be taken down (${first}); the next npm run bench:fidelity will do it`);
    });
    this.#stop.forget();
  }

  async #up(): Promise<void> {
    this.#verifications = [];
    this.#stack ??= await openStack(async () => this.#program(), stackName);
    const complaints: string[] = [];
    const onEvent = (event: Parameters<typeof complaint>[0]) => complaints.push(...[complaint(event) ?? []].flat());
    try {
      await this.#stack.up({ onEvent, signal: this.#stop.signal });
    } catch (error) {
      this.#refuseInterrupted();
      const said = complaints.length > 0 ? [...new Set(complaints)].join("\n") : (error as Error).message;
      throw new Error(said, { cause: error });
    }
  }

  /** Both courses stand in it always, so that an `up` changes nothing but the steps that are new. */
  #program(): void {
    const site = new LocalTopology("site");
    const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
    const { gateway: adapter } = this.plan;
    const gateway = new GatewayUnderTest(adapter.name, { host: site.gateway, adapter, upstream, scenario });
    for (const course of courses) {
      const generator = new LoadGenerator(course, { host: site.generator, adapter: this.#adapter(course) });
      this.#observe(
        course,
        new Benchmark(`${course}-load`, {
          generator,
          target: gateway,
          load: saturated,
          protocol: steps([...this.#steps[course]]),
          purpose: course === "paced" ? "at-rate" : undefined,
          runId: this.#runId,
        }),
      );
    }
  }

  #observe(course: Course, { runs, verifications }: Benchmark): void {
    for (const verification of Object.values(verifications))
      verification.apply((known) => void this.#verifications.push(known));
    for (const { run, folder } of runs)
      run.apply((known) => folder.apply((path) => known && path && this.#keep(course, { run: known, folder: path })));
  }

  #keep(course: Course, known: KnownRun): void {
    if (this.#known[course].has(known.run.id)) return;
    this.#known[course].set(known.run.id, known);
    this.results.keepRun(course, known.run, known.folder);
    this.progress.ran(`${course}, gatebench`, known.run);
  }

  /** Each course's first run shows where its jobs lie. */
  #watch(): void {
    for (const course of courses) {
      const [first] = this.#known[course].values();
      if (first && !this.#watches.has(course)) this.#watches.set(course, new JobWatch(dirname(first.folder)));
    }
  }

  async #seen(course: Course, { run, folder }: KnownRun): Promise<SeenRun> {
    const { tool, parts, windowS } = await (this.#watches.get(course) as JobWatch).of(folder);
    return {
      course,
      // From the copy that stays beside the results, not from what the adapter was given.
      stdout: readFileSync(join(this.#kept(course, run), "stdout"), "utf8"),
      result: resultOf(run) as LoadResult,
      tool: withoutFolder(tool, folder),
      othersCores: othersIn(run),
      harness: { parts, windowS },
    };
  }

  async #oneByHand(course: Course, run: Run, place: string): Promise<SeenRun> {
    const files = this.#kept(course, run);
    const folder = join(this.results.path, "by-hand", course, String(++this.#handRuns).padStart(3, "0"));
    const { output, tool, othersCores } = await handRun(resolved(run.command, files), folder, place);
    this.#refuseInterrupted();
    const result = this.#adapter(course).parse(output, { load: run.asked });
    this.progress.note(`      ${course}, by hand  ${Math.round(result.rps).toLocaleString("en-US")} rps`);
    return { course, stdout: output.stdout, result, tool: withoutFolder(tool, files), othersCores };
  }

  #kept = (course: Course, run: Run): string => join(this.results.path, rawFolder(course, run));
  #adapter = (course: Course): GeneratorAdapter => (course === "paced" ? this.plan.pacing : this.plan.saturating);
  #allKnown = (): readonly KnownRun[] => courses.flatMap((course) => [...this.#known[course].values()]);

  #refuseBroken(): void {
    const reasons = this.#verifications.flatMap(broken).map(({ law, reason }) => `${law}: ${reason}`);
    if (reasons.length > 0)
      throw failure("verification-failed", `${this.plan.gateway.name} is not measured: ${reasons.join("; ")}`);
  }

  #refuseInterrupted(): void {
    if (this.#stop.asked()) throw failure("interrupted", "the check was interrupted; nothing of it was kept running.");
  }
}

const courses: readonly Course[] = ["paced", "saturated"];

/** The command as a person would type it: its files lie beside the run in the results. */
function resolved(command: readonly string[], files: string): readonly string[] {
  const names = command.flatMap(referencesIn).filter((name) => name.startsWith("file."));
  const paths = Object.fromEntries(names.map((name) => [name, join(files, name.slice("file.".length))]));
  return command.map((word) => substitute(word, paths));
}

function refuseFailed({ outcome, target }: Run): void {
  if ("failure" in outcome) throw failure("job-failed", `a run against ${target} failed: ${outcome.failure.message}`);
}

const failure = (code: FaultCode, message: string): FaultError => new FaultError([fault(code, message)]);
