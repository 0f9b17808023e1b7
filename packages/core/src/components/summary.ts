import type { Cell, Grade } from "../contract";
import { describeWarning } from "../contract";

/** A few lines for people: each target's figures with their grades, and what was warned about. */
export function summaryOf(cells: readonly Cell[]): string {
  return [...cells.map(lineOfCell), ...warningLines(cells)].join("\n");
}

function lineOfCell({ gateway, scenario, rps, p99Ms, tlsTps, verdict }: Cell): string {
  const figures = [
    stated(rps, "rps", verdict.rps, 0),
    stated(p99Ms, "ms P99", verdict.p99Ms, 2),
    stated(tlsTps, "TLS TPS", verdict.tlsTps, 0),
  ];
  return `${gateway} (${scenario}): ${figures.filter(Boolean).join(", ")}`;
}

function stated(value: number | null, unit: string, grade: Grade | null, digits: number): string {
  return value === null || grade === null ? "" : `${value.toFixed(digits)} ${unit} [${grade}]`;
}

function warningLines(cells: readonly Cell[]): readonly string[] {
  const lines = cells.flatMap(({ gateway, verdict }) =>
    verdict.warnings
      .filter(({ cap }) => cap !== "sound")
      .map((seen) => `  ${gateway}: ${seen.code}: ${describeWarning(seen)}`),
  );
  return [...new Set(lines)];
}
