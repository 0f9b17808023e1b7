import { type Cell, type Grade, type Result } from "@gatebench/core";
import { grouped } from "./counts-in-words";

/** A cell as tables show it, every text ready. */
export interface Row {
  readonly gateway: string;
  readonly scenario: string;
  readonly rps: string;
  readonly p99: string;
  readonly cpu: string;
  readonly difference: string;
  readonly tlsTps: string;
  readonly verdict: string;
}

/** Cells of one benchmark: the same generator and load, so that they may stand in one table. */
export interface Group {
  /** As it is called elsewhere: the generator and what it is about. */
  readonly name: string;
  readonly title: string;
  readonly isTls: boolean;
  readonly cells: readonly Cell[];
}

export const columns: Readonly<Record<keyof Row, string>> = {
  gateway: "gateway",
  scenario: "scenario",
  rps: "RPS (95 %)",
  p99: "P99 ms",
  cpu: "CPU µs/req",
  difference: "vs direct",
  tlsTps: "TLS TPS (95 %)",
  verdict: "verdict",
};

/** Groups in the order in which they were measured, the rows of each in their ranking. */
export function groupsOf({ cells }: Result): readonly Group[] {
  const byBenchmark = new Map<string, Cell[]>();
  for (const cell of cells) {
    const known = byBenchmark.get(cell.benchmark);
    if (known) known.push(cell);
    else byBenchmark.set(cell.benchmark, [cell]);
  }
  return [...byBenchmark].map(([name, members]) => ({
    name,
    title: `${titleOf(members[0] as Cell)} (${name})`,
    isTls: members.some(({ verdict }) => verdict.tlsTps !== null),
    cells: ranked(members),
  }));
}

/** The baseline first; then scenario by scenario the best figure first. What is wrong is not ranked: it stands last. */
function ranked(cells: readonly Cell[]): readonly Cell[] {
  const scenarios = [...new Set(cells.map(({ scenario }) => scenario))];
  const place = (cell: Cell) => (isBaseline(cell) ? -1 : scenarios.indexOf(cell.scenario));
  const figure = (cell: Cell) => (isWrong(cell) ? -1 : (cell[mainFigure(cell)] ?? -1));
  return cells.toSorted((left, right) => place(left) - place(right) || figure(right) - figure(left));
}

const isBaseline = ({ baseline, purpose }: Cell): boolean => baseline === null && purpose === "ceiling";
/** What rows are compared by. */
const mainFigure = ({ verdict }: Cell): "rps" | "tlsTps" => (verdict.tlsTps === null ? "rps" : "tlsTps");
const isWrong = (cell: Cell): boolean => cell.verdict[mainFigure(cell)] === "invalid";

function titleOf({ generator, load, scenarioAsked }: Cell): string {
  const connections = load.connection === "per-request" ? "a new connection for each request" : "connections kept";
  return `${generator}, ${scenarioAsked.scheme ?? "http"}, ${connections}, ${loadInWords(load)}`;
}

export function loadInWords(load: Cell["load"]): string {
  if (load.model === "closed")
    return `${load.connections} connections${load.pacePerConnection ? ` × ${load.pacePerConnection}/s` : ", closed loop"}, ${load.duration} a run`;
  if (load.model === "open") return `${load.ratePerS}/s, ${load.duration} a run`;
  return load.model === "users"
    ? `${load.users} users, ${load.duration} a run`
    : `${load.users} users × ${load.perUser}`;
}

/** The cell of the same group that this one is read against. */
export function baselineOf({ baseline }: Cell, { cells }: Group): Cell | undefined {
  return cells.find(({ id }) => id === baseline);
}

/** How the P99 of a table is to be read. */
export function p99Label({ cells }: Group): string {
  const saturating = cells.some(({ load }) => load.model === "closed" && load.pacePerConnection === undefined);
  return saturating
    ? "P99: closed loop, at saturation – it mirrors the number of connections and is not ranked"
    : "P99: at the offered rate";
}

export function rowOf(cell: Cell, baseline: Cell | undefined): Row {
  return {
    gateway: cell.gateway,
    scenario: cell.scenario,
    rps: withInterval(cell.rps, cell.intervals.rps),
    p99: cell.p99Ms === null ? "–" : cell.p99Ms.toFixed(2),
    cpu: cell.cpuMicrosPerRequest === null ? "–" : cell.cpuMicrosPerRequest.toFixed(1),
    difference: differenceTo(baseline, cell),
    tlsTps: cell.verdict.tlsTps === null ? "–" : withInterval(cell.tlsTps, cell.intervals.tlsTps),
    verdict: overallGrade(cell),
  };
}

/** Which figures of a row are to be struck out: they are wrong, and never to be quoted. */
export function struckOut({ verdict: { rps, p99Ms, tlsTps } }: Cell): readonly (keyof Row)[] {
  return [
    ...(rps === "invalid" ? (["rps", "cpu"] as const) : []),
    ...(p99Ms === "invalid" ? (["p99"] as const) : []),
    ...(tlsTps === "invalid" ? (["tlsTps"] as const) : []),
  ];
}

/** What a row is called where it is spoken of. */
export const nameOfRow = ({ gateway, scenario }: Cell): string =>
  scenario === "plain" ? gateway : `${gateway} ${scenario}`;

function withInterval(value: number | null, interval: readonly [number, number] | null): string {
  if (value === null) return "–";
  const half = interval ? ` ± ${percentOf((interval[1] - interval[0]) / 2 / value)}` : "";
  return `${grouped(value)}${half}`;
}

const percentOf = (fraction: number): string => `${(fraction * 100).toFixed(fraction < 0.1 ? 1 : 0)} %`;

/** Nothing is said of a figure that is wrong, nor against one. */
function differenceTo(baseline: Cell | undefined, cell: Cell): string {
  if (baseline === undefined) return cell.baseline === null ? "baseline" : "–";
  const figure = mainFigure(cell);
  return isWrong(cell) || isWrong(baseline) ? "–" : differenceText(cell[figure], baseline[figure]);
}

function differenceText(value: number | null, baseline: number | null): string {
  if (value === null || baseline === null || baseline === 0) return "–";
  const change = value / baseline - 1;
  return `${change < 0 ? "−" : "+"}${percentOf(Math.abs(change))}`;
}

/** The worst of the figures that were asked for. */
export function overallGrade({ verdict: { rps, p99Ms, tlsTps } }: Cell): Grade {
  const all = [rps, p99Ms, tlsTps];
  return (["invalid", "indicative", "sound"] as const).find((grade) => all.includes(grade)) ?? "invalid";
}
