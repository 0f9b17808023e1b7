import { fault, FaultError, listed, type Cell, type Result, type Run } from "@gatebench/core";

/** What somebody wants explained: a cell, or one run of it. */
export interface FoundRun {
  readonly cell: Cell;
  readonly run?: Run;
}

/** By the id of a cell, or the id of a run or a beginning that only one run has; throws where that names none or several. */
export function foundRun({ cells }: Result, named: string): FoundRun {
  const cell = cells.find(({ id }) => id === named);
  if (cell) return { cell };
  const found = cells.flatMap((one) =>
    one.runs.filter(({ id }) => id.startsWith(named)).map((run) => ({ cell: one, run })),
  );
  const exact = found.find(({ run }) => run.id === named);
  const [first, ...others] = exact ? [exact] : found;
  if (first && others.length === 0) return first;
  throw new FaultError([first ? ambiguous(named, found) : unknown(named, cells)]);
}

const ambiguous = (named: string, found: readonly Required<FoundRun>[]) =>
  fault(
    "unknown-run",
    `"${named}" begins the ids of ${found.length} runs: ${listed(found.map(({ run }) => run.id))}. Give more of one.`,
  );

const unknown = (named: string, cells: readonly Cell[]) =>
  fault(
    "unknown-run",
    `"${named}" is neither a cell nor the beginning of a run's id here. Cells: ${listed(cells.map(({ id }) => id))}; the ids of runs stand in runs.jsonl. Choose another folder with --results.`,
  );
