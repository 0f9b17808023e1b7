import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cell, Run } from "@gatebench/core";
import { makeFolder } from "../results-folder";
import { readWhole, writeWhole } from "./whole-file";

/** One life of a lane: its hosts from their creation to their end. */
export interface Pass {
  /** From 1; each has its own benchmarks in the result. */
  readonly number: number;
  /** Part of every session: the same one goes on where it was. */
  readonly runId: string;
  /** The cells it was begun for, by id. */
  readonly cells: readonly string[];
  /** Which deployment is under way, where each round has its own. */
  readonly deployment?: number;
  /** Whether it came to its end or was taken down; if not, it is gone on with. */
  readonly ended: boolean;
}

/** A cell that could not be deployed, and why. */
export interface FailedCell {
  readonly id: string;
  readonly reason: string;
}

/** What one lane has measured so far: each run the moment it is known, so that nothing is lost because of what comes after it. */
export class LaneFolder {
  readonly #runs: string;
  /** Ids by cell; read when somebody asks, for a folder is often opened for something else. */
  #ids: Map<string, Set<string>> | undefined;

  constructor(readonly path: string) {
    makeFolder(path);
    this.#runs = join(path, "runs.jsonl");
  }

  get pass(): Pass | undefined {
    return readWhole(this.#file("pass.json"));
  }

  /** Goes on with what was killed, or begins anew with these cells. */
  beginPass(cells: readonly string[]): Pass {
    const last = this.pass;
    if (last && !last.ended) return last;
    const next = { number: (last?.number ?? 0) + 1, runId: new Date().toISOString(), cells, ended: false };
    writeWhole(this.#file("pass.json"), next);
    return next;
  }

  beginDeployment(deployment: number): void {
    this.#changePass({ deployment });
  }

  endPass(): void {
    this.#changePass({ ended: true });
  }

  #changePass(changes: Partial<Pass>): void {
    const last = this.pass;
    if (last) writeWhole(this.#file("pass.json"), { ...last, ...changes });
  }

  /** What could not be deployed; left alone until it is asked for again. */
  get failed(): readonly FailedCell[] {
    return readWhole(this.#file("failed.json")) ?? [];
  }

  keepFailed(cells: readonly FailedCell[]): void {
    writeWhole(this.#file("failed.json"), [...this.failed, ...cells]);
  }

  forgetFailed(): void {
    writeWhole(this.#file("failed.json"), []);
  }

  /** A pass that goes on meets its own runs again. */
  isKept(cell: string, { id }: Pick<Run, "id">): boolean {
    return this.#kept(cell).has(id);
  }

  keepRun(cell: string, benchmark: string, run: Run): void {
    if (this.isKept(cell, run)) return;
    appendFileSync(this.#runs, `${JSON.stringify({ cell, benchmark, ...run })}\n`);
    this.#kept(cell).add(run.id);
  }

  /** How many runs of a cell are kept. */
  runsOf(cell: string): number {
    return this.#kept(cell).size;
  }

  #kept(cell: string): Set<string> {
    this.#ids ??= idsByCell(wholeLines(this.#runs).map((line) => JSON.parse(line) as StoredRun));
    const ids = this.#ids.get(cell) ?? new Set();
    this.#ids.set(cell, ids);
    return ids;
  }

  /** The cells of one deployment of a benchmark by id, until all its deployments are there. */
  keepDeployment(number: number, benchmark: string, cells: Readonly<Record<string, Cell>>): void {
    makeFolder(this.#file("deployments"));
    writeWhole(this.#file("deployments", `${benchmark}-${number}.json`), cells);
  }

  deployment(number: number, benchmark: string): Readonly<Record<string, Cell>> | undefined {
    return readWhole(this.#file("deployments", `${benchmark}-${number}.json`));
  }

  /** Their cells stand elsewhere by now. */
  forgetDeployments(): void {
    rmSync(this.#file("deployments"), { recursive: true, force: true });
  }

  #file(...names: readonly string[]): string {
    return join(this.path, ...names);
  }
}

type StoredRun = Run & { readonly cell: string };

function idsByCell(runs: readonly StoredRun[]): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { cell, id } of runs) ids.set(cell, (ids.get(cell) ?? new Set()).add(id));
  return ids;
}

/** A kill may leave half a line behind; its run is met again. */
function wholeLines(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) writeFileSync(path, whole);
  return whole.split("\n").filter(Boolean);
}
