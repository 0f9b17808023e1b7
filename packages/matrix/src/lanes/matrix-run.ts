import { regionsOf } from "../matrix-file/topology-asked";
import { appendFileSync, copyFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { fault, refuse, secondsOf, type Result, type Run } from "@gatebench/core";
import { missingBinaries } from "@gatebench/core/local";
import { holdCheckout } from "../checkout-lock";
import { destroyCommand, engineFaults } from "../engine-stack";
import { writeReports } from "../report/report-files";
import { clock, openProgress, type Progress } from "../progress";
import { resultsFolderFaults } from "../results-folder";
import { leave, onInterrupt } from "../stop";
import { publishedText } from "../report/beside-published";
import { terminalFigures } from "../terminal-tables";
import { dollars, type PriceTable } from "../prices";
import type { Estimate } from "../plan/estimate";
import { expand } from "../plan/expand";
import type { Expansion, Lane } from "../plan/expansion";
import { Experiment } from "./experiment";
import { LaneProcess } from "./lane-process";
import { siteFaults } from "./lane-site";
import { laneStack, matrixProject } from "./lane-stack";
import type { LaneOutcome, LaneSays } from "./lane-words";
import { binariesOf, lanesLeft } from "./matrix-lanes";
import { estimatedFor, priceTable } from "../plan/plan-command";
import { readMatrix, type ReadMatrix } from "../matrix-file/read-matrix";
import { writeWhole } from "./whole-file";
import { indexExperiments } from "./experiment-index";
import { counted } from "../counts-in-words";

export interface MatrixOptions {
  readonly results: string;
  /** Measures again what went wrong before. */
  readonly retryFailed: boolean;
  /** Where prices are taken from: dated, or aws. */
  readonly prices: string;
}

/** Measures what is left of a matrix to the end, and takes everything down. The same command goes on after a kill. */
export async function runMatrix(file: string, options: MatrixOptions): Promise<Result> {
  const matrix = await readMatrix(file);
  const expansion = expand(matrix);
  refuse(matrix.withPositions(expansion.faults));
  refuse(startFaults(matrix, expansion, options));
  const prices = await priceTable(options.prices, matrix);
  const release = holdCheckout();
  try {
    return await new MatrixRun(file, matrix, expansion, options, prices).carryOut();
  } finally {
    release();
  }
}

/** Everything that would stop it on this machine, before anything is created. */
function startFaults(matrix: ReadMatrix, { lanes, ...expansion }: Expansion, { results }: MatrixOptions) {
  return [
    ...(lanes.length > 0
      ? []
      : [fault("invalid-matrix", `${matrix.path} leaves nothing to measure: ${first(expansion)}`)]),
    ...engineFaults(),
    ...resultsFolderFaults(results),
    ...missingBinaries(binariesOf({ lanes, ...expansion })),
    ...lanes.flatMap(({ name, place }) =>
      siteFaults(place, { project: matrixProject, stack: laneStack(matrix.name, name) }),
    ),
  ];
}

const first = ({ skipped }: Pick<Expansion, "skipped">): string =>
  skipped[0]?.reason ?? "it has no cells. Give it gateways and scenarios that fit each other.";

/** One invocation. */
class MatrixRun {
  readonly #experiment: Experiment;
  readonly #begun = Date.now();
  readonly #running = new Set<LaneProcess>();
  readonly #problems: { readonly lane: string; readonly outcome: LaneOutcome }[] = [];
  /** What is left of them. */
  readonly #lanes: readonly Lane[];
  readonly #estimate: Estimate;
  #stopped = false;
  #declaredS = 0;

  constructor(
    private readonly file: string,
    private readonly matrix: ReadMatrix,
    private readonly expansion: Expansion,
    options: MatrixOptions,
    private readonly prices: PriceTable,
  ) {
    this.#experiment = new Experiment(options.results, matrix.name);
    if (options.retryFailed) this.#experiment.retryFailed();
    this.#lanes = lanesLeft(expansion, this.#experiment);
    const { estimated, faults } = estimatedFor(matrix, { lanes: this.#lanes }, prices);
    refuse(faults);
    this.#estimate = estimated;
  }

  /** In the region of the first topology that rents such a machine. */
  readonly #pricePerHour = (instanceType: string) => {
    const rented = this.matrix.places.filter(({ size }) => size.instanceType === instanceType);
    const [region] = regionsOf(rented.map(({ topology }) => topology));
    return region === undefined ? undefined : this.prices.pricePerHour(instanceType, region);
  };

  async carryOut(): Promise<Result> {
    this.#keepFile();
    const progress = this.#announce();
    const forget = this.#listen(progress);
    try {
      await this.#inTurns([...this.#lanes], progress);
    } finally {
      progress.end();
      forget();
    }
    const result = this.#keepResult();
    this.#tell(result);
    refuse(this.#endFaults());
    return result;
  }

  /** As many lanes at once as the file allows. */
  async #inTurns(waiting: Lane[], progress: Progress): Promise<void> {
    const worker = async (): Promise<void> => {
      for (let lane = waiting.shift(); lane && !this.#stopped; lane = waiting.shift())
        await this.#carryOut(lane, progress);
    };
    await Promise.all(Array.from({ length: this.matrix.file.parallel }, worker));
  }

  async #carryOut({ name }: Lane, progress: Progress): Promise<void> {
    const folder = this.#experiment.lane(name).path;
    const order = { file: this.file, lane: name, results: this.#experiment.results, log: join(folder, "log.txt") };
    const lane = new LaneProcess(order, (words) => this.#hear(words, progress));
    this.#running.add(lane);
    const outcome = await lane.ended;
    this.#running.delete(lane);
    if (outcome.problem !== undefined || outcome.left) this.#problems.push({ lane: name, outcome });
    if (outcome.problem !== undefined) progress.note(`${name} was not measured to its end: ${outcome.problem}`);
  }

  #hear(words: LaneSays, progress: Progress): void {
    switch (words.says) {
      case "begins":
        return progress.begins(words.name);
      case "note":
        return progress.note(words.text);
      case "verified":
        return progress.verified(words.benchmark, words.verification);
      case "ran":
        this.#declaredS += askedSeconds(words.run, this.matrix.file);
        return progress.ran(words.benchmark, words.run);
      case "failed":
        return progress.note(`left out: ${words.cell}: ${words.reason}`);
      case "ended":
        return;
    }
  }

  #announce(): Progress {
    const { cells, skipped } = this.expansion;
    const { lanes, wallS, usd } = this.#estimate;
    const left = this.#lanes.flatMap((lane) => {
      const folder = this.#experiment.lane(lane.name);
      return lane.cells.map(({ id }) => folder.runsOf(id));
    });
    const known = left.reduce((sum, runs) => sum + runs, 0);
    const all = lanes.reduce((sum, { time }) => sum + time.runs, 0);
    const seconds = lanes.reduce((sum, { time }) => sum + time.loadS + time.warmUpS, 0);
    const atOnce = Math.max(1, Math.min(this.matrix.file.parallel, this.#lanes.length));
    const progress = openProgress(all - known, seconds * ((all - known) / Math.max(1, all)), atOnce);
    const measured = cells.length - left.length;
    const cost = usd === null || usd === 0 ? "" : `, ${dollars(usd)}`;
    progress.note(
      [
        `${this.matrix.name}: ${counted(cells.length, "cell")}${measured > 0 ? `, ${measured} of them measured` : ""}`,
        ...(skipped.length > 0 ? [`${counted(skipped.length, "combination")} left out`] : []),
        counted(this.#lanes.length, "lane"),
        counted(all - known, "run"),
        `about ${clock(wallS)}${cost}`,
      ].join(", "),
    );
    return progress;
  }

  /** In two stages: after the run under way, with everything taken down; and at once, with everything left as it is. */
  #listen(progress: Progress): () => void {
    return onInterrupt(
      () => {
        this.#stopped = true;
        progress.note("interrupted: after the run under way everything is taken down (again: leave at once)");
        this.#running.forEach((lane) => lane.stop());
      },
      () => {
        this.#running.forEach((lane) => lane.kill());
        progress.end();
        leave(destroyCommand);
      },
    );
  }

  #keepFile(): void {
    const copy = join(this.#experiment.path, `matrix${extname(this.file)}`);
    if (resolve(this.file) !== copy) copyFileSync(this.file, copy);
  }

  #keepResult(): Result {
    const result = this.#experiment.result(this.expansion, this.matrix);
    writeWhole(join(this.#experiment.path, "result.json"), result);
    writeReports(result, this.#experiment.path, undefined, { pricePerHour: this.#pricePerHour });
    const left = this.#experiment.unfinished(this.expansion.cells).length;
    appendFileSync(
      join(this.#experiment.path, "invocations.jsonl"),
      `${JSON.stringify({ startedAt: new Date(this.#begun).toISOString(), endedAt: new Date().toISOString(), left, interrupted: this.#stopped })}\n`,
    );
    indexExperiments(this.#experiment.results);
    return result;
  }

  #tell(result: Result): void {
    const tookS = (Date.now() - this.#begun) / 1000;
    const ratio =
      this.#declaredS > 0
        ? `, ${(tookS / this.#declaredS).toFixed(2)} times its loads and rests (${clock(this.#declaredS)})`
        : "";
    const published = publishedText(result);
    const where = `results, after ${clock(tookS)}${ratio}: ${this.#experiment.path}`;
    const said = [terminalFigures(result), published, where].filter((text) => text !== undefined);
    process.stdout.write(`\n${said.join("\n\n")}\n`);
  }

  #endFaults() {
    const unmeasured = this.#problems.filter(({ outcome }) => outcome.problem !== undefined);
    const left = this.#problems.filter(({ outcome }) => outcome.left);
    const where = `What was measured lies in ${this.#experiment.path}; the same command measures the rest`;
    return [
      ...(this.#stopped ? [fault("interrupted", `the matrix was interrupted. ${where}.`)] : []),
      ...unmeasured.map(({ lane, outcome }) =>
        fault("job-failed", `lane ${lane} was not measured to its end: ${outcome.problem} ${where}.`),
      ),
      ...left.map(({ lane }) =>
        fault(
          "left-behind",
          `the hosts of lane ${lane} could not all be taken down. Remove them with: ${destroyCommand}`,
        ),
      ),
    ];
  }
}

/** What a run was asked to take: its load or warm-up, and the rest before it. */
function askedSeconds({ asked, startedAt, endedAt }: Run, { coolDown }: ReadMatrix["file"]): number {
  const byCount = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
  return (asked.duration === undefined ? byCount : secondsOf(asked.duration)) + secondsOf(coolDown);
}
