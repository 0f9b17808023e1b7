import type { Cell, Result } from "@gatebench/core";
import { columns, groupsOf, nameOfRow, p99Label, rowOf, struckOut, type Group, type Row } from "./rows";
import { warningNotes } from "./warning-notes";

/** The whole result as Markdown: figures, how sure they are, and how to repeat them. */
export function markdownReport(result: Result): string {
  const { machine, engine, startedAt, gatebench, seed } = result;
  return [
    `# gatebench, ${startedAt}`,
    `gatebench ${gatebench} on ${machine.cpu}, ${machine.cpus} CPUs, ${machine.os}. Engine: ${engine}. Order of targets seeded with ${seed}.`,
    ...groupsOf(result).map((group) => groupSection(group)),
    ...warningSection(result),
    ...skippedSection(result),
    ...repeatSection(result),
    "",
  ].join("\n\n");
}

function groupSection(group: Group): string {
  return [`## ${group.title}`, table(group), p99Label(group)].join("\n\n");
}

/** The cell of the same group that this one is read against. */
export function baselineOf({ baseline }: Cell, { cells }: Group): Cell | undefined {
  return cells.find(({ id }) => id === baseline);
}

const texts: readonly (keyof Row)[] = ["gateway", "scenario", "verdict"];

function table(group: Group): string {
  const keys = Object.keys(columns) as (keyof Row)[];
  const line = (values: readonly string[]) => `| ${values.join(" | ")} |`;
  return [
    line(keys.map((key) => columns[key])),
    line(keys.map((key) => (texts.includes(key) ? "---" : "---:"))),
    ...group.cells.map((cell) => line(valuesOf(cell, group, keys))),
  ].join("\n");
}

function valuesOf(cell: Cell, group: Group, keys: readonly (keyof Row)[]): readonly string[] {
  const row = rowOf(cell, baselineOf(cell, group));
  const struck = struckOut(cell);
  return keys.map((key) => (struck.includes(key) && row[key] !== "–" ? `~~${row[key]}~~` : row[key]));
}

function warningSection(result: Result): readonly string[] {
  const lines = warningNotes(result).map(
    ({ code, cap, text, rows }) => `- **${code}** (${cap}; ${rows ?? "every row"}): ${text}`,
  );
  return lines.length === 0 ? [] : ["## What to know of these figures", lines.join("\n")];
}

function repeatSection(result: Result): readonly string[] {
  const commands = groupsOf(result).flatMap(({ name, cells }) =>
    cells.map((cell) => `# ${name}: ${nameOfRow(cell)}\n${cell.byHand}`),
  );
  if (commands.length === 0) return [];
  return [
    "## By hand",
    "In the folder of this report, while `--keep` leaves everything running:",
    `\`\`\`sh\n${commands.join("\n\n")}\n\`\`\``,
  ];
}

function skippedSection({ skipped }: Result): readonly string[] {
  if (skipped.length === 0) return [];
  return [
    "## Not measured",
    skipped
      .map(({ gateway, scenario, generator, reason }) => `- ${gateway}, ${scenario}, ${generator}: ${reason}`)
      .join("\n"),
  ];
}
