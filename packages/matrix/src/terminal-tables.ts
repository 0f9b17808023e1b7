import Table from "cli-table3";
import pc from "picocolors";
import { describeWarning, type Cell, type Result } from "@gatebench/core";
import { baselineOf } from "./markdown-report";
import { columns, groupsOf, p99Label, rowOf, type Group, type Row } from "./rows";

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

/** The result as people read it in a terminal. */
export function terminalTables(result: Result): string {
  return [...groupsOf(result).map(groupText), skippedText(result)].filter(Boolean).join("\n\n");
}

function groupText(group: Group): string {
  const keys = (Object.keys(columns) as (keyof Row)[]).filter((key) => group.isTls || key !== "tlsTps");
  const table = new Table({
    head: keys.map((key) => columns[key]),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    chars: plainBorders,
  });
  for (const cell of group.cells) table.push(coloured(rowOf(cell, baselineOf(cell, group)), keys));
  return [
    pc.bold(group.title),
    table.toString(),
    pc.dim(p99Label(group)),
    ...warningLines(group.cells),
    ...byHandLines(group.cells),
  ].join("\n");
}

const colours = { sound: pc.green, indicative: pc.yellow, invalid: pc.red } as const;

function coloured(row: Row, keys: readonly (keyof Row)[]): string[] {
  return keys.map((key) => (key === "verdict" ? colours[row.verdict as keyof typeof colours](row.verdict) : row[key]));
}

/** Each thing warned about once, with how many rows it touches. */
function warningLines(cells: readonly Cell[]): readonly string[] {
  const touched = new Map<string, { readonly text: string; rows: number }>();
  for (const { verdict } of cells) {
    for (const seen of new Map(
      verdict.warnings.filter(({ cap }) => cap !== "sound").map((one) => [one.code, one]),
    ).values()) {
      const known = touched.get(seen.code) ?? { text: describeWarning(seen), rows: 0 };
      touched.set(seen.code, { ...known, rows: known.rows + 1 });
    }
  }
  return [...touched].map(
    ([code, { text, rows }]) =>
      `  ${pc.yellow(code)} (${rows} of ${cells.length} rows) ${rows > 1 ? "such as: " : ""}${text}`,
  );
}

function byHandLines(cells: readonly Cell[]): readonly string[] {
  return [
    pc.dim("  by hand, while --keep leaves it running:"),
    ...cells.map(({ gateway, scenario, byHand }) => pc.dim(`  ${gateway} (${scenario}): ${byHand}`)),
  ];
}

function skippedText({ skipped }: Result): string {
  return skipped
    .map(({ gateway, scenario, generator, reason }) => `not measured: ${gateway}, ${scenario}, ${generator}: ${reason}`)
    .join("\n");
}
