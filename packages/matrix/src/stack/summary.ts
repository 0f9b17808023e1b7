import * as pulumi from "@pulumi/pulumi";
import type { Benchmark, Cell, Verdict } from "@gatebench/core";
import { measuredRow, type LoadTestRow } from "./load-test-row";
import { loadTestTable } from "./load-test-table";
import type { Part } from "./parts";
import type { Preset } from "./preset";

/** A part and the benchmark it became. */
export interface Measured {
  readonly part: Part;
  readonly benchmark: Benchmark;
}

/** The figures of each part, users' tests in a table, then what was published, and in what the two differ. */
export function summaryOf(measured: readonly Measured[], preset: Preset | undefined): pulumi.Output<string> {
  const summaries = pulumi.all(measured.map(({ benchmark }) => benchmark.summary));
  const tests = pulumi.all(measured.map(({ benchmark }) => benchmark.cells.apply(rowsOf)));
  return pulumi.all([summaries, tests]).apply(([texts, rows]) => {
    const sections = eachSaidOnce(texts).map((text, index) => `${measured[index]?.part.label}\n${text}`);
    return [...sections, ...testsText(rows.flat(), preset), ...(preset ? [publishedText(preset)] : [])].join("\n\n");
  });
}

const rowsOf = (cells: Readonly<Record<string, Cell>>): LoadTestRow[] =>
  Object.values(cells).flatMap((cell) => measuredRow(cell) ?? []);

/** What was published of these loads and others, beside what was measured. */
function testsText(measured: readonly LoadTestRow[], preset: Preset | undefined): readonly string[] {
  const rows = [...(preset?.published.tests ?? []), ...measured];
  return rows.length > 0 ? [loadTestTable(rows)] : [];
}

/** What Prometheus said of each measured run, by benchmark and target: a value or why there is none, with its query. */
export const queriedOf = (measured: readonly Measured[]) =>
  Object.fromEntries(
    measured.map(({ part, benchmark }) => [
      part.name,
      benchmark.cells.apply((cells) =>
        Object.fromEntries(
          Object.entries(cells).map(([target, { runs }]) => [
            target,
            runs.flatMap(({ purpose, figures }) => (purpose === "measure" && figures ? [figures] : [])),
          ]),
        ),
      ),
    ]),
  );

/** A warning, as summaries of benchmarks write it: whose, its code, its sentence. */
const warningLine = /^ {2}(\S+: \S+): /;

/** What a part warns about in the very words of one before it is named there, and not said again. */
function eachSaidOnce(summaries: readonly string[]): readonly string[] {
  const said = new Set<string>();
  return summaries.map((summary) => {
    const lines = summary.split("\n");
    const again = lines.filter((line) => warningLine.test(line) && said.has(line));
    for (const line of lines) said.add(line);
    const named = again.map((line) => warningLine.exec(line)?.[1]).join(", ");
    return [...lines.filter((line) => !again.includes(line)), ...(named ? [`  as above: ${named}`] : [])].join("\n");
  });
}

function publishedText({ published: { rps, p99Ms, tlsTps, note }, differsIn }: Preset): string {
  const figures = [
    ...(rps === undefined ? [] : [`${rps.toLocaleString("en-US")} RPS`]),
    ...(p99Ms === undefined ? [] : [`P99 ${p99Ms} ms`]),
    ...(tlsTps === undefined ? [] : [`${tlsTps.toLocaleString("en-US")} TLS transactions a second`]),
    ...(note === undefined ? [] : [note]),
  ];
  return `published: ${figures.join(", ")}\ndiffers from the published test in: ${differsIn.join("; ")}`;
}

/** The rate is that of the long runs; the P99 that of the runs whose latencies were all kept. */
export function figuresOf(measured: readonly Measured[]) {
  const main = (measured[0] as Measured).benchmark;
  const latency = (measured.find(({ part }) => part.name === "short") ?? (measured[0] as Measured)).benchmark;
  const verdict = pulumi
    .all([main.verdict, latency.verdict])
    .apply(([whole, short]): Verdict => ({ ...whole, p99Ms: short.p99Ms, warnings: warningsOf(whole, short) }));
  return { rps: main.rps, p99Ms: latency.p99Ms, tlsTps: main.tlsTps, verdict };
}

/** Of each only what touches the figures taken from it, once where both say the same. */
function warningsOf(whole: Verdict, short: Verdict): Verdict["warnings"] {
  if (whole === short) return whole.warnings;
  const all = [
    ...whole.warnings.filter(({ figures }) => figures.some((figure) => figure !== "p99Ms")),
    ...short.warnings.filter(({ figures }) => figures.includes("p99Ms")),
  ];
  return [...new Map(all.map((seen) => [JSON.stringify(seen), seen])).values()];
}
