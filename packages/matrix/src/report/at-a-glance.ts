import { askedRatePerS, type Cell, type Grade, type Result } from "@gatebench/core";
import { loadInWords, type Group } from "../rows";
import { answeringRuns } from "@gatebench/core/measure";
import { isBaseline, mainFigure, sizeInWords, sizesDiffer, verdictInWords } from "./cell-words";
import { grouped } from "../counts-in-words";
import { headed, milliseconds, nothing, percent, rate, together } from "./figures-in-words";
import { leadersOf, type Question, type RankedGroup } from "./ranking";
import { column, entry, type Entry, type Section } from "./report";

/** What a reader looks for first: which gateway, how much, at what latency, how sure. */
export function atAGlance(result: Result, groups: readonly RankedGroup[]): Section {
  const withSize = sizesDiffer(result.cells.filter((cell) => !isBaseline(cell)));
  const rows = groups.flatMap((group) => asked(group).map((question) => glanceRow(question, group, withSize)));
  return {
    chapter: "At a glance",
    title: "At a glance",
    text: [countsInWords(result), ...(rows.length > 0 ? [howToRead] : [])],
    table: {
      columns: [
        column("asked", false),
        column("ahead", false),
        column(
          headed(
            "carries",
            result.cells.flatMap(({ intervals: { rps, tlsTps } }) => [rps, tlsTps]),
          ),
        ),
        column("P99 ms"),
        column("vs direct"),
        column("verdict", false),
      ],
      rows,
    },
  };
}

const howToRead =
  "Ahead is whatever nothing was found to be better than; several names could not be told apart. At a fixed rate the lowest P99 is ahead, otherwise the highest rate.";

/** Where one load was put on several sizes, the largest stands for them; the curve over all has its own section. */
function asked({ cells, questions }: RankedGroup): readonly Question[] {
  if (!sizesDiffer(cells.filter((cell) => !isBaseline(cell)))) return questions;
  const largest = Math.max(...questions.map(workersOf));
  return questions.filter((question) => workersOf(question) === largest);
}

const workersOf = ({ cells: [first] }: Question): number => (first as Cell).size.workers;

function glanceRow(question: Question, group: Group, withSize: boolean): readonly Entry[] {
  const leaders = leadersOf(question);
  const [first] = leaders;
  const example = question.cells[0] as Cell;
  const what = entry(
    `${example.scenario}: ${example.generator}, ${loadInWords(example.load)}${withSize ? `, ${sizeInWords(example)}` : ""}`,
  );
  if (first === undefined)
    return [what, entry("none: no figure here is valid"), ...[1, 2, 3].map(() => entry(nothing)), gradeEntry(example)];
  return [what, entry(namesOf(leaders, question)), ...figuresOf(first, question, group), gradeEntry(first)];
}

function namesOf(leaders: readonly Cell[], { ranked, places }: Question): string {
  const names = together(leaders.map(({ gateway }) => gateway));
  if (leaders.length > 1) return `${names}, not told apart`;
  if (ranked.length === 1) return `${names}, alone`;
  return places.size === 0 ? `${names}, by figures that could not be compared` : names;
}

function figuresOf(first: Cell, { figure }: Question, group: Group): readonly Entry[] {
  const shown = figure === "p99Ms" ? "rps" : figure;
  const isPaced = askedRatePerS(first.load) !== undefined;
  const unit = shown === "tlsTps" ? "TLS TPS" : "RPS";
  return [
    entry(`${rate(first[shown], first.intervals[shown])} ${unit}`, first.verdict[shown] === "invalid"),
    entry(
      `${milliseconds(first.p99Ms, first.intervals.p99Ms)}${isPaced || first.p99Ms === null ? "" : ", not ranked"}`,
      first.verdict.p99Ms === "invalid",
    ),
    entry(shareOfPath(first, group)),
  ];
}

/** At a rate both can carry, the share would say nothing. */
function shareOfPath(cell: Cell, { cells }: Group): string {
  const figure = mainFigure(cell);
  const path = cells.find(({ id }) => id === cell.baseline);
  if (figure === "p99Ms" || !path?.[figure] || path.verdict[figure] === "invalid") return nothing;
  return percent((cell[figure] as number) / path[figure]);
}

const gradeEntry = (cell: Cell): Entry => ({
  text: verdictInWords(cell),
  grade: cell.verdict[mainFigure(cell)] ?? "invalid",
});

/** "12 figures are sound, 3 indicative, none invalid. 4 of 20 cells were not measured." */
function countsInWords({ cells, skipped }: Result): string {
  const given = cells.flatMap(({ verdict: { rps, p99Ms, tlsTps } }) => [rps, p99Ms, tlsTps]);
  const count = (grade: Grade) => given.filter((one) => one === grade).length;
  const runs = cells.reduce((sum, cell) => sum + answeringRuns(cell.runs).length, 0);
  const of = `${grouped(cells.length)} ${cells.length === 1 ? "cell" : "cells"}${runs > 0 ? `, ${grouped(runs)} measured runs` : ""}`;
  const missing =
    skipped.length === 0 ? "Nothing was skipped." : `${grouped(skipped.length)} more were skipped, as said below.`;
  return `${of}: ${grouped(count("sound"))} figures are sound, ${grouped(count("indicative"))} indicative, ${grouped(count("invalid"))} invalid. ${missing}`;
}
