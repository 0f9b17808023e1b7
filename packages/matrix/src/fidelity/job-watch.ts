import { existsSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readAfter, readBefore, used, type Parts } from "./harness-usage";
import { childrenOf, read } from "./processes";
import { readToolProcess, runs, type ToolProcess } from "./tool-process";

/** What was seen of the tool, and of ourselves, while a job ran. */
export interface SeenJob {
  readonly tool: ToolProcess;
  readonly windowS: number;
  readonly parts: Parts;
}

/** The tool comes a few milliseconds after its output file. */
const lookMs = 5;
const lookTimes = 200;

/**
 * Watches the jobs of a session: what the tool was given, and what all of ours used from its first moment until it
 * prints its figures, when the load is over.
 *
 * File events tell both moments, so that watching costs nothing in between.
 */
export class JobWatch {
  readonly #seen = new Map<string, Promise<SeenJob>>();
  readonly #watchers: FSWatcher[] = [];

  /** @param jobs where the session keeps a folder for each job */
  constructor(private readonly jobs: string) {
    this.#watch(jobs, (_, name) => this.#jobAppears(name));
  }

  /** What was seen of the job that left its output in a folder. */
  async of(folder: string): Promise<SeenJob> {
    const seen = await this.#seen.get(basename(folder));
    if (!seen) throw new Error(`the job in ${folder} ran unseen`);
    return seen;
  }

  end(): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  #watch(folder: string, onEvent: (type: string, name: string) => void): void {
    this.#watchers.push(watch(folder, (type, name) => name !== null && onEvent(type, name)));
  }

  /** It appears whole, by renaming; names of unfinished ones begin with a dot, and one that goes tells its name too. */
  #jobAppears(name: string): void {
    const folder = join(this.jobs, name);
    if (name.startsWith(".") || this.#seen.has(name) || !existsSync(folder)) return;
    const moments = new Moments();
    this.#watch(folder, (type, file) => {
      if (file === "stdout") moments.come(type === "rename" ? "starts" : "prints");
      if (file === "progress.json" && phaseIn(folder) === "settles") moments.come("ends");
    });
    if (existsSync(join(folder, "stdout"))) moments.come("starts");
    const seen = seenJob(folder, placeOf(this.jobs), moments);
    seen.catch(() => undefined); // Whoever asks for it is told.
    this.#seen.set(name, seen);
  }
}

/** What the files of a job tell: the supervisor opens the tool's output before it starts it, and notes when it has ended. */
type Moment = "starts" | "prints" | "ends";

/** Each moment comes once; whoever waits for one that has come waits no more. */
class Moments {
  readonly #come = new Map<Moment, () => void>();
  readonly #all = Object.fromEntries(
    (["starts", "prints", "ends"] as const).map((name) => [
      name,
      new Promise<void>((resolve) => this.#come.set(name, resolve)),
    ]),
  ) as Record<Moment, Promise<void>>;

  come(moment: Moment): void {
    this.#come.get(moment)?.();
  }

  of(moment: Moment): Promise<void> {
    return this.#all[moment];
  }
}

const phaseIn = (folder: string): string =>
  (JSON.parse(read(join(folder, "progress.json")) ?? "{}") as { phase?: string }).phase ?? "";

/** …/places/PLACE/sessions/SESSION/jobs */
export const placeOf = (jobs: string): string => basename(dirname(dirname(dirname(jobs))));

async function seenJob(folder: string, place: string, moments: Moments): Promise<SeenJob> {
  await moments.of("starts");
  const { pid, tool } = await toolOf(folder);
  const before = readBefore(place, pid);
  const from = performance.now();
  const until = async (moment: Moment) => {
    await moments.of(moment);
    const windowS = (performance.now() - from) / 1000;
    return { tool, windowS, parts: used(before, readAfter(before, place, pid)) };
  };
  const [printed, ended] = await Promise.all([Promise.race([until("prints"), until("ends")]), until("ends")]);
  // A tool that prints as it goes is watched to its end.
  return printed.windowS > ended.windowS / 2 ? printed : ended;
}

async function toolOf(folder: string): Promise<{ readonly pid: number; readonly tool: ToolProcess }> {
  const { program, supervisor } = await orderIn(folder);
  for (let looks = 0; looks < lookTimes; looks++) {
    for (const pid of childrenOf(supervisor)) {
      const tool = readToolProcess(pid);
      if (tool && runs(program, tool)) return { pid, tool };
    }
    await sleep(lookMs);
  }
  throw new Error(`${program} was not seen among the processes of the supervisor ${supervisor}`);
}

async function orderIn(folder: string): Promise<{ readonly program: string; readonly supervisor: number }> {
  const { job } = JSON.parse(read(join(folder, "order.json")) ?? "") as { job: { command: string[] } };
  const { pid } = JSON.parse(read(join(folder, "supervisor", "process.json")) ?? "") as { pid: number };
  return { program: job.command[0] as string, supervisor: pid };
}
