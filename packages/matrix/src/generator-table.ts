import Table from "cli-table3";
import { describeCaveat, resultOf, type Cell, type LoadResult, type Result, type Run } from "@gatebench/core";
import { plainBorders } from "./terminal-tables";
import { lookOf, wrapped, type Look } from "./look";
import { grouped } from "./counts-in-words";

/** What one generator said of a load, beside what the server said. */
export interface GeneratorRow {
  readonly generator: string;
  readonly version: string;
  /** Received, of all measured runs. */
  readonly responses: number;
  /** As the server counted them; undefined where it did not. */
  readonly counted: number | undefined;
  readonly rps: number | null;
  readonly p99Ms: number | null;
  /** What its latency is made of. */
  readonly basis: string;
  readonly cpuSPer10k: number | undefined;
  readonly caveats: readonly LoadResult["caveats"][number][];
}

interface Measured {
  readonly run: Run;
  readonly result: LoadResult;
}

/** One row for each generator that gave figures. */
export function generatorRows({ cells }: Result): readonly GeneratorRow[] {
  return cells.flatMap((cell) => {
    const measured = cell.runs.flatMap(measuredOf);
    return measured.length === 0 ? [] : [rowOf(cell, measured)];
  });
}

function measuredOf(run: Run): readonly Measured[] {
  const result = resultOf(run);
  return result && run.purpose === "measure" ? [{ run, result }] : [];
}

function rowOf(cell: Cell, measured: readonly Measured[]): GeneratorRow {
  const responses = sum(measured.map(({ result }) => result.responses));
  const counted = measured.map(({ run }) => run.counters?.upstream?.requests);
  const { latencyBasis } = (measured[0] as Measured).result;
  return {
    generator: cell.generator,
    version: cell.generatorVersion,
    responses,
    counted: counted.every((count) => count !== undefined) ? sum(counted) : undefined,
    rps: cell.rps,
    p99Ms: cell.p99Ms,
    basis: basisInWords(latencyBasis),
    cpuSPer10k: cpuSPer10k(measured),
    caveats: [...new Set(measured.flatMap(({ result }) => result.caveats))],
  };
}

/** "connect + TLS, responses, backfill": what is inside, of whom, and what is done about requests not sent. */
function basisInWords({ includes, population, omission }: LoadResult["latencyBasis"]): string {
  const inside = [includes.queue && "queue", includes.connect && "connect", includes.tls && "TLS"].filter(Boolean);
  return [inside.join(" + ") || "request only", population, ...(omission === "none" ? [] : [omission])].join(", ");
}

function cpuSPer10k(measured: readonly Measured[]): number | undefined {
  const used = measured.flatMap(({ run }) => run.hosts.flatMap(({ workloads }) => workloads));
  const cpuS = sum(used.filter(({ role }) => role === "generator").map((workload) => workload.cpuS));
  const responses = sum(measured.map(({ result }) => result.responses));
  return cpuS > 0 && responses > 0 ? (cpuS / responses) * 10_000 : undefined;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const columns = [
  "generator",
  "responses",
  "server counted",
  "difference",
  "RPS",
  "P99 ms",
  "CPU s/10k",
  "its latency",
] as const;

/** The table as people read it in a terminal, and how to read it. */
export function generatorTable(result: Result, look: Look = lookOf(process.stdout)): string {
  const rows = generatorRows(result);
  const table = new Table({
    head: [...columns],
    colAligns: columns.map((name) => (name === "generator" || name === "its latency" ? "left" : "right")),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    chars: plainBorders,
  });
  for (const row of rows) table.push(textsOf(row));
  return [
    look.colours.bold("the same target, each generator in turn"),
    table.toString(),
    ...notes(rows, look),
    ...skippedLines(result, look),
  ].join("\n");
}

function textsOf({
  generator,
  version,
  responses,
  counted,
  rps,
  p99Ms,
  cpuSPer10k: cpuS,
  basis,
}: GeneratorRow): string[] {
  const stated = (value: number | null | undefined, digits: number) => (value == null ? "–" : value.toFixed(digits));
  return [
    `${generator} ${version}`,
    grouped(responses),
    counted === undefined ? "–" : grouped(counted),
    counted === undefined ? "–" : String(responses - counted),
    rps === null ? "–" : grouped(rps),
    stated(p99Ms, 2),
    stated(cpuS, 3),
    basis,
  ];
}

const reading =
  "The server is one and the same: what differs is the generator. The difference of counts is what was in flight when each run stopped. Where each goes as fast as it can, an RPS below the highest is the generator's own ceiling. Latencies may only be compared where they are made of the same.";

function notes(rows: readonly GeneratorRow[], { columns: width, colours }: Look): readonly string[] {
  const told = rows.flatMap(({ generator, caveats }) =>
    caveats.map((caveat) => `${generator}: ${describeCaveat(caveat)}`),
  );
  return [reading, ...told].flatMap((text) => wrapped(text, width).map((line) => colours.dim(line)));
}

function skippedLines({ skipped }: Result, { columns: width }: Look): readonly string[] {
  return skipped.flatMap(({ generator, reason }) => wrapped(`not run: ${generator}: ${reason}`, width));
}
