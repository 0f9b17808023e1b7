import Table from "cli-table3";
import type { Cell, Figure } from "@gatebench/core";
import type { Comparison } from "@gatebench/core/measure";
import { wrapped, type Look } from "../look";
import { nameOfRow } from "../rows";
import { plainBorders } from "../terminal-tables";
import { answerOf, type Answer, type ComparedCell, type ComparedFigure, type ComparedResults } from "./compare-results";
import { grouped } from "../counts-in-words";

const columns = ["gateway", "generator", "figure", "A", "B", "B against A (95 %)", "told from", "finding"] as const;
const names: Readonly<Record<Figure, string>> = { rps: "RPS", p99Ms: "P99 ms", tlsTps: "TLS TPS" };

/** B against A as people read it in a terminal. */
export function compareTable(
  results: ComparedResults,
  notes: readonly string[],
  { colours, columns: width }: Look,
): string {
  const table = new Table({
    head: [...columns],
    colAligns: columns.map((name) => (["A", "B", "told from"].includes(name) ? "right" : "left")),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    chars: plainBorders,
  });
  for (const { row, figure } of rowsOf(results)) table.push(figure.isRegression ? row.map(colours.red) : [...row]);
  const told = [...notesOf(results), ...notes].flatMap((note) => wrapped(note, width));
  return [table.toString(), ...told.map((line) => colours.dim(line)), colours.bold(answerInWords(results))].join("\n");
}

/** The same for a page. */
export function compareMarkdown(results: ComparedResults, notes: readonly string[]): string {
  const line = (texts: readonly string[]) => `| ${texts.join(" | ")} |`;
  const table = [line(columns), line(columns.map(() => "---")), ...rowsOf(results).map(({ row }) => line(row))].join(
    "\n",
  );
  return [
    `**${answerInWords(results)}**`,
    table,
    [...notesOf(results), ...notes].map((note) => `- ${note}`).join("\n"),
  ].join("\n\n");
}

interface TableRow {
  readonly figure: ComparedFigure;
  readonly row: readonly string[];
}

const rowsOf = ({ cells }: ComparedResults): readonly TableRow[] =>
  cells.flatMap(({ a, figures }) =>
    figures.flatMap((figure) => (figure.comparison ? [{ figure, row: textsOf(a, figure, figure.comparison) }] : [])),
  );

function textsOf(cell: Cell, { figure, a, b }: ComparedFigure, comparison: Comparison): readonly string[] {
  const stated = (value: number | null) =>
    value === null ? "–" : figure === "p99Ms" ? value.toFixed(2) : grouped(value);
  return [
    ...[nameOfRow(cell), cell.generator, names[figure], stated(a), stated(b)],
    ...[differenceText(comparison), `± ${percent(comparison.smallestDetectable)}`, findingText(comparison)],
  ];
}

const differenceText = ({ ratio, interval: [lower, upper] }: Comparison): string =>
  `${signed(ratio - 1)} (${signed(lower - 1)} to ${signed(upper - 1)})`;

/** What was found; where nothing could be, how many more would tell. */
export function findingText({
  finding,
  unit,
  unitsNeeded,
}: Pick<Comparison, "finding" | "unit" | "unitsNeeded">): string {
  if (finding === "not-distinguishable") return "not distinguishable";
  if (finding !== "cannot-tell") return finding;
  return `this rig cannot tell; ${unitsNeeded ?? "more than 1,000"} ${unit}s would`;
}

const answers: Readonly<Record<Answer, (matters: string) => string>> = {
  regression: () => "regression: B is worse than A",
  "cannot-tell": (matters) => `cannot-tell: no regression was found, but one of ${matters} could have been missed`,
  "no-regression": (matters) => `no-regression: none was found, and one of ${matters} would have been`,
};

const answerInWords = (results: ComparedResults): string => answers[answerOf(results)](percent(results.matters));

function notesOf({ cells, onlyA, onlyB }: ComparedResults): readonly string[] {
  const made = cells.flatMap(({ figures }) => figures.filter(({ comparison }) => comparison !== null)).length;
  return [
    `"told from": the smallest difference that these repetitions find in 80 % of all tries${made > 1 ? `, where ${made} comparisons are made at once` : ""}.`,
    ...notCompared(cells),
    ...cells.filter(({ isPath }) => isPath).flatMap(pathNote),
    ...alone("A", onlyA),
    ...alone("B", onlyB),
    ...cells.flatMap(versionNote),
  ];
}

/** Each reason once, with the rows it holds for. */
function notCompared(cells: readonly ComparedCell[]): readonly string[] {
  const reasons = new Map<string, string[]>();
  for (const { a, figures } of cells)
    for (const { figure, reason } of figures) {
      const text = `${names[figure]} not compared: ${reason ?? ""}`;
      if (reason !== undefined) reasons.set(text, [...(reasons.get(text) ?? []), nameOfRow(a)]);
    }
  return [...reasons].map(([text, rows]) => `${text} (${[...new Set(rows)].join(", ")}).`);
}

/** A and B were not measured in turns; what both share shows what lies between them. */
function pathNote({ a, figures }: ComparedCell): readonly string[] {
  return figures.flatMap(({ figure, comparison }) =>
    comparison === null || (comparison.finding !== "higher" && comparison.finding !== "lower")
      ? []
      : [
          `${a.generator}: the path without a gateway is itself ${comparison.finding} in ${names[figure]} (${differenceText(comparison)}): the machine changed between A and B, and gateways are read against another one.`,
        ],
  );
}

const alone = (side: string, cells: readonly Cell[]): readonly string[] =>
  cells.length === 0
    ? []
    : [`only in ${side}: ${cells.map((cell) => `${nameOfRow(cell)} by ${cell.generator}`).join(", ")}.`];

function versionNote({ a, b }: ComparedCell): readonly string[] {
  const changed = (what: string, from: string | null, to: string | null) =>
    from === to ? [] : [`${nameOfRow(a)} by ${a.generator}: ${what} ${from ?? "none"} in A, ${to ?? "none"} in B.`];
  return [
    ...changed("gateway", a.gatewayVersion, b.gatewayVersion),
    ...changed("generator", a.generatorVersion, b.generatorVersion),
  ];
}

const percent = (fraction: number): string =>
  fraction > 10 ? "> 1000 %" : `${Number((fraction * 100).toFixed(fraction < 0.1 ? 1 : 0))} %`;
const signed = (fraction: number): string => `${fraction < 0 ? "−" : "+"}${(Math.abs(fraction) * 100).toFixed(1)} %`;
