import { dirname, join } from "node:path";
import {
  describeCaveat,
  describeWarning,
  listed,
  rawFolder,
  resultOf,
  type Cell,
  type LoadResult,
  type Result,
  type Run,
  type RunFigure,
  type Warning,
} from "@gatebench/core";
import { commandAndNote } from "../by-hand";
import { wrapped, type Look } from "../look";
import { loadInWords } from "../rows";
import type { FoundRun } from "./found-run";
import { grouped } from "../counts-in-words";

/** Everything known of a run or a cell: what was asked and came out, each warning with its evidence and what to do. */
export function explanation({ cell, run }: FoundRun, result: Result, folder: string, look: Look): string {
  const facts = run ? runFacts(cell, run, folder) : cellFacts(cell, folder);
  return [
    look.colours.bold(run ? `run ${run.id} of ${cell.id}` : cell.id),
    ...[...facts, ...sharedFacts(cell, result)].flatMap(([name, text]) => factLines(name, text, look)),
    ...(run ? warningLines("seen in this run", run.warnings, look) : []),
    ...warningLines(run ? "said of its cell" : "said of it", cell.verdict.warnings, look),
  ].join("\n");
}

type Fact = readonly [name: string, text: string];

function runFacts({ benchmark }: Cell, run: Run, folder: string): readonly Fact[] {
  const raw = join(folder, rawFolder(benchmark, run));
  const deployed = run.deployment === undefined ? "" : `, deployment ${run.deployment}`;
  return [
    ["run", `${run.purpose}, number ${run.order} of its benchmark${deployed}, from ${run.startedAt} to ${run.endedAt}`],
    ["asked", loadInWords(run.asked)],
    ...outcomeFacts(run),
    ...(run.figures ?? []).map(promqlFact),
    ["raw output", `${raw}: ${listed(run.artifacts.map(({ path, bytes }) => `${path} (${bytes} bytes)`))}`],
    ["its command", run.command.join(" ")],
  ];
}

const promqlFact = (figure: RunFigure): Fact => [
  "by PromQL",
  "missing" in figure
    ? `${figure.name}: missing, ${figure.missing}`
    : `${figure.name} ${Number(figure.value.toPrecision(6))} ${figure.unit}`.trim(),
];

function outcomeFacts({ outcome, tlsTps }: Run): readonly Fact[] {
  if ("failure" in outcome) {
    const { code, message, excerpt } = outcome.failure;
    return [["failed", [`${code}: ${message}`, ...(excerpt === undefined ? [] : [excerpt])].join(" ")]];
  }
  const { result } = outcome;
  const handshakes = tlsTps === undefined ? [] : [`${grouped(tlsTps)} TLS TPS`];
  return [
    ["achieved", [`${grouped(result.rps)} RPS`, ...handshakes, ...countsInWords(result)].join(", ")],
    ...result.caveats.map((caveat): Fact => ["its tool", describeCaveat(caveat)]),
  ];
}

function countsInWords({
  latencyMs: { p50, p99 },
  responses,
  durationS,
  statuses,
  errors,
}: LoadResult): readonly string[] {
  const stated = (name: string, value: number | null) => (value === null ? [] : [`${name} ${value.toFixed(2)} ms`]);
  const counted = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([name, count]) => `${name}: ${grouped(count)}`);
  return [
    ...stated("P50", p50),
    ...stated("P99", p99),
    `${grouped(responses)} responses in ${durationS.toFixed(1)} s (${listed(counted(statuses))})`,
    `errors: ${Object.keys(errors).length > 0 ? listed(counted(errors)) : "none"}`,
  ];
}

function cellFacts(cell: Cell, folder: string): readonly Fact[] {
  const { verdict, runs, load, rps, p99Ms, tlsTps } = cell;
  const graded = ([name, value, grade]: readonly [string, number | null, string | null]) =>
    value === null ? [] : [`${name} ${value < 100 ? value.toFixed(2) : grouped(value)} (${grade ?? "not asked for"})`];
  const figures = [
    ["RPS", rps, verdict.rps],
    ["P99 ms", p99Ms, verdict.p99Ms],
    ["TLS TPS", tlsTps, verdict.tlsTps],
  ] as const;
  return [
    ["asked", loadInWords(load)],
    ["figures", figures.flatMap(graded).join(", ")],
    ["runs", listed(runs.map((run) => `${run.id} (${run.purpose}${resultOf(run) ? "" : ", failed"})`))],
    ["raw output", listed([...new Set(runs.map((run) => join(folder, dirname(rawFolder(cell.benchmark, run)))))])],
  ];
}

function sharedFacts(cell: Cell, { gatebench, engine, machine }: Result): readonly Fact[] {
  const { observatory, gateway, gatewayVersion, generator, generatorVersion, size, upstream } = cell;
  const { command, note } = commandAndNote(cell.byHand);
  return [
    [
      "versions",
      `${gateway} ${gatewayVersion ?? "(nothing is started)"}, ${generator} ${generatorVersion}, upstream ${upstream}, gatebench ${gatebench}, ${engine}`,
    ],
    ["machine", `${size.name}, ${size.workers} workers; run from ${machine.cpu}, ${machine.cpus} CPUs, ${machine.os}`],
    ...(observatory ? ([["observatory", `beside it, scraped every ${observatory.scrapeIntervalS} s`]] as const) : []),
    ["by hand", note === undefined ? command : `${command}   (${note})`],
  ];
}

const nameWidth = 13;

const factLines = (name: string, text: string, { columns }: Look): readonly string[] =>
  wrapped(text, columns, `  ${name.padEnd(nameWidth)}`);

/** What was seen, which figures it keeps from being better than what, and what to do about it. */
function warningLines(title: string, warnings: readonly Warning[], look: Look): readonly string[] {
  if (warnings.length === 0) return [`${title}: nothing`];
  return [title, ...warnings.flatMap((seen) => oneWarning(seen, look))];
}

function oneWarning(seen: Warning, { columns, colours }: Look): readonly string[] {
  const evidence = Object.entries(seen.evidence).map(
    ([name, value]) => `${name} ${typeof value === "number" ? Number(value.toPrecision(4)) : String(value)}`,
  );
  const effect =
    seen.cap === "sound"
      ? "lowers no figure"
      : `${listed(seen.figures)} ${seen.cap === "invalid" ? "invalid" : "at most indicative"}`;
  return [
    `  ${colours.bold(seen.code)}: ${effect}`,
    ...wrapped(describeWarning(seen), columns, "    "),
    ...wrapped(`evidence: ${evidence.join(", ")}`, columns, "    ").map((line) => colours.dim(line)),
  ];
}
