import type { Grade } from "@gatebench/core";
import type { Range } from "@gatebench/core/measure";
import type { WarningNote } from "../warning-notes";

/** What is reported of a result, in its order, every text ready. HTML and Markdown are made from it. */
export interface Report {
  readonly title: string;
  /** What was measured with, on what and when. */
  readonly about: readonly string[];
  readonly sections: readonly Section[];
  /** What was warned about, each thing once. */
  readonly notes: readonly WarningNote[];
  readonly skipped: readonly string[];
  readonly byHand: readonly { readonly name: string; readonly command: string }[];
}

export interface Section {
  /** Sections of one chapter stand together. */
  readonly chapter: string;
  readonly title: string;
  readonly text: readonly string[];
  /** Drawn from the table. */
  readonly chart?: Chart;
  readonly table: Table;
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Entry[])[];
}

export interface Column {
  readonly name: string;
  readonly isNumber: boolean;
}

export interface Entry {
  readonly text: string;
  /** Wrong: never to be quoted. */
  readonly struck?: boolean;
  readonly grade?: Grade;
}

interface ChartCommon {
  readonly title: string;
  /** What it shows, for those who cannot see it. */
  readonly inWords: string;
}

/** A length for each row. */
export interface BarChart extends ChartCommon {
  readonly kind: "bars";
  /** What a length is, with its unit. */
  readonly measures: string;
  readonly bars: readonly {
    readonly name: string;
    readonly value: number;
    readonly interval: Range | null;
    readonly text: string;
    /** What the others are read against. */
    readonly isBaseline: boolean;
  }[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly interval: Range | null;
}

/** How something grows with something else. */
export interface LineChart extends ChartCommon {
  readonly kind: "lines";
  readonly across: string;
  readonly up: string;
  readonly lines: readonly {
    readonly name: string;
    readonly points: readonly Point[];
    /** The law that the points follow, in their place as a line. */
    readonly law?: { readonly fitted: readonly Point[]; readonly beyond: readonly Point[] };
  }[];
  /** From here on, points are of another kind. */
  readonly boundary?: { readonly x: number; readonly text: string };
}

export type Chart = BarChart | LineChart;

export const column = (name: string, isNumber = true): Column => ({ name, isNumber });
export const entry = (text: string, struck = false): Entry => ({ text, ...(struck && text !== "–" ? { struck } : {}) });
