import {
  askedRatePerS,
  resultOf,
  type Cell,
  type LatencyBasis,
  type Load,
  type Result,
  type Run,
} from "@gatebench/core";
import { answeringRuns, median, medianInterval, type Range } from "@gatebench/core/measure";
import { nameOfRow } from "../rows";
import { isShown, latencyBasisOf, sizeInWords } from "./cell-words";
import { grouped } from "../counts-in-words";
import { milliseconds, nothing } from "./figures-in-words";
import { column, entry, type LineChart, type Section } from "./report";

/** The P99 of one row at one offered rate. */
interface RatePoint {
  readonly name: string;
  readonly ratePerS: number;
  readonly p99Ms: number;
  readonly interval: Range | null;
}

/** P99 over the offered rate, one chart for each scenario; of latencies that are one quantity, and of two rates or more. */
export function rateCurves({ cells }: Result): readonly Section[] {
  return [...families(cells).values()].flatMap((family) => {
    const points = family.flatMap(pointsOf);
    const rates = [...new Set(points.map(({ ratePerS }) => ratePerS))].sort((left, right) => left - right);
    return rates.length < 2 ? [] : [sectionOf(family[0] as Cell, points, rates)];
  });
}

/** Cells whose latencies at different rates make one curve, and which may be drawn beside each other. */
function families(cells: readonly Cell[]): ReadonlyMap<string, readonly Cell[]> {
  const paths = new Map(cells.map((cell) => [cell.id, cell]));
  const found = new Map<string, Set<Cell>>();
  for (const cell of cells.filter((one) => one.baseline !== null || one.purpose !== "ceiling")) {
    const basis = latencyBasisOf(cell);
    if (basis === undefined) continue;
    const key = JSON.stringify([cell.scenarioAsked, placeOf(cell), partsOf(basis)]);
    const family = found.get(key) ?? new Set<Cell>();
    found.set(key, family.add(cell));
    const path = cell.baseline === null ? undefined : paths.get(cell.baseline);
    const theirs = path && latencyBasisOf(path);
    if (path && theirs && JSON.stringify(partsOf(theirs)) === JSON.stringify(partsOf(basis))) family.add(path);
  }
  return new Map([...found].map(([key, family]) => [key, [...family]]));
}

const placeOf = (cell: Cell) => [
  cell.generator,
  cell.topology,
  cell.upstream,
  sizeInWords(cell),
  cell.load.model,
  cell.load.connection,
];
const partsOf = ({ includes, population, omission, client }: LatencyBasis) => [includes, population, omission, client];

/** One for each rate that was offered: steps of rising rates are runs of one cell. */
function pointsOf(cell: Cell): readonly RatePoint[] {
  const answer = new Set(answeringRuns(cell.runs));
  const byRate = new Map<number, Run[]>();
  for (const run of cell.runs.filter(({ purpose }) => purpose === "measure")) {
    const ratePerS = askedRatePerS(run.asked);
    if (ratePerS === undefined || (answer.has(run) && !isShown(cell, "p99Ms"))) continue;
    byRate.set(ratePerS, [...(byRate.get(ratePerS) ?? []), run]);
  }
  return [...byRate].flatMap(([ratePerS, runs]) => pointOf(nameOfRow(cell), ratePerS, runs));
}

/** None where one of its runs failed, states no P99, or is warned to be wrong. */
function pointOf(name: string, ratePerS: number, runs: readonly Run[]): readonly RatePoint[] {
  const values = runs.filter((run) => !isWrong(run)).flatMap((run) => resultOf(run)?.latencyMs.p99 ?? []);
  if (values.length < runs.length) return [];
  return [{ name, ratePerS, p99Ms: median(values) as number, interval: medianInterval(values) }];
}

const isWrong = ({ warnings }: Run): boolean =>
  warnings.some(({ cap, figures }) => cap === "invalid" && figures.includes("p99Ms"));

function sectionOf(example: Cell, points: readonly RatePoint[], rates: readonly number[]): Section {
  const names = [...new Set(points.map(({ name }) => name))];
  const of = (name: string, rate: number) => points.find((one) => one.name === name && one.ratePerS === rate);
  const where = `${example.scenario}, ${example.generator}, ${sizeInWords(example)}`;
  return {
    chapter: "P99 over the offered rate",
    title: `P99 over the offered rate: ${where}${connectionOf(example.load)}`,
    text: [],
    chart: chartOf(where, names, points),
    table: {
      columns: [column("offered/s"), ...names.map((name) => column(`${name}, P99 ms`))],
      rows: rates.map((rate) => [entry(grouped(rate)), ...names.map((name) => entry(textOf(of(name, rate))))]),
    },
  };
}

const connectionOf = ({ connection }: Load): string =>
  connection === "per-request" ? ", a new connection for each request" : "";
const textOf = (point: RatePoint | undefined): string => (point ? milliseconds(point.p99Ms, point.interval) : nothing);

function chartOf(where: string, names: readonly string[], points: readonly RatePoint[]): LineChart {
  const lines = names.map((name) => ({
    name,
    points: points
      .filter((point) => point.name === name)
      .toSorted((left, right) => left.ratePerS - right.ratePerS)
      .map(({ ratePerS, p99Ms, interval }) => ({ x: ratePerS, y: p99Ms, interval })),
  }));
  const ends = lines.map(({ name, points: [first, ...rest] }) => {
    const last = rest.at(-1) ?? first;
    return `${name} from ${milliseconds(first?.y ?? null)} at ${grouped(first?.x ?? 0)}/s to ${milliseconds(last?.y ?? null)} at ${grouped(last?.x ?? 0)}/s`;
  });
  return {
    kind: "lines",
    title: `P99 over the offered rate: ${where}`,
    across: "offered requests per second",
    up: "P99 in ms (95 %)",
    lines,
    inWords: `Lines of P99 in ms: ${ends.join("; ")}.`,
  };
}
