import type { QueriedFigure, FigureOwner } from "./queried-figure";
import { fault, listed, type Fault } from "./fault";
import {
  figureSubjects,
  jobMatcher,
  overWindow,
  placeholderNames,
  placeholdersIn,
  withPlaceholders,
} from "./figure-query";
import { isSelector, promqlErrorAt } from "./promql";

/** A figure and who declared it. */
export interface DeclaredFigure {
  readonly figure: QueriedFigure;
  readonly whose: FigureOwner;
  /** Names the declarer in messages: "gateway envoy", "the user". */
  readonly by: string;
}

/** Everything wrong with figures that can be told without asking Prometheus, one line each. */
export function figureFaults(declared: readonly DeclaredFigure[]): readonly Fault[] {
  return [...declared.flatMap(oneFigureFaults), ...sameNames(declared)];
}

/** Why these are not names of declared figures. */
export function unknownFigures(names: readonly string[], declared: readonly DeclaredFigure[]): readonly Fault[] {
  const known = [...new Set(declared.map(({ figure }) => figure.name))];
  return names
    .filter((name) => !known.includes(name))
    .map((name) =>
      fault(
        "unknown-figure",
        `the figure "${name}" is declared by nothing that is watched. Known: ${listed(known)}. Choose one of them, or give a query of your own.`,
      ),
    );
}

function oneFigureFaults({ figure, by }: DeclaredFigure): readonly Fault[] {
  const says = (what: string) => [fault("invalid-figure", `the figure "${figure.name}" of ${by} ${what}`)];
  return [
    ...(/^[a-z0-9]+(-[a-z0-9]+)*$/.test(figure.name)
      ? []
      : says("needs another name: small letters, digits and hyphens.")),
    ...(figure.kind !== "histogram-quantile" || (figure.quantile > 0 && figure.quantile < 1)
      ? []
      : says(`asks for the quantile ${figure.quantile}; give a number above 0 and below 1, such as 0.99.`)),
    ...queryFaults(figure, says),
  ];
}

function queryFaults(figure: QueriedFigure, says: (what: string) => readonly Fault[]): readonly Fault[] {
  const unknown = placeholdersIn(figure.query).filter((name) => !placeholderNames.includes(name));
  if (unknown.length > 0)
    return says(
      `has $${unknown.join(", $")} in its query, which stands for nothing. Known: $${placeholderNames.join(", $")}.`,
    );
  const text = filledIn(figure.query);
  const at = promqlErrorAt(text);
  if (at !== undefined)
    return says(
      `has a query that is no PromQL${at < text.length ? `, from "${text.slice(at, at + 20)}" on` : ": its end is missing"}: ${text}`,
    );
  return figure.kind === "gauge" || isSelector(text)
    ? []
    : says(
        `is a ${figure.kind} of the query ${text}; its raw samples are asked for, so give a selector alone, such as requests_total{code="200"}, without functions, ranges or offsets.`,
      );
}

/** The query with something in the place of every placeholder, as it could be asked. */
const filledIn = (query: string): string =>
  overWindow(
    withPlaceholders(query, Object.fromEntries(figureSubjects.map((name) => [name, jobMatcher([name])]))),
    60_000,
  );

/** Gateways may share names, as only one of them is under load; nothing else may. */
function sameNames(declared: readonly DeclaredFigure[]): readonly Fault[] {
  return declared.flatMap((one, index) => {
    const other = declared.slice(0, index).find((earlier) => meet(earlier, one));
    return other ? [sameName(one.figure.name, other.by, one.by)] : [];
  });
}

const meet = (left: DeclaredFigure, right: DeclaredFigure): boolean =>
  left.figure.name === right.figure.name &&
  (left.by === right.by || left.whose !== "adapter" || right.whose !== "adapter");

const sameName = (name: string, first: string, second: string): Fault =>
  fault("invalid-figure", `two figures are named "${name}", of ${first} and of ${second}. Give one another name.`);
