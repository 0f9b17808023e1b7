import {
  expectedResponses,
  unstatedLatency,
  type Asked,
  type Caveat,
  type JobOutput,
  type Latency,
  type LatencyBasis,
  type LoadResult,
} from "@gatebench/core/contract";
import { refuseFailed } from "../unparsed-output";
import { checkAsked, checkReport, checkText, runtimeUs } from "./consistency";
import { checkDone } from "./done-lines";
import type { Errors } from "./figures";
import { readReport, separate, type WrkReport } from "./report";
import { readText, type WrkText } from "./text";

/** Reads wrk's output: with our script's figures in full, or as a person pasted it, rounded. */
export function parseWrk(output: JobOutput, asked?: Asked): LoadResult {
  refuseFailed("wrk", output);
  const { text: theirs, own, said } = separate(output.stdout);
  const text = readText(theirs);
  checkText(text);
  checkDone(said, text);
  const report = own.length === 0 ? undefined : readReport(own);
  if (report !== undefined) checkReport(report, text);
  const durationS = (report?.durationUs ?? runtimeUs(text)) / 1e6;
  if (asked !== undefined) checkAsked(text, durationS, asked);
  return result(text, report, durationS, asked?.expect);
}

function result(
  text: WrkText,
  report: WrkReport | undefined,
  durationS: number,
  expect?: readonly number[],
): LoadResult {
  const statuses = report?.statuses ?? classes(text);
  return {
    tool: { name: "wrk" },
    durationS,
    responses: text.requests,
    statuses,
    errors: transportErrors(text.errors),
    // A connection that fails at the start is never tried again.
    ...(text.errors.connect > 0 ? { connectionsMissing: text.errors.connect } : {}),
    rps: expectedResponses(statuses, expect) / durationS,
    attemptsPerS: text.ratePerS.value,
    latencyMs: report === undefined ? roundedLatency(text) : exactLatency(report, text.timed),
    latencyBasis: basis(text, report),
    ...(report === undefined ? {} : exactOnly(report)),
    caveats: caveats(text, report),
  };
}

/** wrk counts answers above 399, and calls them non-2xx-or-3xx. */
function classes({ requests, errors: { status } }: WrkText): Readonly<Record<string, number>> {
  return without0({ "2xx-3xx": requests - status, "4xx-5xx": status });
}

const transportErrors = ({ connect, read, write, timeout }: Errors) => without0({ connect, read, write, timeout });

function exactOnly({ bytes, histogram }: WrkReport): Pick<LoadResult, "bytes" | "histogram"> {
  return {
    bytes: { value: bytes, kind: "headers+body" },
    ...(histogram === null ? {} : { histogram: { unit: "us", counts: histogram } }),
  };
}

function exactLatency({ latencyUs }: WrkReport, timed: boolean): Latency {
  if (!timed) return unstatedLatency;
  const { min, ...others } = latencyUs;
  return { min: min === null ? null : ms(min), ...inMs(others) };
}

function roundedLatency({ timed, meanUs, stdevUs, maxUs, percentilesUs }: WrkText): Latency {
  if (!timed) return unstatedLatency;
  const stated = { mean: meanUs, stdev: stdevUs, max: maxUs, ...percentilesUs };
  const us = Object.fromEntries(Object.entries(stated).map(([name, { value }]) => [name, value]));
  return { ...unstatedLatency, ...inMs(us) };
}

function inMs<Name extends string>(us: Readonly<Record<Name, number>>): Record<Name, number> {
  return Object.fromEntries(Object.entries<number>(us).map(([name, value]) => [name, ms(value)])) as never;
}

/** Milliseconds to the nanosecond: wrk's means have three digits after the microsecond. */
const ms = (us: number) => Number((us / 1e3).toFixed(6));

/** wrk starts its clock when the connection stands, and fills up what it could not send (`stats_correct` in wrk.c). */
function basis(text: WrkText, report: WrkReport | undefined): LatencyBasis {
  return {
    includes: { queue: false, connect: false, tls: false },
    population: "responses",
    omission: "backfill",
    resolutionMs: report === undefined ? textResolutionMs(text) : 0.001,
    samples: report === undefined ? (text.timed ? null : 0) : report.samples,
  };
}

/** The last digit of the coarsest figure: 433.00us and 3.24ms stand side by side. */
function textResolutionMs({ meanUs, stdevUs, maxUs, percentilesUs }: WrkText): number {
  const coarsest = Math.max(...[meanUs, stdevUs, maxUs, ...Object.values(percentilesUs)].map(({ within }) => within));
  // Half a last digit, and at least the microsecond wrk counts in.
  return Math.max(0.001, Number(((coarsest * 2) / 1e3).toPrecision(2)));
}

function caveats(text: WrkText, report: WrkReport | undefined): Caveat[] {
  const found: readonly (Caveat | false)[] = [
    !report?.statuses && "classes-only",
    report === undefined && "resolution",
    (report?.samples ?? 0) > text.requests && "backfilled",
    text.errors.timeout > 0 && "late-responses-uncounted",
    text.connections % text.threads !== 0 && "floored-connections",
    !text.timed && "no-samples",
  ];
  return found.filter((caveat) => caveat !== false);
}

function without0(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
