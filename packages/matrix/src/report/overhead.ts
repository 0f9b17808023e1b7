import { askedRatePerS, type Cell, type Result } from "@gatebench/core";
import { answeringRuns, compared, sampleOf, type Range } from "@gatebench/core/measure";
import { groupsOf, type Group } from "../rows";
import { isShown, nameWithSize, rateFigure, sizesDiffer } from "./cell-words";
import { milliseconds, nothing, tenths } from "./figures-in-words";
import { areComparable } from "./ranking";
import { column, entry, type BarChart, type Section } from "./report";

/** A row against the path without a gateway. */
interface Overhead {
  readonly name: string;
  /** Of the path's own rate; null where that says nothing. */
  readonly share: { readonly ratio: number; readonly interval: Range | null } | null;
  readonly addedP99Ms: number | null;
}

/** What each gateway leaves of the path's own rate, and what it adds to the P99 at an equal one. */
export function overheadSections(result: Result): readonly Section[] {
  return groupsOf(result).flatMap((group) => {
    const rows = overheadsOf(group);
    return rows.length === 0 ? [] : [sectionOf(group, rows)];
  });
}

function overheadsOf({ cells }: Group): readonly Overhead[] {
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  const bySize = sizesDiffer(cells);
  return cells.flatMap((cell) => {
    const path = cell.baseline === null ? undefined : byId.get(cell.baseline);
    if (path === undefined) return [];
    const one = { name: nameWithSize(cell, bySize), share: shareOf(cell, path), addedP99Ms: addedP99(cell, path) };
    return one.share === null && one.addedP99Ms === null ? [] : [one];
  });
}

/** At a fixed rate both carry the same, so that only latency tells. */
function shareOf(cell: Cell, path: Cell): Overhead["share"] {
  const figure = rateFigure(cell);
  if (askedRatePerS(cell.load) !== undefined || !isShown(cell, figure) || !isShown(path, figure)) return null;
  const whole = (cell[figure] as number) / (path[figure] as number);
  const [ours, theirs] = [sampleOf(answeringRuns(cell.runs), figure), sampleOf(answeringRuns(path.runs), figure)];
  const found = compared(ours, theirs, { inTurns: cell.benchmark === path.benchmark });
  return { ratio: whole, interval: found?.interval ?? null };
}

function addedP99(cell: Cell, path: Cell): number | null {
  if (!isShown(cell, "p99Ms") || !isShown(path, "p99Ms") || !areComparable(cell, path)) return null;
  return (cell.p99Ms as number) - (path.p99Ms as number);
}

function sectionOf(group: Group, rows: readonly Overhead[]): Section {
  return {
    chapter: "Against the path without a gateway",
    title: `Against direct: ${group.title}`,
    text: [],
    chart: chartOf(group, rows),
    table: {
      columns: [column("gateway", false), column("of the path's rate (95 %)"), column("added P99 ms")],
      rows: rows.map(({ name, share, addedP99Ms }) => [
        entry(name),
        entry(share ? shareInWords(share) : nothing),
        entry(addedP99Ms === null ? nothing : `${addedP99Ms < 0 ? "−" : "+"}${milliseconds(Math.abs(addedP99Ms))}`),
      ]),
    },
  };
}

const shareInWords = ({ ratio, interval }: NonNullable<Overhead["share"]>): string =>
  `${tenths(ratio)}${interval ? ` (${tenths(interval[0])} to ${tenths(interval[1])})` : ""}`;

/** The share of the rate where there is one, else what is added to the P99. */
function chartOf({ title }: Group, rows: readonly Overhead[]): BarChart | undefined {
  const shares = rows.flatMap(({ name, share }) =>
    share === null ? [] : [{ name, ...barOf(share), isBaseline: false }],
  );
  const added = rows.flatMap(({ name, addedP99Ms: ms }) =>
    ms === null || ms < 0 ? [] : [{ name, value: ms, interval: null, text: `+${milliseconds(ms)}`, isBaseline: false }],
  );
  const [measures, bars] = shares.length > 0 ? [ofPath, shares] : ["ms more P99 than without a gateway", added];
  if (bars.length === 0) return undefined;
  const inWords = `Bars of ${measures}: ${bars.map(({ name, text }) => `${name} ${text}`).join("; ")}.`;
  return { kind: "bars", title: `Against direct: ${title}`, measures, bars, inWords };
}

const ofPath = "% of the rate without a gateway (95 %)";
const barOf = ({ ratio, interval }: NonNullable<Overhead["share"]>) => ({
  value: ratio * 100,
  interval: percents(interval),
  text: tenths(ratio),
});
const percents = (interval: Range | null): Range | null => interval && [interval[0] * 100, interval[1] * 100];
