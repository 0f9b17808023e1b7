import type { CounterName, CounterPage, Counters } from "../contract";

/**
 * What gateway or upstream counted between two readings of its pages, the readings themselves taken off.
 *
 * Counts of several pages are added up (one page for each upstream server). Between two readings lies one reading of
 * every page, whether it counts itself before or after it answers; `readings` is how often the pages were read after
 * `before`. A reading is one request, answered with 200; a log must not hold the readings.
 *
 * A page that only logs failures (`statusLines` without a 2xx among them) leaves out the good answers; they are
 * counted as requests less failures, under "2xx". undefined: the readings contradict each other – a counter ran
 * backwards, vanished, or grew by less than the readings – so nothing is known.
 */
export function countersBetween(
  pages: readonly CounterPage[],
  before: readonly string[],
  after: readonly string[],
  readings = 1,
): Counters | undefined {
  if (pages.length === 0 || before.length !== pages.length || after.length !== pages.length) return undefined;
  const grown = pages.map((page, index) => growthOf(page, before[index] as string, after[index] as string));
  const known = grown.filter((one) => one !== undefined);
  if (known.length < grown.length) return undefined;
  const counters = countersOf(withoutReadings(together(known), pages, readings));
  return isConsistent(counters) ? counters : undefined;
}

/** The sum of several counters (gateways on several hosts); undefined where one of them is not known. */
export function addCounters(each: readonly (Counters | undefined)[]): Counters | undefined {
  const known = each.filter((counters) => counters !== undefined);
  return known.length === 0 || known.length < each.length ? undefined : total(known);
}

type Counts = Readonly<Record<string, number>>;

/** What pages grew by; a name is missing where no page shows it, a record where no page is meant to. */
interface Growth {
  readonly values: Counts;
  readonly statuses: Counts | undefined;
  readonly logged: Counts | undefined;
}

function growthOf(page: CounterPage, before: string, after: string): Growth | undefined {
  const values = grownCounts(page.values ?? {}, before, after);
  const statuses = page.statuses && grownCounts(page.statuses, before, after);
  const logged = page.statusLines === undefined ? undefined : grownLog(page.statusLines, before, after);
  const contradictory = [values, statuses, logged].includes("contradictory");
  return contradictory ? undefined : ({ values, statuses, logged } as Growth);
}

/** By name, what an expression's matches add up to more than before. */
function grownCounts(
  expressions: Readonly<Partial<Record<string, string>>>,
  before: string,
  after: string,
): Counts | "contradictory" {
  const entries = Object.entries(expressions).map(([name, expression]) => {
    const [from, to] = [sumOfMatches(expression as string, before), sumOfMatches(expression as string, after)];
    return [name, difference(from, to, before)] as const;
  });
  if (entries.some(([, value]) => value === "contradictory")) return "contradictory";
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Counts;
}

/** A counter may appear with its first count (Prometheus), but not on a page that could not be read before. */
function difference(
  from: number | undefined,
  to: number | undefined,
  before: string,
): number | undefined | "contradictory" {
  if (from === undefined && to === undefined) return undefined;
  if (to === undefined || (from === undefined && before.trim() === "")) return "contradictory";
  const grew = to - (from ?? 0);
  return grew >= 0 ? grew : "contradictory";
}

function sumOfMatches(expression: string, text: string): number | undefined {
  const matches = capturesOf(expression, text);
  return matches.length === 0 ? undefined : matches.reduce((sum, capture) => sum + Number(capture), 0);
}

const capturesOf = (expression: string, text: string): readonly string[] =>
  [...text.matchAll(new RegExp(expression, "gm"))].map(([, capture]) => capture ?? "");

/** Lines of each status more than before. */
function grownLog(expression: string, before: string, after: string): Counts | "contradictory" {
  const [from, to] = [tally(capturesOf(expression, before)), tally(capturesOf(expression, after))];
  const entries = Object.keys({ ...from, ...to }).map((code) => [code, (to[code] ?? 0) - (from[code] ?? 0)] as const);
  // A log that became shorter was cut.
  if (entries.some(([, count]) => count < 0)) return "contradictory";
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}

function tally(codes: readonly string[]): Counts {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

function together(each: readonly Growth[]): Growth {
  return {
    values: addUp(each.map(({ values }) => values)),
    statuses: addUpKnown(each.map(({ statuses }) => statuses)),
    logged: addUpKnown(each.map(({ logged }) => logged)),
  };
}

function total(each: readonly Counters[]): Counters {
  const values = addUp(each.map(valuesOf));
  const statuses = addUpKnown(each.map((counters) => counters.statuses));
  return { ...values, ...(statuses ? { statuses } : {}) };
}

const counterNames: readonly CounterName[] = ["requests", "connections", "handshakes", "resumptions"];

const valuesOf = (counters: Counters): Counts =>
  Object.fromEntries(counterNames.flatMap((name) => (counters[name] === undefined ? [] : [[name, counters[name]]])));

function addUp(each: readonly Counts[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [name, value] of each.flatMap((counts) => Object.entries(counts))) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

function addUpKnown(each: readonly (Counts | undefined)[]): Counts | undefined {
  const known = each.filter((counts) => counts !== undefined);
  return known.length === 0 ? undefined : addUp(known);
}

function withoutReadings(growth: Growth, pages: readonly CounterPage[], readings: number): Growth {
  const added = (name: "requests" | "connections") =>
    readings * pages.reduce((sum, { adds }) => sum + (adds?.[name] ?? 0), 0);
  const good = ["200", "2xx"].find((status) => growth.statuses?.[status] !== undefined);
  return {
    values: less(less(growth.values, "requests", added("requests")), "connections", added("connections")),
    statuses: growth.statuses && good ? less(growth.statuses, good, added("requests")) : growth.statuses,
    logged: growth.logged,
  };
}

const less = (counts: Counts, name: string, amount: number): Counts =>
  counts[name] === undefined ? counts : { ...counts, [name]: counts[name] - amount };

function countersOf({ values, statuses, logged }: Growth): Counters {
  if (!statuses && !logged) return values;
  const counted = addUp([statuses ?? {}, logged ?? {}]);
  return { ...values, statuses: logged ? withGoodAnswers(counted, values.requests) : counted };
}

function withGoodAnswers(failed: Counts, requests: number | undefined): Counts {
  if (requests === undefined || Object.keys(failed).some((status) => status.startsWith("2"))) return failed;
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0);
  return { ...failed, "2xx": requests - failures };
}

function isConsistent(counters: Counters): boolean {
  const values = [...Object.values(valuesOf(counters)), ...Object.values(counters.statuses ?? {})];
  return values.every((value) => Number.isSafeInteger(value) && value >= 0);
}
