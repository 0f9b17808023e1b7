import { describeCaveat, resultOf, type Cell, type Figure } from "@gatebench/core";
import {
  baselineOf,
  columns,
  nameOfRow,
  overallGrade,
  p99Label,
  rowOf,
  struckOut,
  type Group,
  type Row,
} from "../rows";
import {
  isBaseline,
  isShown,
  latencyBasisOf,
  mainFigure,
  nameWithSize,
  sizeInWords,
  sizesDiffer,
  verdictInWords,
} from "./cell-words";
import { grouped } from "../counts-in-words";
import { headed, milliseconds } from "./figures-in-words";
import { placeInWords, type Place, type RankedGroup } from "./ranking";
import { column, entry, type BarChart, type Entry, type Section } from "./report";

/** A section for each load: every cell that stood under it, ranked. */
export function loadSections(groups: readonly RankedGroup[]): readonly Section[] {
  return groups.map((group) => ({
    chapter: "Under each load",
    title: group.title,
    text: [...latencyInWords(group), ...caveatsInWords(group)],
    chart: barsOf(group),
    table: tableOf(group),
  }));
}

type Named = keyof Row | "place" | "size";

function tableOf(group: RankedGroup): Section["table"] {
  const places = contestedPlaces(group);
  const names = columnsOf(group, places.size > 0);
  const isText = (name: Named) => ["gateway", "scenario", "size", "verdict"].includes(name);
  const stated = (figure: Figure, name: string) =>
    headed(
      name,
      group.cells.map(({ intervals }) => intervals[figure]),
    );
  const headings: { [N in Named]?: string } = {
    place: "place",
    size: "size",
    rps: stated("rps", "RPS"),
    p99: stated("p99Ms", "P99 ms"),
    tlsTps: stated("tlsTps", "TLS TPS"),
  };
  const heading = (name: Named) => headings[name] ?? columns[name as keyof Row];
  return {
    columns: names.map((name) => column(heading(name), !isText(name))),
    rows: group.cells.map((cell) => {
      const row = rowOf(cell, baselineOf(cell, group));
      const struck = struckOut(cell);
      const entries: { [N in Named]?: Entry } = {
        place: entry(placeInWords(places.get(cell))),
        size: entry(sizeInWords(cell)),
        p99: entry(milliseconds(cell.p99Ms, cell.intervals.p99Ms), struck.includes("p99")),
        verdict: { text: verdictInWords(cell), grade: overallGrade(cell) },
      };
      return names.map((name) => entries[name] ?? entry(row[name as keyof Row], struck.includes(name as keyof Row)));
    }),
  };
}

/** Who is alone with a question has won nothing. */
const contestedPlaces = ({ questions }: RankedGroup): ReadonlyMap<Cell, Place> =>
  new Map(questions.flatMap(({ ranked, places }) => (ranked.length > 1 ? [...places] : [])));

/** Columns that would say nothing are left out. */
function columnsOf({ cells, isTls }: Group, isRanked: boolean): readonly Named[] {
  const all: readonly Named[] = [
    "place",
    "gateway",
    "scenario",
    "size",
    "rps",
    "p99",
    "cpu",
    "difference",
    "tlsTps",
    "verdict",
  ];
  const says: Partial<Record<Named, boolean>> = {
    place: isRanked,
    size: sizesDiffer(cells),
    rps: cells.some(({ verdict }) => verdict.rps !== null),
    p99: cells.some(({ verdict }) => verdict.p99Ms !== null),
    cpu: cells.some(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest !== null),
    difference: cells.some(({ baseline }) => baseline !== null),
    tlsTps: isTls,
  };
  return all.filter((name) => says[name] ?? true);
}

const measures: Readonly<Record<Figure, string>> = {
  rps: "responses per second",
  tlsTps: "TLS transactions per second",
  p99Ms: "P99 in ms at the offered rate",
};

/** Nothing invalid is drawn, nor latencies of different quantities beside each other: a load has one generator. */
function barsOf({ cells, title }: Group): BarChart | undefined {
  const figure = cells.map(mainFigure).find((one) => one !== "rps") ?? "rps";
  const shown = cells.filter((cell) => isShown(cell, figure));
  if (shown.length === 0 || !haveOneBasis(figure, cells) || isOneOnManySizes(shown)) return undefined;
  const bySize = sizesDiffer(cells);
  const bars = shown.map((cell) => ({
    name: nameWithSize(cell, bySize),
    value: cell[figure] as number,
    interval: cell.intervals[figure],
    text: figure === "p99Ms" ? milliseconds(cell[figure]) : grouped(cell[figure] as number),
    isBaseline: isBaseline(cell),
  }));
  return {
    kind: "bars",
    title,
    measures: headed(
      measures[figure],
      bars.map(({ interval }) => interval),
    ),
    bars,
    inWords: `Bars of ${measures[figure]}: ${bars.map(({ name, text }) => `${name} ${text}`).join("; ")}.`,
  };
}

/** A curve over its CPUs says it better. */
const isOneOnManySizes = (cells: readonly Cell[]): boolean =>
  cells.length > 1 && sizesDiffer(cells) && new Set(cells.map(nameOfRow)).size === 1;

const basisKey = (cell: Cell): string => {
  const basis = latencyBasisOf(cell);
  return basis ? JSON.stringify([basis.includes, basis.population, basis.omission, basis.client]) : "";
};
const haveOneBasis = (figure: Figure, cells: readonly Cell[]): boolean =>
  figure !== "p99Ms" || new Set(cells.map(basisKey)).size === 1;

const latencyInWords = (group: Group): readonly string[] =>
  group.cells.some(({ p99Ms }) => p99Ms !== null) ? [`${p99Label(group)}.`, ...basisInWords(group)] : [];

/** What is inside a latency differs from tool to tool. */
function basisInWords({ cells }: Group): readonly string[] {
  const basis = cells.map(latencyBasisOf).find((one) => one !== undefined);
  if (basis === undefined) return [];
  const { queue, connect, tls } = basis.includes;
  const inside = [
    queue && "waiting for a connection",
    connect && "connecting",
    tls && "the TLS handshake",
    "the request",
  ];
  return [`A latency here is ${inside.filter(Boolean).join(", ")}; timed were ${timed[basis.population]}.`];
}
const timed = { all: "all requests", "2xx": "good answers only", responses: "all answers" } as const;

function caveatsInWords({ cells }: Group): readonly string[] {
  const caveats = new Set(cells.flatMap(({ runs }) => runs.flatMap((run) => resultOf(run)?.caveats ?? [])));
  return [...caveats].map((caveat) => `Note: ${describeCaveat(caveat)}.`);
}
