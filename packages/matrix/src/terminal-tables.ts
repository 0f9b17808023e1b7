import { homedir } from "node:os";
import Table from "cli-table3";
import type { Cell, Grade, Result } from "@gatebench/core";
import { commandAndNote } from "./by-hand";
import { lookOf, wrapped, wrappedCommand, type Look } from "./look";
import { baselineOf } from "./markdown-report";
import { columns, groupsOf, nameOfRow, p99Label, rowOf, struckOut, type Group, type Row } from "./rows";
import { warningNotes, type WarningNote } from "./warning-notes";

export const plainBorders = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** The result as people read it in a terminal: how to repeat its rows, and the figures. */
export function terminalTables(result: Result, look: Look = lookOf(process.stdout)): string {
  // First, because it is long: what people look for is the last they see.
  return [byHandText(groupsOf(result), look), terminalFigures(result, look)].filter(Boolean).join("\n\n");
}

/** The tables, and what is to be known of them. */
export function terminalFigures(result: Result, look: Look = lookOf(process.stdout)): string {
  const groups = groupsOf(result);
  return [...groups.map((group) => groupText(group, look)), warningText(result, look), skippedText(result, look)]
    .filter(Boolean)
    .join("\n\n");
}

function groupText(group: Group, { colours, columns: width }: Look): string {
  // Where each request has a handshake of its own, its rate is that of the handshakes.
  const left: keyof Row = group.isTls ? "rps" : "tlsTps";
  const keys = (Object.keys(columns) as (keyof Row)[]).filter((key) => key !== left);
  const table = new Table({
    head: keys.map((key) => columns[key]),
    colAligns: keys.map((key) => (texts.includes(key) ? "left" : "right")),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    chars: plainBorders,
  });
  for (const cell of group.cells) table.push(coloured(cell, group, keys, colours));
  const label = wrapped(p99Label(group), width);
  return [colours.bold(group.title), table.toString(), ...label.map((line) => colours.dim(line))].join("\n");
}

const texts: readonly (keyof Row)[] = ["gateway", "scenario", "verdict"];

type Colours = Look["colours"];
const gradeColours = { sound: "green", indicative: "yellow", invalid: "red" } as const;
const inGrade = (grade: Grade, text: string, colours: Colours): string => colours[gradeColours[grade]](text);

function coloured(cell: Cell, group: Group, keys: readonly (keyof Row)[], colours: Colours): string[] {
  const row = rowOf(cell, baselineOf(cell, group));
  const struck = struckOut(cell);
  return keys.map((key) => {
    if (key === "verdict") return inGrade(row.verdict as Grade, row.verdict, colours);
    return struck.includes(key) && row[key] !== "–" ? struckText(row[key], colours) : row[key];
  });
}

/** Without colours there are no strokes either. */
const struckText = (text: string, colours: Colours): string =>
  colours.isColorSupported ? colours.strikethrough(colours.dim(text)) : `(${text})`;

function warningText(result: Result, look: Look): string {
  const notes = warningNotes(result);
  const [common, particular] = [notes.filter(({ rows }) => !rows), notes.filter(({ rows }) => rows)];
  const caps = new Set(common.map(({ cap }) => cap));
  const title = `every row is ${caps.has("invalid") ? "invalid" : "at most indicative"}, because`;
  return [
    ...particular.flatMap((note) => noteLines(note, look)),
    ...(common.length > 0 ? [title] : []),
    ...common.flatMap((note) => noteLines(note, look)),
  ].join("\n");
}

/** "  few-runs  1 run (wanted 5); repeat more." */
function noteLines({ code, cap, text, rows }: WarningNote, { colours, columns: width }: Look): readonly string[] {
  const lead = `  ${code.padEnd(codeWidth)}  `;
  const [first = "", ...rest] = wrapped(`${rows ? `${rows}: ` : ""}${text}`, width, lead);
  return [`${inGrade(cap, first.slice(0, lead.length), colours)}${first.slice(lead.length)}`, ...rest];
}

const codeWidth = 19;

function skippedText({ skipped }: Result, { columns: width }: Look): string {
  if (skipped.length === 0) return "";
  const lines = skipped.flatMap(({ gateway, scenario, generator, reason }) =>
    wrapped(`${gateway}, ${scenario}, ${generator}: ${reason}`, width, "  "),
  );
  return ["not measured", ...lines].join("\n");
}

function byHandText(groups: readonly Group[], look: Look): string {
  const lines = groups.flatMap(({ name, cells }) => cells.flatMap((cell) => byHandLines(name, cell, look)));
  if (lines.length === 0) return "";
  return [
    look.colours.bold("by hand, in the results folder, while --keep leaves everything running"),
    ...lines.map((line) => look.colours.dim(line)),
  ].join("\n");
}

/** As lines of a shell, the row's name and the place of its values as comments. */
function byHandLines(group: string, cell: Cell, { columns: width }: Look): readonly string[] {
  const { command, note } = commandAndNote(cell.byHand);
  return [
    `  # ${group}: ${nameOfRow(cell)}`,
    ...(note ? [`  # ${note.replace(homedir(), "~")}`] : []),
    ...wrappedCommand(command, width, "  "),
  ];
}
