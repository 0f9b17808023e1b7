import { refuse, resultOf, fault, type Cell, type Figure, type Result } from "@gatebench/core";
import { answeringRuns, comparable, compared, sampleOf, type Comparison, type Sample } from "@gatebench/core/measure";
import { matchedCells } from "./matched-cells";

/** A figure of B against that of A; ratios are B / A. */
export interface ComparedFigure {
  readonly figure: Figure;
  readonly a: number | null;
  readonly b: number | null;
  /** null: not compared, for `reason`. */
  readonly comparison: Comparison | null;
  readonly reason?: string;
  /** What was found is to the gateway's disadvantage. */
  readonly isRegression: boolean;
}

/** One point of both results. */
export interface ComparedCell {
  readonly a: Cell;
  readonly b: Cell;
  /** The path without a gateway: if it differs, so does the machine. */
  readonly isPath: boolean;
  readonly figures: readonly ComparedFigure[];
}

export interface ComparedResults {
  readonly cells: readonly ComparedCell[];
  readonly onlyA: readonly Cell[];
  readonly onlyB: readonly Cell[];
  /** The relative difference that was asked about. */
  readonly matters: number;
}

export interface CompareOptions {
  /** The relative difference that matters. */
  readonly matters: number;
  /** Found differences below it are no regressions. */
  readonly regression: number;
}

/**
 * B against A, cell by cell, each by the noise its own repetitions show.
 *
 * Throws where cells that look like partners are of different things. Measured apart, both also differ by whatever their
 * machine did in between; the path without a gateway shows it.
 */
export function compareResults(a: Result, b: Result, { matters, regression }: CompareOptions): ComparedResults {
  const { pairs, onlyA, onlyB, faults } = matchedCells(a, b);
  refuse(faults);
  refuse(pairs.length > 0 ? [] : [nothingAlike]);
  const asked = pairs.map((pair) => ({ pair, figures: figuresIn(...pair) }));
  const among = asked.flatMap(({ figures }) => figures.filter(({ reason }) => reason === undefined)).length;
  return {
    cells: asked.map(({ pair: [ours, theirs], figures }) => ({
      a: ours,
      b: theirs,
      isPath: ours.purpose === "ceiling",
      figures: figures.map((one) => comparedFigure(ours, theirs, one, { matters, regression, among })),
    })),
    onlyA,
    onlyB,
    matters,
  };
}

const nothingAlike = fault(
  "not-comparable",
  "A and B have no cell in common: gateway, scenario, generator, load, size, topology and upstream must be the same. Measure both alike.",
);

interface AskedFigure {
  readonly figure: Figure;
  /** Why it cannot be compared. */
  readonly reason?: string;
}

/** Where each request has a handshake of its own, its rate is that of the handshakes: one of them is enough. */
function figuresIn(a: Cell, b: Cell): readonly AskedFigure[] {
  const asked = (figure: Figure) => a.verdict[figure] !== null && b.verdict[figure] !== null;
  const rate: Figure = asked("tlsTps") ? "tlsTps" : "rps";
  return [rate, "p99Ms" as const].filter(asked).map((figure) => ({ figure, ...notCompared(a, b, figure) }));
}

function notCompared(a: Cell, b: Cell, figure: Figure): { readonly reason?: string } {
  const wrong = [...(a.verdict[figure] === "invalid" ? ["A"] : []), ...(b.verdict[figure] === "invalid" ? ["B"] : [])];
  if (wrong.length > 0) return { reason: `invalid in ${wrong.join(" and ")}` };
  const latency = figure === "p99Ms" ? latencyReason(a, b) : undefined;
  if (latency !== undefined) return { reason: latency };
  const [ours, theirs] = [sampleIn(a, figure), sampleIn(b, figure)];
  if (ours.unit !== theirs.unit) return { reason: "deployed several times in one of them only" };
  return compared(theirs, ours) === null ? { reason: "fewer than two runs of a side state it" } : {};
}

/** The basis of both is the same here: without runs there is nothing to be compared anyway. */
function latencyReason(a: Cell, b: Cell): string | undefined {
  const [ours, theirs] = [a, b].map((cell) => basisIn(cell));
  if (!ours || !theirs) return "no run states it";
  const { load } = a;
  const found = comparable({ load, latencyBasis: ours }, { load: b.load, latencyBasis: theirs });
  return found.comparable ? undefined : found.reason;
}

const sampleIn = ({ runs }: Cell, figure: Figure): Sample => sampleOf(answeringRuns(runs), figure);

function basisIn({ runs }: Cell) {
  const [first] = answeringRuns(runs);
  return first && resultOf(first)?.latencyBasis;
}

function comparedFigure(
  a: Cell,
  b: Cell,
  { figure, reason }: AskedFigure,
  { matters, regression, among }: CompareOptions & { readonly among: number },
): ComparedFigure {
  const stated = { figure, a: a[figure], b: b[figure] };
  if (reason !== undefined) return { ...stated, comparison: null, reason, isRegression: false };
  // Tools round what they print: below their resolution two latencies are one.
  const resolution = figure === "p99Ms" ? Math.max(...[a, b].map((cell) => basisIn(cell)?.resolutionMs ?? 0)) : 0;
  const comparison = compared(sampleIn(b, figure), sampleIn(a, figure), { matters, among, resolution });
  return { ...stated, comparison, isRegression: comparison !== null && isWorse(figure, comparison, regression) };
}

/** Of rates less is worse, of latencies more. */
function isWorse(figure: Figure, { finding, ratio }: Comparison, atLeast: number): boolean {
  return finding === (figure === "p99Ms" ? "higher" : "lower") && Math.abs(ratio - 1) >= atLeast;
}

/** The answer in one word. */
export type Answer = "regression" | "cannot-tell" | "no-regression";

/** A gateway's regression, else that one might have been missed, else none. The path itself is not the gateway's. */
export function answerOf({ cells }: ComparedResults): Answer {
  const figures = cells.flatMap((cell) => (cell.isPath ? [] : cell.figures));
  if (figures.some(({ isRegression }) => isRegression)) return "regression";
  const rates = figures.filter(({ figure }) => figure !== "p99Ms");
  const isBlind = rates.length === 0 || rates.some(({ comparison }) => comparison === null);
  const isUnsure = figures.some(({ comparison }) => comparison?.finding === "cannot-tell");
  return isBlind || isUnsure ? "cannot-tell" : "no-regression";
}
