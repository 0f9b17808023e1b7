import { askedRatePerS, resultOf, type Cell, type Figure, type Grade, type LatencyBasis } from "@gatebench/core";
import { counted } from "../counts-in-words";
import { nameOfRow, overallGrade } from "../rows";

/** What cells of one load are ranked by: at a fixed rate all are equally fast, and only latency tells them apart. */
export function mainFigure({ load, verdict }: Cell): Figure {
  if (askedRatePerS(load) !== undefined) return "p99Ms";
  return rateFigure({ verdict });
}

/** The rate of a cell: handshakes where each request has one. */
export const rateFigure = ({ verdict }: Pick<Cell, "verdict">): "rps" | "tlsTps" =>
  verdict.tlsTps === null ? "rps" : "tlsTps";

/** What may stand in a chart or a ranking. */
export const isShown = (cell: Cell, figure: Figure): boolean =>
  cell[figure] !== null && cell.verdict[figure] !== null && cell.verdict[figure] !== "invalid";

export const isBaseline = ({ baseline, purpose }: Cell): boolean => baseline === null && purpose === "ceiling";

export function latencyBasisOf({ runs }: Pick<Cell, "runs">): LatencyBasis | undefined {
  for (const run of runs) {
    const result = resultOf(run);
    if (result) return result.latencyBasis;
  }
  return undefined;
}

export const sizeInWords = ({ size: { name, cpus, workers, instanceType } }: Cell): string =>
  `${instanceType ?? name}, ${workers === cpus ? counted(cpus, "CPU") : `${workers} of ${counted(cpus, "CPU")}`}`;

/** A row among rows of several sizes. */
export const nameWithSize = (cell: Cell, sizesDiffer: boolean): string =>
  sizesDiffer ? `${nameOfRow(cell)}, ${sizeInWords(cell)}` : nameOfRow(cell);

export const sizesDiffer = (cells: readonly Cell[]): boolean => new Set(cells.map(sizeInWords)).size > 1;

const figureNames: Readonly<Record<Figure, string>> = { rps: "RPS", p99Ms: "P99", tlsTps: "TLS TPS" };

/** "sound", or where its figures differ, which is what. */
export function verdictInWords(cell: Cell): string {
  const { rps, p99Ms, tlsTps } = cell.verdict;
  const given = Object.entries({ rps, tlsTps, p99Ms }).filter((one): one is [Figure, Grade] => one[1] !== null);
  if (new Set(given.map(([, grade]) => grade)).size < 2) return overallGrade(cell);
  return given.map(([figure, grade]) => `${figureNames[figure]} ${grade}`).join(", ");
}
