import { describeWarning, type Cell, type Grade, type Result, type Warning } from "@gatebench/core";
import { groupsOf, nameOfRow, type Group } from "./rows";

/** Something that was warned about, once, however many rows it touches. */
export interface WarningNote {
  readonly code: Warning["code"];
  readonly cap: Grade;
  readonly text: string;
  /** In words; undefined: every row. */
  readonly rows: string | undefined;
}

/** Everything warned about, each thing once, the most serious first. What caps nothing is left to the result's file. */
export function warningNotes(result: Result): readonly WarningNote[] {
  const seen = new Map<string, { warning: Warning; readonly cells: Cell[] }>();
  for (const cell of result.cells) {
    for (const warning of new Map(cell.verdict.warnings.map((one) => [keyOf(one), one])).values()) {
      if (warning.cap === "sound") continue;
      const known = seen.get(keyOf(warning)) ?? { warning, cells: [] };
      // A gateway's words rather than those of the baseline, which stands first.
      known.warning = warning;
      known.cells.push(cell);
      seen.set(keyOf(warning), known);
    }
  }
  const groups = groupsOf(result);
  const notes = [...seen.values()].map(({ warning, cells }) => noteOf(warning, cells, groups));
  return notes.toSorted((left, right) => weight(right) - weight(left));
}

/** The same thing seen in two rows, though with other numbers; what names a law or a reason stands for itself. */
function keyOf({ code, cap, evidence }: Warning): string {
  const { law, reason } = evidence as { readonly law?: string; readonly reason?: string };
  return [code, cap, law ?? "", reason ?? ""].join("/");
}

function noteOf(warning: Warning, cells: readonly Cell[], groups: readonly Group[]): WarningNote {
  const { code, cap } = warning;
  const texts = new Set(cells.flatMap((cell) => sentences(cell, keyOf(warning))));
  const example = texts.size > 1 ? `for example, ${describeWarning(warning)}` : describeWarning(warning);
  return { code, cap, text: example, rows: rowsInWords(cells, groups) };
}

const sentences = ({ verdict }: Cell, key: string): readonly string[] =>
  verdict.warnings.filter((one) => keyOf(one) === key).map(describeWarning);

/** Rows by name where they are few, else by their tables, else by their number. */
function rowsInWords(touched: readonly Cell[], groups: readonly Group[]): string | undefined {
  const all = rowsIn(groups);
  if (touched.length === all) return undefined;
  const these = new Set(touched);
  const whole = groups.filter(({ cells }) => cells.every((cell) => these.has(cell)));
  if (whole.length <= mostNamed && rowsIn(whole) === touched.length)
    return whole.map(({ name }) => `all of ${name}`).join(", ");
  if (touched.length > 3) return `${touched.length} of ${all} rows`;
  return touched.map((cell) => `${nameOfRow(cell)}${groups.length > 1 ? ` by ${cell.generator}` : ""}`).join(", ");
}

const rowsIn = (groups: readonly Group[]): number => groups.reduce((sum, { cells }) => sum + cells.length, 0);
/** Tables; more are only a number. */
const mostNamed = 6;

/** Wrong figures before doubtful ones; of two alike, what touches more. */
const weight = ({ cap, rows }: WarningNote): number => (cap === "invalid" ? 2 : 0) + (rows === undefined ? 1 : 0);
