import type { Result } from "@gatebench/core";
import { nameOfRow } from "../rows";
import { warningNotes } from "../warning-notes";
import { atAGlance } from "./at-a-glance";
import { costSections, noPrices, type PricePerHour } from "./costs";
import { loadSections } from "./load-sections";
import { overheadSections } from "./overhead";
import { publishedSections } from "./beside-published";
import { rankedGroups } from "./ranking";
import { rateCurves } from "./rate-curves";
import type { Report, Section } from "./report";
import { scalingSections, type FitLimit } from "./scaling";

export interface ReportOptions {
  /** Default: `gatebench` and the time. */
  readonly title?: string;
  readonly pricePerHour?: PricePerHour;
  /** Up to where scaling is fitted. */
  readonly fitLimit?: FitLimit;
  /** What stands in the place of machine and engine where nothing was measured here. */
  readonly about?: readonly string[];
}

/** Of each chapter: what nobody would look through, and drawing takes its time. The tables are always whole. */
const mostCharts = 16;

/** What is reported of a result: what a reader looks for first, first. */
export function reportOf(result: Result, options: ReportOptions = {}): Report {
  const { pricePerHour = noPrices, fitLimit } = options;
  const groups = rankedGroups(result);
  return {
    title: options.title ?? `gatebench, ${result.startedAt.slice(0, 16).replace("T", " ")} UTC`,
    about: options.about ?? aboutOf(result),
    sections: [
      atAGlance(result, groups),
      ...publishedSections(result),
      ...drawnFirst(loadSections(groups)),
      ...drawnFirst(rateCurves(result)),
      ...drawnFirst(scalingSections(result, fitLimit, mostCharts)),
      ...drawnFirst(overheadSections(result)),
      ...costSections(result, pricePerHour),
    ],
    notes: warningNotes(result),
    skipped: result.skipped.map(skippedInWords),
    byHand: groups.flatMap(({ name, cells }) =>
      cells.flatMap((cell) =>
        cell.byHand === "" ? [] : [{ name: `${name}: ${nameOfRow(cell)}`, command: cell.byHand }],
      ),
    ),
  };
}

function aboutOf({ machine, engine, gatebench, seed }: Result): readonly string[] {
  return [
    `gatebench ${gatebench} on ${machine.cpu}, ${machine.cpus} CPUs, ${machine.os}. Engine: ${engine}. Order of targets seeded with ${seed}.`,
  ];
}

function drawnFirst(sections: readonly Section[]): readonly Section[] {
  const drawn = sections.filter(({ chart }) => chart !== undefined);
  const left = new Set(drawn.slice(mostCharts));
  return sections.map((section) => (left.has(section) ? withoutChart(section, drawn.length) : section));
}

/** Said where it happens: a gap is no secret. */
function withoutChart(section: Section, of: number): Section {
  const note = `No chart: only the first ${mostCharts} of ${of} are drawn. Report a part of the results to see it.`;
  return { ...section, chart: undefined, text: [...section.text, note] };
}

type Skip = Result["skipped"][number];
const skippedInWords = ({ gateway, scenario, generator, size, reason }: Skip): string =>
  `${[gateway, scenario, generator, ...(size === undefined ? [] : [size])].join(", ")}: ${reason}`;
