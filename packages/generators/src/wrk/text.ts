import { Lines } from "../lines";
import { unparsed } from "../unparsed-output";
import { roundedBytes, roundedNumber, roundedUs, type Errors, type Rounded } from "./figures";

/** What wrk prints by itself. */
export interface WrkText {
  readonly threads: number;
  readonly connections: number;
  /** The duration asked for, as the heading states it: "90s" becomes "2m". */
  readonly askedS: Rounded;
  /** Where there is nothing to make a mean of, wrk prints zeros and `-nan`. */
  readonly timed: boolean;
  readonly meanUs: Rounded;
  readonly stdevUs: Rounded;
  readonly maxUs: Rounded;
  readonly percentilesUs: Readonly<Record<string, Rounded>>;
  readonly requests: number;
  readonly durationUs: Rounded;
  readonly bytes: Rounded;
  readonly errors: Errors;
  readonly ratePerS: Rounded;
  readonly bytesPerS: Rounded;
}

const time = "\\d+\\.\\d\\d(?:us|ms|s|m|h)";
const amount = "\\d+\\.\\d\\d[kMGT]?";
const share = "-?nan%|\\d+\\.\\d\\d%";
const bytes = "\\d+\\.\\d\\d[KMGT]?B";
const line = (form: string) => new RegExp(`^${form}$`);

const forms = {
  heading: line("Running (?<duration>\\d+)(?<unit>[smh]) test @ \\S+"),
  crew: line("(?<threads>\\d+) threads and (?<connections>\\d+) connections"),
  columns: line("Thread Stats Avg Stdev Max \\+/- Stdev"),
  latency: line(`Latency (?<mean>${time}) (?<stdev>${time}) (?<max>${time}) (?<share>${share})`),
  perThread: line(`Req/Sec ${amount} ${amount} ${amount} (?:${share})`),
  distribution: line("Latency Distribution"),
  requests: line(`(?<requests>\\d+) requests in (?<duration>${time}), (?<bytes>${bytes}) read`),
  socketErrors: line(
    "Socket errors: connect (?<connect>\\d+), read (?<read>\\d+), write (?<write>\\d+), timeout (?<timeout>\\d+)",
  ),
  badStatuses: line("Non-2xx or 3xx responses: (?<status>\\d+)"),
  rate: line("Requests/sec: (?<rate>\\d+\\.\\d\\d)"),
  transfer: line(`Transfer/sec: (?<bytes>${bytes})`),
};
const percentile = (of: number) => line(`${of}% (?<time>${time})`);

/** Whether a line may be one of wrk's own. */
export function isLineOfWrk(text: string): boolean {
  const trimmed = text.replace(/\s+/g, " ").trim();
  return [...Object.values(forms), percentile(50), percentile(75), percentile(90), percentile(99)].some((form) =>
    form.test(trimmed),
  );
}

const secondsIn: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Reads wrk's text; throws on a line that is missing or too much. */
export function readText(text: string): WrkText {
  const lines = new Lines("wrk", text);
  const read = { ...heading(lines), ...latency(lines), ...totals(lines) };
  lines.end();
  return read;
}

function heading(lines: Lines) {
  const { duration, unit = "" } = lines.next(forms.heading);
  const { threads, connections } = lines.next(forms.crew);
  const size = secondsIn[unit] as number;
  const askedS = { value: Number(duration) * size, within: size === 1 ? 0 : size / 2 };
  return { askedS, threads: Number(threads), connections: Number(connections) };
}

function latency(lines: Lines) {
  lines.next(forms.columns);
  const { mean = "", stdev = "", max = "", share: withinStdev = "" } = lines.next(forms.latency);
  lines.next(forms.perThread);
  const timed = !withinStdev.includes("nan");
  const times = { meanUs: roundedUs(mean), stdevUs: roundedUs(stdev), maxUs: roundedUs(max) };
  return { timed, ...times, percentilesUs: distribution(lines) };
}

function distribution(lines: Lines): Readonly<Record<string, Rounded>> {
  // Without the option, or cut out: nothing tells, so neither is read.
  if (lines.maybe(forms.distribution) === undefined)
    unparsed("wrk", "no latency distribution; run wrk with --latency", "");
  const of = (percent: number) => [`p${percent}`, roundedUs(lines.next(percentile(percent)).time ?? "")] as const;
  return Object.fromEntries([of(50), of(75), of(90), of(99)]);
}

function totals(lines: Lines) {
  const counted = lines.next(forms.requests);
  const errors = errorsOf(lines);
  return {
    requests: Number(counted.requests),
    durationUs: roundedUs(counted.duration ?? ""),
    bytes: roundedBytes(counted.bytes ?? ""),
    errors,
    ratePerS: roundedNumber(lines.next(forms.rate).rate ?? ""),
    bytesPerS: roundedBytes(lines.next(forms.transfer).bytes ?? ""),
  };
}

function errorsOf(lines: Lines): Errors {
  const { connect = 0, read = 0, write = 0, timeout = 0 } = lines.maybe(forms.socketErrors) ?? {};
  const { status = 0 } = lines.maybe(forms.badStatuses) ?? {};
  const count = (value: string | number) => Number(value);
  const sockets = { connect: count(connect), read: count(read), write: count(write), timeout: count(timeout) };
  return { ...sockets, status: count(status) };
}
