import { askedRatePerS, type Cell, type Result } from "@gatebench/core";
import { lawAt, scalabilityLaw, type ScalabilityLaw } from "@gatebench/core/measure";
import { isBaseline, isShown, rateFigure } from "./cell-words";
import { grouped } from "../counts-in-words";
import { headed, nothing, rate, short, signedPercent, tenths } from "./figures-in-words";
import { column, entry, type Entry, type LineChart, type Point, type Section } from "./report";

/** Where CPUs begin to be of another kind, so that one law does not hold for all. */
export interface FitLimit {
  readonly cpus: number;
  /** What lies beyond: "hyper-threads: the machine has 18 cores". */
  readonly beyond: string;
}

/** What grows with the CPUs of one gateway. */
interface Curve {
  readonly gateway: string;
  /** One for each number of CPUs, ascending. */
  readonly cells: readonly Cell[];
  readonly law: ScalabilityLaw | null;
}

const leastSizes = 3;

/** Rates over the CPUs a gateway may use, each with the law it follows; of three sizes or more. */
export function scalingSections({ cells }: Result, limit: FitLimit | undefined, mostLaws: number): readonly Section[] {
  return families(cells).map((family, index) => sectionOf(curvesOf(family, limit, index < mostLaws), limit));
}

/** Cells that differ in their CPUs and gateway only, of at least one gateway with enough sizes. */
function families(cells: readonly Cell[]): readonly (readonly Cell[])[] {
  const ofCapacity = cells.filter(
    (cell) => !isBaseline(cell) && askedRatePerS(cell.load) === undefined && isShown(cell, rateFigure(cell)),
  );
  const asked = grouping(ofCapacity, (cell) => JSON.stringify(askedOf(cell)));
  return asked
    .flatMap((family) => (isUnique(family) ? [family] : grouping(family, ({ load }) => JSON.stringify(load))))
    .filter((family) => byGateway(family).some((curve) => curve.length >= leastSizes));
}

/** The connections may grow with the CPUs, or else these would be too few for many. */
const askedOf = (cell: Cell) => {
  const { load, scenarioAsked, generator, topology, upstream, size } = cell;
  return [
    scenarioAsked,
    generator,
    topology,
    upstream,
    size.instanceType?.split(".")[0],
    load.model,
    load.connection,
    rateFigure(cell),
  ];
};

function grouping<T>(all: readonly T[], keyOf: (one: T) => string): readonly (readonly T[])[] {
  const found = new Map<string, T[]>();
  for (const one of all) {
    const known = found.get(keyOf(one));
    if (known) known.push(one);
    else found.set(keyOf(one), [one]);
  }
  return [...found.values()];
}

const isUnique = (cells: readonly Cell[]): boolean =>
  new Set(cells.map(({ gateway, size }) => `${gateway}/${size.workers}`)).size === cells.length;

const byGateway = (cells: readonly Cell[]) => grouping(cells, ({ gateway }) => gateway);

function curvesOf(family: readonly Cell[], limit: FitLimit | undefined, isFitted: boolean): readonly Curve[] {
  return byGateway(family)
    .filter((cells) => cells.length >= leastSizes)
    .map((cells) => {
      const ordered = cells.toSorted((left, right) => left.size.workers - right.size.workers);
      return {
        gateway: (cells[0] as Cell).gateway,
        cells: ordered,
        law: isFitted ? scalabilityLaw(ordered.map(pointOf), { upTo: limit?.cpus }) : null,
      };
    });
}

const valueOf = (cell: Cell): number => cell[rateFigure(cell)] as number;
const pointOf = (cell: Cell) => ({ cpus: cell.size.workers, perS: valueOf(cell) });

function sectionOf(curves: readonly Curve[], limit: FitLimit | undefined): Section {
  const example = curves[0]?.cells[0] as Cell;
  const unit = rateFigure(example) === "tlsTps" ? "TLS transactions per second" : "Requests per second";
  const title = `${unit} over CPUs: ${example.scenario}, ${example.generator}`;
  return {
    chapter: "Scaling over CPUs",
    title,
    text: [
      ...curves.flatMap(({ gateway, law }) => (law ? [lawInWords(gateway, law)] : [])),
      ...limitInWords(curves, limit),
    ],
    chart: chartOf(title, unit, curves, limit),
    table: {
      columns: [
        column("gateway", false),
        column("CPUs"),
        column(headed(unit === "Requests per second" ? "RPS" : "TLS TPS", intervalsOf(curves))),
        column("times one CPU"),
        column("by the law"),
        column("off by"),
      ],
      rows: curves.flatMap((curve) => curve.cells.map((cell) => rowOf(curve, cell))),
    },
  };
}

const intervalsOf = (curves: readonly Curve[]) =>
  curves.flatMap(({ cells }) => cells.map((cell) => cell.intervals[rateFigure(cell)]));

function rowOf({ gateway, cells, law }: Curve, cell: Cell): readonly Entry[] {
  const [value, { workers }] = [valueOf(cell), cell.size];
  const byLaw = law && lawAt(law, workers);
  const first = cells[0] as Cell;
  return [
    entry(gateway),
    entry(String(workers)),
    entry(rate(value, cell.intervals[rateFigure(cell)])),
    entry(first.size.workers === 1 ? short(value / valueOf(first)) : nothing),
    entry(byLaw === null ? nothing : `${grouped(byLaw)}${law && workers > law.fittedTo ? ", not fitted" : ""}`),
    entry(byLaw === null ? nothing : signedPercent(value / byLaw - 1)),
  ];
}

/** "nginx: Amdahl's law, 45,100/s on one CPU (…), of which 13.6 % (…) cannot be shared; R² 0.993." */
export function lawInWords(gateway: string, law: ScalabilityLaw): string {
  const { name, gamma, alpha, beta, intervals, rSquared } = law;
  const range = (of: "gamma" | "alpha" | "beta", text: (value: number) => string) =>
    intervals ? ` (95 %: ${text(intervals[of][0])} to ${text(intervals[of][1])})` : "";
  const perMille = (value: number) => value.toFixed(5);
  return [
    `${gateway}: ${name === "usl" ? "the Universal Scalability Law" : "Amdahl's law"}, fitted up to ${law.fittedTo} CPUs: γ ${grouped(gamma)}/s on one CPU${range("gamma", grouped)}, contention α ${tenths(alpha)}${range("alpha", tenths)}`,
    name === "usl" ? `, coherency β ${perMille(beta)}${range("beta", perMille)}` : "",
    rSquared === null ? "" : `; R² ${rSquared.toFixed(4)}`,
    ".",
    law.because ? ` ${reasons[law.because]}` : "",
    law.peakCpus === null ? "" : ` More than ${law.peakCpus} CPUs would cost more than they bring.`,
    law.limitPerS === null ? "" : ` By this law no number of CPUs carries more than ${grouped(law.limitPerS)}/s.`,
  ].join("");
}

const reasons = {
  "few-points": "Amdahl's, because the Universal Scalability Law needs six sizes.",
  "beta-not-told-from-0": "Amdahl's, because a coherency β cannot be told from 0 here.",
} as const;

function limitInWords(curves: readonly Curve[], limit: FitLimit | undefined): readonly string[] {
  const beyond = limit && curves.some(({ cells }) => cells.some(({ size }) => size.workers > limit.cpus));
  return beyond
    ? [
        `Beyond ${limit.cpus} CPUs the points are not fitted – ${limit.beyond}. The broken line is the law carried on, to twice what it was fitted to at most.`,
      ]
    : [];
}

function chartOf(title: string, unit: string, curves: readonly Curve[], limit: FitLimit | undefined): LineChart {
  const lines = curves.map(({ gateway, cells, law }) => ({
    name: gateway,
    points: cells.map((cell) => ({
      x: cell.size.workers,
      y: valueOf(cell),
      interval: cell.intervals[rateFigure(cell)],
    })),
    ...(law ? { law: drawn(law, Math.max(...cells.map(({ size }) => size.workers))) } : {}),
  }));
  const passes = limit !== undefined && lines.some(({ points }) => points.some(({ x }) => x > limit.cpus));
  return {
    kind: "lines",
    title,
    across: "CPUs the gateway may use",
    up: headed(unit.replace("R", "r"), intervalsOf(curves)),
    lines,
    ...(passes ? { boundary: { x: limit.cpus, text: limit.beyond } } : {}),
    inWords: lines
      .map(({ name, points }) => `${name}: ${points.map(({ x, y }) => `${grouped(y)} on ${x}`).join(", ")} CPUs`)
      .join("; "),
  };
}

/** Enough for a smooth line. */
const pieces = 48;

function drawn(law: ScalabilityLaw, most: number): NonNullable<LineChart["lines"][number]["law"]> {
  const along = (from: number, to: number): readonly Point[] =>
    Array.from({ length: pieces + 1 }, (_, index) => from + ((to - from) * index) / pieces).flatMap((x) => {
      const y = lawAt(law, x);
      return y === null ? [] : [{ x, y, interval: null }];
    });
  const [from, end] = [Math.min(...law.residuals.map(({ cpus }) => cpus)), Math.min(most, 2 * law.fittedTo)];
  return { fitted: along(from, law.fittedTo), beyond: end > law.fittedTo ? along(law.fittedTo, end) : [] };
}
