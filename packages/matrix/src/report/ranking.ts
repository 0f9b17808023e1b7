import type { Cell, Figure, Result } from "@gatebench/core";
import { answeringRuns, comparable, compared, sampleOf, type Comparison, type Sample } from "@gatebench/core/measure";
import { groupsOf, type Group } from "../rows";
import { isBaseline, isShown, latencyBasisOf, mainFigure, sizeInWords } from "./cell-words";

/** The best and the worst place a cell can have, as far as the runs tell. */
export interface Place {
  readonly best: number;
  readonly worst: number;
}

/** Cells that answer the same question: which of these does best? */
export interface Question {
  readonly figure: Figure;
  readonly cells: readonly Cell[];
  /** Best first. */
  readonly ranked: readonly Cell[];
  readonly places: ReadonlyMap<Cell, Place>;
}

/** A table with what is asked in it. */
export interface RankedGroup extends Group {
  readonly questions: readonly Question[];
}

export const rankedGroups = (result: Result): readonly RankedGroup[] =>
  groupsOf(result).map((group) => ({ ...group, questions: questionsOf(group.cells) }));

/** Cells of one table that may be ranked: of one scenario on one size, none of them wrong. The path itself is not. */
export function questionsOf(cells: readonly Cell[]): readonly Question[] {
  const byQuestion = new Map<string, Cell[]>();
  for (const cell of cells.filter((one) => !isBaseline(one))) {
    const key = JSON.stringify([cell.scenarioAsked, sizeInWords(cell), cell.topology, mainFigure(cell)]);
    const known = byQuestion.get(key);
    if (known) known.push(cell);
    else byQuestion.set(key, [cell]);
  }
  return [...byQuestion.values()].map(questionOf);
}

/** More rows than anybody reads as a ranking; every pair is compared. */
const mostRanked = 60;

function questionOf(cells: readonly Cell[]): Question {
  const figure = mainFigure(cells[0] as Cell);
  const sign = figure === "p99Ms" ? 1 : -1;
  const shown = cells.filter((cell) => isShown(cell, figure));
  const ranked = shown.toSorted((left, right) => sign * ((left[figure] as number) - (right[figure] as number)));
  return { figure, cells, ranked, places: ranked.length > mostRanked ? new Map() : placesOf(ranked, figure) };
}

/** How many are surely better, and how many may be. A cell that could be compared with none has no place. */
function placesOf(ranked: readonly Cell[], figure: Figure): ReadonlyMap<Cell, Place> {
  const samples = new Map(ranked.map((cell) => [cell, sampleOf(answeringRuns(cell.runs), figure)]));
  const tally = new Map(ranked.map((cell) => [cell, { better: 0, worse: 0, compared: 0 }]));
  const best = figure === "p99Ms" ? "lower" : "higher";
  const among = (ranked.length * (ranked.length - 1)) / 2;
  ranked.forEach((left, index) =>
    ranked.slice(index + 1).forEach((right) => {
      const [ours, theirs] = [tally.get(left), tally.get(right)] as [Tally, Tally];
      const finding = comparisonOf(left, right, figure, samples, among)?.finding;
      if (finding === undefined) return;
      for (const one of [ours, theirs]) one.compared++;
      if (finding !== "higher" && finding !== "lower") return;
      const [winner, loser] = finding === best ? [ours, theirs] : [theirs, ours];
      winner.worse++;
      loser.better++;
    }),
  );
  const places = [...tally].filter(([, { compared: times }]) => times > 0 || ranked.length === 1);
  return new Map(places.map(([cell, { better, worse }]) => [cell, { best: better + 1, worst: ranked.length - worse }]));
}

interface Tally {
  better: number;
  worse: number;
  compared: number;
}

function comparisonOf(
  left: Cell,
  right: Cell,
  figure: Figure,
  samples: ReadonlyMap<Cell, Sample>,
  among: number,
): Comparison | null {
  if (figure === "p99Ms" && !areComparable(left, right)) return null;
  return compared(samples.get(left) as Sample, samples.get(right) as Sample, {
    inTurns: left.benchmark === right.benchmark,
    among,
    ...(figure === "p99Ms" ? { resolution: latencyBasisOf(left)?.resolutionMs ?? 0 } : {}),
  });
}

/** Whether two cells' latencies are the same quantity at the same offered rate. */
export function areComparable(left: Cell, right: Cell): boolean {
  const [ours, theirs] = [latencyBasisOf(left), latencyBasisOf(right)];
  if (ours === undefined || theirs === undefined) return false;
  return comparable({ load: left.load, latencyBasis: ours }, { load: right.load, latencyBasis: theirs }).comparable;
}

/** "1", or "1–3" for one of three that cannot be told apart. */
export const placeInWords = (place: Place | undefined): string =>
  place === undefined ? "–" : place.best === place.worst ? `${place.best}` : `${place.best}–${place.worst}`;

/** The cells nothing is surely better than. */
export function leadersOf({ ranked, places }: Question): readonly Cell[] {
  return ranked.filter((cell, index) => (places.size === 0 ? index === 0 : places.get(cell)?.best === 1));
}
