import { fault, resultOf, type Cell, type Fault, type Result } from "@gatebench/core";
import { answeringRuns } from "@gatebench/core/measure";
import { canonical } from "../canonical";
import { loadInWords, nameOfRow } from "../rows";

/** Cells of two results that were asked the same. */
export interface MatchedCells {
  readonly pairs: readonly (readonly [a: Cell, b: Cell])[];
  /** Cells without a partner. */
  readonly onlyA: readonly Cell[];
  readonly onlyB: readonly Cell[];
  /** Cells that are one another's partner but for something that makes their figures another quantity. */
  readonly faults: readonly Fault[];
}

/** Partners by all that was asked; a cell without one is held against those it differs from in one thing only. */
export function matchedCells(a: Result, b: Result): MatchedCells {
  const free = new Set(b.cells);
  const found = a.cells.flatMap((cell) => {
    const partner = [...free].find((other) => keyOf(other) === keyOf(cell));
    if (partner) free.delete(partner);
    return partner ? [[cell, partner] as const] : [];
  });
  const [onlyA, onlyB] = [withoutAny(a.cells, found), withoutAny(b.cells, found)];
  const refused = onlyA.flatMap((cell) => onlyB.flatMap((other) => refusalOf(cell, other) ?? []));
  return {
    pairs: found.filter(([cell, partner]) => basisOf(cell) === basisOf(partner)),
    onlyA,
    onlyB,
    faults: [...refused, ...found.flatMap((pair) => basisFault(...pair) ?? [])],
  };
}

const withoutAny = (cells: readonly Cell[], pairs: readonly (readonly [Cell, Cell])[]): readonly Cell[] =>
  cells.filter((cell) => !pairs.flat().includes(cell));

/** What was asked, part by part. A benchmark's name and versions are no part of it: they are what is compared. */
const askedOf = ({ gateway, scenario, scenarioAsked, generator, load, size, topology, upstream, purpose }: Cell) => ({
  who: [gateway, scenario, topology, upstream, purpose, sizeOf(size)],
  scenario: scenarioAsked,
  generator,
  load,
});

const sizeOf = ({ name, cpus, workers, instanceType }: Cell["size"]) => [name, cpus, workers, instanceType ?? null];

const keyOf = (cell: Cell): string => canonical(askedOf(cell));

/** What a cell's latencies are made of; another tool, or another version of it, may time something else. */
function basisOf(cell: Cell): string {
  const [first] = answeringRuns(cell.runs);
  const basis = first && resultOf(first)?.latencyBasis;
  return canonical(basis && { ...basis, resolutionMs: null, samples: null });
}

const parts = ["scenario", "generator", "load"] as const;

/** Why two cells of one gateway are not partners, where a reader would take them for such. */
function refusalOf(a: Cell, b: Cell): Fault | undefined {
  const [ours, theirs] = [askedOf(a), askedOf(b)];
  if (canonical(ours.who) !== canonical(theirs.who)) return undefined;
  const different = parts.filter((part) => canonical(ours[part]) !== canonical(theirs[part]));
  const [part] = different;
  return part && different.length === 1 ? notComparable(a, part, inWords(a, part), inWords(b, part)) : undefined;
}

function basisFault(a: Cell, b: Cell): Fault | undefined {
  const [ours, theirs] = [basisOf(a), basisOf(b)];
  return ours === theirs ? undefined : notComparable(a, "what a latency is made of (latencyBasis)", ours, theirs);
}

const inWords = (cell: Cell, part: (typeof parts)[number]): string =>
  part === "generator"
    ? cell.generator
    : part === "load"
      ? `${loadInWords(cell.load)}, ${cell.load.connection ?? "keep-alive"}`
      : canonical(cell.scenarioAsked);

function notComparable(cell: Cell, part: string, ours: string, theirs: string): Fault {
  const told = ours === theirs ? "see load in both results" : `${ours}; ${theirs}`;
  return fault(
    "not-comparable",
    `${nameOfRow(cell)} by ${cell.generator}: ${part} differs in A and B (${told}), so that their figures are of different things. Measure both alike.`,
  );
}
