import type { Cell, Figure, Published, Result } from "@gatebench/core";
import { grouped } from "../counts-in-words";
import { isShown } from "./cell-words";
import { nothing } from "./figures-in-words";
import { column, entry, type Section } from "./report";

/** Published figures with ours beside them, and in what the tests differ; undefined where nothing was published. */
export function publishedText({ published, cells }: Pick<Result, "published" | "cells">): string | undefined {
  if (!published) return undefined;
  const lines = published.figures.map((figure) => {
    const { name, stated, ours } = besidePublished(figure, cells);
    return `  ${name}: ${stated} – ours: ${ours}`;
  });
  return [`published by ${published.source}`, ...lines, ...differences(published).map((text) => `  ${text}`)].join(
    "\n",
  );
}

/** What was published of the same test, with ours beside it. */
export function publishedSections({ published, cells }: Result): readonly Section[] {
  if (!published) return [];
  const rows = published.figures.map((figure) => besidePublished(figure, cells));
  return [
    {
      chapter: "Beside what was published",
      title: `Published by ${published.source}`,
      text: differences(published).map((text) => `Ours ${text}.`),
      table: {
        columns: [column("what", false), column("published", false), column("ours", false)],
        rows: rows.map(({ name, stated, ours }) => [entry(name), entry(stated || nothing), entry(ours)]),
      },
    },
  ];
}

/** In words what was published, and what we measured of the same. */
function besidePublished(figure: Published["figures"][number], cells: readonly Cell[]) {
  const ours = cells.filter(({ id }) => figure.cells.includes(id)).map(oursInWords);
  return {
    name: figure.name,
    stated: [figuresInWords(figure), figure.note].filter(Boolean).join("; "),
    ours: [...new Set(ours)].join(", or ") || "not measured",
  };
}

const differences = ({ differsIn }: Published): readonly string[] =>
  differsIn.length > 0 ? [`differs from the published test in: ${differsIn.join("; ")}`] : [];

/** What is wrong is never held against anything. */
function oursInWords(cell: Cell): string {
  const shown = (figure: Figure) => (isShown(cell, figure) ? cell[figure] : null);
  return figuresInWords({ rps: shown("rps"), tlsTps: shown("tlsTps"), p99Ms: shown("p99Ms") }) || "invalid";
}

type Figures = Readonly<Partial<Record<(typeof figures)[number][0], number | null | undefined>>>;

const ms = (value: number): string => `${value.toFixed(2)} ms`;
const figures = [
  ["rps", (value: number) => `${grouped(value)} RPS`],
  ["tlsTps", (value: number) => `${grouped(value)} TLS TPS`],
  ["p99Ms", (value: number) => `P99 ${ms(value)}`],
  ["p95Ms", (value: number) => `P95 ${ms(value)}`],
  ["meanMs", (value: number) => `mean ${ms(value)}`],
] as const;

/** "71,556 RPS, P99 1.00 ms". */
const figuresInWords = (stated: Figures): string =>
  figures
    .flatMap(([name, inWords]) => {
      const value = stated[name];
      return typeof value === "number" ? [inWords(value)] : [];
    })
    .join(", ");
