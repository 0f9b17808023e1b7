import { secondsOf, type Fault } from "@gatebench/core";
import Table from "cli-table3";
import { lookOf, wrapped, type Look } from "../look";
import { dollars } from "../prices";
import { plainBorders } from "../terminal-tables";
import type { Estimate, LaneEstimate } from "./estimate";
import { unpricedText } from "./estimate-faults";
import type { Expansion, PlannedCell, SkippedCell } from "./expansion";
import type { HostGroup } from "./lane-hosts";
import { readableTime } from "../readable-time";
import { grouped } from "../counts-in-words";

/** What a matrix is about to do. */
export interface MatrixPlan {
  readonly name: string;
  readonly expansion: Pick<Expansion, "lanes" | "cells" | "skipped">;
  readonly estimate: Estimate;
  readonly budgetUsd: number | undefined;
  /** Why it would not be begun as it is: its budget, its machines' time to live. */
  readonly faults: readonly Fault[];
}

export interface PlanTextOptions {
  /** Each cell by its id, too. @default false */
  readonly cells?: boolean;
  readonly look?: Look;
}

/** A plan as people read it in a terminal: what is measured, what is not and why, and what it takes. */
export function planText(
  plan: MatrixPlan,
  { cells = false, look = lookOf(process.stdout) }: PlanTextOptions = {},
): string {
  return [
    heading(plan, look),
    part("lanes", [laneTable(plan.estimate, look)], look),
    part("benchmarks", [benchmarkTable(plan.expansion, look)], look),
    ...(cells ? [part("cells", [cellTable(plan.expansion.cells, look)], look)] : []),
    part("not measured", skippedLines(plan.expansion.skipped, look), look),
    part("hosts", hostLines(plan.estimate, look), look),
    part("time", timeLines(plan.estimate, look), look),
    part("cost", costLines(plan, look), look),
    part("quota", quotaLines(plan.estimate, look), look),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function heading({ name, expansion: { lanes, cells, skipped } }: MatrixPlan, { colours }: Look): string {
  const parts = [counted(cells.length, "cell"), counted(lanes.length, "lane"), `${skipped.length} not measured`];
  return `${colours.bold(name)}: ${parts.join(", ")}`;
}

const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

/** A title over its lines; nothing where there are none. */
const part = (title: string, lines: readonly string[], { colours }: Look): string =>
  lines.length === 0 ? "" : [colours.bold(title), ...lines].join("\n");

function laneTable({ lanes }: Estimate, look: Look): string {
  const rented = lanes.some(({ region }) => region !== undefined);
  const heads = ["lane", "cells", "runs", "under load", "in all", ...(rented ? ["cost", "ends after"] : [])];
  const rows = lanes.map(({ name, cells, time, usd, ttl }) => [
    ...[name, grouped(cells), grouped(time.runs), readableTime(time.loadS + time.warmUpS), readableTime(time.totalS)],
    ...(rented
      ? [usd === null ? "not known" : dollars(usd), ttl === undefined ? "–" : readableTime(secondsOf(ttl))]
      : []),
  ]);
  return table(heads, rows, 1, look);
}

/** Lanes that measure the same of a benchmark stand in one line. */
function benchmarkTable({ lanes }: MatrixPlan["expansion"], look: Look): string {
  const alike = together(
    lanes.flatMap(({ name: lane, benchmarks, cells }) =>
      benchmarks.map(({ name }) => ({ lane, name, cells: cells.filter((cell) => cell.benchmark === name) })),
    ),
    ({ name, cells }) => JSON.stringify([name, distinct(cells, "gateway"), distinct(cells, "scenario"), cells.length]),
  );
  const rows = alike.map((same) => {
    const [{ name, cells }] = same as [(typeof same)[number]];
    const numbers = [distinct(cells, "gateway").length, distinct(cells, "scenario").length, same.length * cells.length];
    const where = same.length === lanes.length ? allOf(same.length) : same.map(({ lane }) => lane).join(", ");
    return [name, where, ...numbers.map(grouped)];
  });
  return table(["benchmark", "lanes", "gateways", "scenarios", "cells"], rows, 2, look);
}

const allOf = (count: number): string => (count === 1 ? "1" : `all ${count}`);

/** What has the same key, in the order of the first of each. */
function together<T>(all: readonly T[], keyOf: (one: T) => string): readonly (readonly T[])[] {
  const found = new Map<string, T[]>();
  for (const one of all) {
    const same = found.get(keyOf(one));
    if (same) same.push(one);
    else found.set(keyOf(one), [one]);
  }
  return [...found.values()];
}

const distinct = (cells: readonly PlannedCell[], word: "gateway" | "scenario"): readonly string[] => [
  ...new Set(cells.map((cell) => cell[word])),
];

const cellTable = (cells: readonly PlannedCell[], look: Look): string =>
  table(
    ["gateway", "scenario", "generator", "load", "size", "topology", "id"],
    cells.map(({ gateway, scenario, generator, load, size, topology, id }) => [
      ...[gateway, scenario, generator, load, size, topology, id],
    ]),
    Infinity,
    look,
  );

/** @param texts  Columns from the left that hold no numbers. */
function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  texts: number,
  { colours }: Look,
): string {
  const drawn = new Table({
    head: head.map((title) => colours.dim(title)),
    colAligns: head.map((_, index) => (index < texts ? "left" : "right")),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    chars: plainBorders,
  });
  for (const row of rows) drawn.push([...row]);
  return indented(drawn.toString());
}

const indented = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${line}`.trimEnd())
    .join("\n");

/** Cells that are left out for one reason stand in one line, however many sizes and loads there are. */
function skippedLines(skipped: readonly SkippedCell[], { columns }: Look): readonly string[] {
  const alike = together(skipped, ({ gateway, generator, reason }) => JSON.stringify([gateway, generator, reason]));
  return alike.flatMap((cells) => {
    const [{ gateway, generator, reason }] = cells as [SkippedCell];
    const of = [...new Set(cells.map(({ scenario }) => scenario))].join(", ");
    const text = `${gateway} with ${generator} (${of}; ${counted(cells.length, "cell")}): ${reason}`;
    return wrapped(text, columns, "  ", "    ");
  });
}

/** Lanes whose hosts differ in the gateway's alone stand in one line. */
function hostLines({ lanes }: Estimate, { columns }: Look): readonly string[] {
  const others = ({ hosts }: LaneEstimate) => hosts.filter(({ role }) => role !== "gateway").map(hostText);
  const alike = together(lanes, (lane) => JSON.stringify([others(lane), lane.region]));
  return alike.flatMap((same) => {
    const [first] = same as [LaneEstimate];
    const gateways = same.flatMap(({ hosts }) => hosts.filter(({ role }) => role === "gateway").map(whatOf));
    const each = [...new Set(gateways)];
    const gateway =
      each.length === 0 ? [] : [`gateway ${each.join(", ")}${each.length > 1 ? " (one in each lane)" : ""}`];
    const place = first.region === undefined ? "" : ` in ${first.region}`;
    return wrapped(`${[...others(first), ...gateway].join("; ")}${place}`, columns, "  ", "    ");
  });
}

const whatOf = ({ instanceType, host }: HostGroup): string => instanceType ?? `on ${host}`;
const hostText = (group: HostGroup): string =>
  `${group.count === 1 ? "" : `${group.count} × `}${group.role} ${whatOf(group)}`;

function timeLines({ lanes, wallS, parallel }: Estimate, { columns }: Look): readonly string[] {
  const sum = (of: (lane: LaneEstimate) => number) => readableTime(lanes.reduce((total, lane) => total + of(lane), 0));
  const many = parallel > 1 && lanes.length > 1;
  return wrapped(
    [
      `about ${readableTime(wallS)}${many ? `, ${Math.min(parallel, lanes.length)} lanes at once` : ""}:`,
      `${sum(({ time }) => time.loadS)} of load, ${sum(({ time }) => time.warmUpS)} of warm-ups,`,
      `${sum(({ time }) => time.coolDownS)} of cool-downs, ${sum(({ time }) => time.besidesS)} of everything else`,
    ].join(" "),
    columns,
    "  ",
  );
}

function costLines({ estimate, budgetUsd }: MatrixPlan, { columns }: Look): readonly string[] {
  const { lanes, usd, usdUntilTtl, spot, prices } = estimate;
  if (lanes.every(({ region }) => region === undefined)) return ["  nothing is rented"];
  const less = spot ? ", or less: spot machines cost less than these on-demand prices" : "";
  const lines = [
    usd === null ? `not known: ${unpricedText(estimate)}` : `about ${dollars(usd)}${less}; ${left(usdUntilTtl)}`,
    ...(budgetUsd === undefined ? [] : [`budget: ${dollars(budgetUsd)}`]),
    ...together(prices, ({ region, source, date }) => JSON.stringify([region, source, date])).map(priceText),
  ];
  return lines.flatMap((line) => wrapped(line, columns, "  ", "    "));
}

const left = (usdUntilTtl: number | null): string =>
  usdUntilTtl === null
    ? "a cluster that nobody takes down goes on costing"
    : `${dollars(usdUntilTtl)} if nobody takes machines down before they end themselves`;

function priceText(same: Estimate["prices"]): string {
  const [{ region, source, date }] = same as [Estimate["prices"][number]];
  const each = same.map(({ instanceType, usd }) => `${instanceType} $${usd}`).join(", ");
  return `an hour in ${region}: ${each} (${source}, ${date})`;
}

const quotaLines = ({ quotas }: Estimate, { columns }: Look): readonly string[] =>
  quotas.flatMap(({ region, name, vcpus }) =>
    wrapped(
      `${vcpus === null ? "an unknown number of" : vcpus} vCPUs at once of "${name}" in ${region}`,
      columns,
      "  ",
      "    ",
    ),
  );
