import { describeWarning, type Cell, type Result } from "@gatebench/core";
import { columns, groupsOf, p99Label, rowOf, type Group, type Row } from "./rows";

/** The whole result as Markdown: figures, how sure they are, and how to repeat them. */
export function markdownReport(result: Result): string {
  const { machine, engine, startedAt, gatebench, seed } = result;
  return [
    `# gatebench, ${startedAt}`,
    `gatebench ${gatebench} on ${machine.cpu}, ${machine.cpus} CPUs, ${machine.os}. Engine: ${engine}. Order of targets seeded with ${seed}.`,
    ...groupsOf(result).map((group) => groupSection(group)),
    ...skippedSection(result),
    "",
  ].join("\n\n");
}

function groupSection(group: Group): string {
  const rows = group.cells.map((cell) => rowOf(cell, baselineOf(cell, group)));
  return [`## ${group.title}`, table(rows), p99Label(group), warningList(group.cells), repeatList(group.cells)]
    .filter(Boolean)
    .join("\n\n");
}

/** The cell of the same group that this one is read against. */
export function baselineOf({ baseline }: Cell, { cells }: Group): Cell | undefined {
  return cells.find(({ id }) => id === baseline);
}

function table(rows: readonly Row[]): string {
  const keys = Object.keys(columns) as (keyof Row)[];
  const line = (values: readonly string[]) => `| ${values.join(" | ")} |`;
  return [
    line(keys.map((key) => columns[key])),
    line(keys.map(() => "---")),
    ...rows.map((row) => line(keys.map((key) => row[key]))),
  ].join("\n");
}

function warningList(cells: readonly Cell[]): string {
  const lines = cells.flatMap(({ gateway, scenario, verdict }) =>
    verdict.warnings.map((seen) => ({
      who: `${gateway} (${scenario})`,
      what: `**${seen.code}** (${seen.cap}, ${seen.figures.join(", ")}): ${describeWarning(seen)}`,
    })),
  );
  const whos = new Map<string, string[]>();
  for (const { who, what } of lines) whos.set(what, [...(whos.get(what) ?? []), who]);
  return [...whos].map(([what, who]) => `- ${what} – ${who.join("; ")}`).join("\n");
}

function repeatList(cells: readonly Cell[]): string {
  return [
    "To repeat a run by hand, while `--keep` leaves everything running:",
    ...cells.map(({ gateway, scenario, byHand }) => `- ${gateway} (${scenario}): \`${byHand}\``),
  ].join("\n");
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
