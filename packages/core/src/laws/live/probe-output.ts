import {
  FaultError,
  fault,
  type CountersProbe,
  type HttpObservation,
  type HttpProbe,
  type HttpResponse,
  type JobOutput,
  type Observation,
  type Observations,
  type PauseProbe,
  type Probe,
} from "../../contract";
import { readCounters } from "./counter-page";
import { numbered } from "./curl-config";
import { readHandshakes } from "./handshake";
import { firstLine, lastLine } from "./probe-script";

type Reporting = Exclude<Probe, PauseProbe>;

/** What the job of these probes found. Throws on anything it does not fully understand. */
export function readObservations(output: JobOutput, probes: readonly Probe[]): Observations {
  const reporting = probes.filter((probe): probe is Reporting => probe.kind !== "pause");
  if (output.exitCode !== 0) throw unparsed(`the probes ended with ${output.exitCode ?? "a signal"}: ${output.stderr}`);
  const reports = reportsOf(output.stdout, reporting);
  return Object.fromEntries(reporting.map((probe, index) => [probe.name, observation(probe, reports[index] ?? [])]));
}

/** The lines of each probe, whose names stand in the order they were asked in. */
function reportsOf(stdout: string, probes: readonly Reporting[]): readonly (readonly string[])[] {
  const [first, ...lines] = stdout.split("\n");
  if (first !== firstLine) throw unparsed(`the first line is ${JSON.stringify(first)}, not "${firstLine}"`);
  if (lines.pop() !== "" || lines.pop() !== lastLine(probes.length)) throw unparsed("it was cut short");
  const starts = probes.map(({ name }) => lines.indexOf(`probe ${name}`));
  if (starts[0] !== (probes.length ? 0 : undefined) || lines.filter(isStart).length !== probes.length)
    throw unparsed("it is not about the probes that were asked for");
  return probes.map(({ name }, index) => reportBetween(lines, name, starts[index], starts[index + 1]));
}

const isStart = (line: string) => line.startsWith("probe ");

function reportBetween(lines: readonly string[], name: string, from = -1, to = lines.length): readonly string[] {
  if (from < 0 || to <= from) throw unparsed(`probe ${name} is missing or out of order`);
  return lines.slice(from + 1, to);
}

function observation(probe: Reporting, lines: readonly string[]): Observation {
  if (probe.kind === "http") return httpObservation(probe, lines);
  return probe.kind === "tls" ? readHandshakes(probe, lines, unparsed) : countersObservation(probe, lines);
}

interface Transfer {
  readonly exit: number;
  readonly answers: { readonly status: number; readonly bytes: number; readonly seconds: number }[];
  readonly headers: Record<string, string>[];
  readonly hashes: Map<string, string>;
}

function httpObservation(probe: HttpProbe, lines: readonly string[]): HttpObservation {
  const transfers = transfersOf(probe.name, lines);
  if (transfers.length !== probe.connections)
    throw unparsed(`probe ${probe.name} had ${transfers.length} of ${probe.connections} connections`);
  const failures = transfers.flatMap((transfer) => failure(probe, transfer) ?? []);
  return {
    kind: "http",
    responses: transfers.flatMap((transfer) => responses(probe, transfer)),
    elapsedS: Math.max(...transfers.map(({ answers }) => answers.reduce((sum, { seconds }) => sum + seconds, 0))),
    ...(failures[0] === undefined ? {} : { error: failures[0] }),
  };
}

function transfersOf(name: string, lines: readonly string[]): readonly Transfer[] {
  const transfers: Transfer[] = [];
  for (const line of lines) {
    const [, exit] = /^curl (\d+)$/.exec(line) ?? [];
    if (exit !== undefined) transfers.push({ exit: Number(exit), answers: [], headers: [], hashes: new Map() });
    else if (!read(transfers.at(-1), line)) throw unparsed(`probe ${name} has the line ${JSON.stringify(line)}`);
  }
  return transfers;
}

/** Takes in one line of a transfer; false where it is none. */
function read(transfer: Transfer | undefined, line: string): boolean {
  return transfer !== undefined && [readAnswer, readHash, readHeader].some((reads) => reads(transfer, line));
}

function readAnswer({ answers }: Transfer, line: string): boolean {
  const [, status, bytes, seconds] = /^answer (\d{3}) (\d+) \d+ (\d+\.\d+)$/.exec(line) ?? [];
  return (
    status !== undefined && answers.push({ status: Number(status), bytes: Number(bytes), seconds: Number(seconds) }) > 0
  );
}

function readHash({ hashes }: Transfer, line: string): boolean {
  const [, hash, number] = /^([0-9a-f]{64}) [ *]body-(\d+)$/.exec(line) ?? [];
  return hash !== undefined && hashes.set(number as string, hash).size > 0;
}

/** Each answer's headers begin with its status line; those of interim answers (1xx) are not kept. */
function readHeader({ headers }: Transfer, line: string): boolean {
  const [, status, name, value] = /^told (?:http\/\S+ (\d{3}).*|([^:\s]+):\s*(.*))$/.exec(line) ?? [];
  if (status !== undefined) return headers.push({}) > 0 && (!status.startsWith("1") || headers.pop() !== undefined);
  const last = headers.at(-1);
  if (name === undefined || last === undefined) return false;
  last[name] = value ?? "";
  return true;
}

/** The complete answers: where curl failed, the last one is what it failed with. */
function responses(probe: HttpProbe, transfer: Transfer): readonly HttpResponse[] {
  const complete = completeAnswers(probe, transfer);
  if (probe.headers && transfer.headers.length < complete.length)
    throw unparsed(`probe ${probe.name} has ${complete.length} answers, but headers of ${transfer.headers.length}`);
  return complete.map(({ status, bytes }, index) => ({
    status,
    headers: transfer.headers[index] ?? {},
    bodyBytes: bytes,
    ...(probe.bodies ? { bodySha256: hashOf(probe.name, transfer, index) } : {}),
  }));
}

function completeAnswers(probe: HttpProbe, { exit, answers }: Transfer): Transfer["answers"] {
  const asked = probe.requests.length * probe.times;
  if (answers.length > asked || (exit === 0 && answers.length < asked))
    throw unparsed(`probe ${probe.name} has ${answers.length} answers to ${asked} requests`);
  return exit === 0 || isCut(exit) ? answers : answers.slice(0, -1);
}

const emptySha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

function hashOf(name: string, { answers, hashes }: Transfer, index: number): string {
  const hash = hashes.get(numbered(index)) ?? (answers[index]?.bytes === 0 ? emptySha256 : undefined);
  if (hash === undefined) throw unparsed(`probe ${name} has no hash of body ${index + 1}`);
  return hash;
}

/** Killed by `timeout`, so curl said nothing about the answer it was waiting for. */
const isCut = (exit: number) => exit === 124 || exit === 143;

const curlErrors: Readonly<Record<number, string>> = {
  6: "the host has no address",
  7: "no connection",
  18: "the body was cut short",
  28: "too late",
  35: "no TLS handshake",
  52: "closed without an answer",
  56: "the connection was reset",
};

function failure(probe: HttpProbe, transfer: Transfer): string | undefined {
  const { exit } = transfer;
  if (exit === 0) return undefined;
  if (exit === 126 || exit === 127) throw unparsed("curl is missing where the load comes from");
  const why = isCut(exit) ? "too late" : (curlErrors[exit] ?? "see its manual");
  const asked = probe.requests.length * probe.times;
  return `curl ended with ${exit} (${why}) after ${completeAnswers(probe, transfer).length} of ${asked} answers`;
}

function countersObservation(probe: CountersProbe, lines: readonly string[]): Observation {
  const [, exit] = /^curl (\d+)$/.exec(lines[0] ?? "") ?? [];
  if (exit === undefined) throw unparsed(`probe ${probe.name} does not say how curl ended`);
  if (exit !== "0")
    return { kind: "counters", counted: {}, error: `curl ended with ${exit} while it read the counters` };
  return { kind: "counters", counted: readCounters(probe.sources, pageTexts(probe, lines.slice(1))) };
}

function pageTexts({ name, sources }: CountersProbe, lines: readonly string[]): readonly string[] {
  const texts: string[][] = [];
  for (const line of lines) {
    if (line === `page-${numbered(texts.length)}`) texts.push([]);
    else if (!line.startsWith("told ") || texts.at(-1)?.push(line.slice(5)) === undefined)
      throw unparsed(`probe ${name} has the line ${JSON.stringify(line)}`);
  }
  const asked = sources.flatMap(({ pages }) => pages).length;
  if (texts.length !== asked) throw unparsed(`probe ${name} has ${texts.length} of ${asked} pages`);
  return texts.map((text) => text.join("\n"));
}

function unparsed(what: string): FaultError {
  return new FaultError([fault("unparsed-output", `the answers to the probes cannot be read: ${what}.`)]);
}
