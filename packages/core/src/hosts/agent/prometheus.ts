import { rangeOf } from "../../contract/figure-query";
import type { RawSample, RawSeries } from "../../measure/raw-series";
import type { ObservatoryOrder } from "../job-record";
import { ask } from "./http";

/** Prometheus' answer to a query, its HTTP API's format. */
interface Answer {
  readonly status: "success" | "error";
  readonly error?: string;
  readonly data?: { readonly resultType: string; readonly result: unknown };
}
type Point = readonly [atS: number, value: string];
interface Row {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: Point;
  readonly values?: readonly Point[];
}

type At = Pick<ObservatoryOrder, "host" | "port">;

/** The raw samples of a selector in the time before a moment of Prometheus' clock, as they were scraped. */
export const rawSamples = (at: At, selector: string, endMs: number, lengthMs: number): Promise<readonly RawSeries[]> =>
  query(at, "query", { query: `${selector}[${rangeOf(lengthMs)}]`, time: seconds(endMs) });

/** An expression, evaluated at a moment. Default: now, by Prometheus' clock. */
export const valuesAt = (at: At, expression: string, atMs?: number): Promise<readonly RawSeries[]> =>
  query(at, "query", { query: expression, ...(atMs === undefined ? {} : { time: seconds(atMs) }) });

/** An expression, evaluated from one moment to another, a step apart. */
export const valuesOver = (
  at: At,
  expression: string,
  startMs: number,
  endMs: number,
  stepS: number,
): Promise<readonly RawSeries[]> =>
  query(at, "query_range", { query: expression, start: seconds(startMs), end: seconds(endMs), step: `${stepS}` });

/** What Prometheus' clock shows, milliseconds since 1970. */
export async function clockOf(at: At): Promise<number> {
  const [now] = await valuesAt(at, "time()");
  return now?.samples[0]?.[0] ?? NaN;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

async function query(
  at: At,
  what: string,
  parameters: Readonly<Record<string, string>>,
): Promise<readonly RawSeries[]> {
  const { data } = await answerOf(at, what, parameters);
  if (data?.resultType === "scalar") return [{ labels: {}, samples: [sampleOf(data.result as Point)] }];
  return (data?.result as readonly Row[]).map(({ metric, value, values = value ? [value] : [] }) => ({
    labels: metric,
    samples: values.map(sampleOf),
  }));
}

async function answerOf(
  { host, port }: At,
  what: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Answer> {
  const path = `/api/v1/${what}?${new URLSearchParams(parameters).toString()}`;
  const { status, body } = await ask("http", host, port, { method: "GET", path, headers: {} }).catch(
    ({ message }: Error) => Promise.reject(new Error(`Prometheus does not answer: ${message}`)),
  );
  const answer = parsed(body);
  if (answer === undefined) throw new Error(`Prometheus answered ${status}, and nothing that can be read`);
  if (answer.status !== "success") throw new Error(`Prometheus refused the query: ${answer.error ?? status}`);
  return answer;
}

function parsed(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

const sampleOf = ([atS, value]: Point): RawSample => [Math.round(atS * 1000), numberOf(value)];

/** Prometheus writes "+Inf" where JavaScript reads "Infinity". */
const numberOf = (text: string): number => Number(text.replace(/Inf$/, "Infinity"));
