import { existsSync, readdirSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { resultOf, resultSchemaName, type Cell, type Result } from "@gatebench/core";
import { engineText, machine } from "../machine";
import { makeFolder } from "../results-folder";
import { version } from "../version";
import type { Expansion, PlannedCell, SkippedCell } from "../plan/expansion";
import { LaneFolder, type FailedCell } from "./lane-folder";
import type { Matrix } from "../matrix-file/matrix";
import { publishedOf } from "./published-of";
import { readWhole, writeWhole } from "./whole-file";

/** The folder of a matrix: everything measured for it so far, by every invocation. */
export class Experiment {
  readonly path: string;

  constructor(
    readonly results: string,
    readonly name: string,
  ) {
    this.path = join(resolve(results), name);
    makeFolder(this.#folder("cells"));
    makeFolder(this.#folder("lanes"));
  }

  lane(name: string): LaneFolder {
    return new LaneFolder(join(this.#folder("lanes"), name));
  }

  /** Those of these that are still to be measured. What could not be deployed is not tried again before it is asked for. */
  unfinished(cells: readonly PlannedCell[]): readonly PlannedCell[] {
    const failed = new Set(this.#failed.map(({ id }) => id));
    return cells.filter(({ id }) => !failed.has(id) && !existsSync(this.#cell(id)));
  }

  /** A baseline that another pass needed again stands beside the first, under that pass. */
  keepCell(id: string, pass: number, cell: Cell): void {
    const own = readWhole<Cell>(this.#cell(id));
    writeWhole(own && own.benchmark !== cell.benchmark ? this.#cell(`${id}~${pass}`) : this.#cell(id), cell);
  }

  /** Puts away what went wrong, so that it is measured again; what it was stays beside it. */
  retryFailed(): void {
    const wrong = this.#cellFiles().filter((name) => isFailed(readWhole<Cell>(this.#cell(name)) as Cell));
    wrong.forEach((name) => renameSync(this.#cell(name), `${this.#cell(name)}.${Date.now()}.failed`));
    this.#lanes().forEach((lane) => lane.forgetFailed());
  }

  get #failed(): readonly FailedCell[] {
    return this.#lanes().flatMap(({ failed }) => failed);
  }

  #lanes(): readonly LaneFolder[] {
    return readdirSync(this.#folder("lanes")).map((name) => this.lane(name));
  }

  /** Everything measured so far, as one result; cells nobody asks for any more are left out of it, and stay in the folder. */
  result({ cells, skipped }: Expansion, matrix: Matrix): Result {
    const wanted = new Map(cells.map((cell) => [cell.id, cell]));
    const measured = this.#cellFiles().filter((name) => wanted.has(idIn(name)));
    const order = [...wanted.keys()];
    const place = (name: string) => order.indexOf(idIn(name));
    const found = measured
      .toSorted((left, right) => place(left) - place(right))
      .map((name) => readWhole<Cell>(this.#cell(name)) as Cell);
    const times = found
      .flatMap(({ runs }) => runs.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt]))
      .toSorted();
    const now = new Date().toISOString();
    return {
      ...{ schema: resultSchemaName, startedAt: times[0] ?? now, endedAt: times.at(-1) ?? now },
      ...{ gatebench: version, engine: engineText(), machine: machine(), seed: matrix.file.seed },
      cells: found,
      skipped: [...skipped.map(skippedOf), ...this.#failedOf(wanted)],
      ...publishedOf(matrix.file, cells),
    };
  }

  #failedOf(wanted: ReadonlyMap<string, PlannedCell>): Result["skipped"] {
    return this.#failed.flatMap(({ id, reason }) => {
      const cell = wanted.get(id);
      return cell ? [skippedOf({ ...cell, reason })] : [];
    });
  }

  #cellFiles(): readonly string[] {
    return readdirSync(this.#folder("cells")).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? []);
  }

  #cell(name: string): string {
    return join(this.#folder("cells"), `${name}.json`);
  }

  #folder(name: string): string {
    return join(this.path, name);
  }
}

/** Of a file's name without its ending: the id, and the pass of a baseline that was needed again. */
const idIn = (name: string): string => name.split("~")[0] as string;

const skippedOf = ({ gateway, scenario, generator, size, reason }: SkippedCell): Result["skipped"][number] => ({
  ...{ gateway, scenario, generator, size, reason },
});

/** A figure that was asked for is wrong, or a run of it gave none. */
const isFailed = ({ verdict, runs }: Cell): boolean =>
  [verdict.rps, verdict.tlsTps].includes("invalid") || runs.some((run) => resultOf(run) === undefined);
