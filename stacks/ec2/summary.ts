import * as pulumi from "@pulumi/pulumi";
import type { Benchmark, Verdict } from "@gatebench/core";
import type { Part } from "./parts";
import type { Preset } from "./presets";

/** A part and the benchmark it became. */
export interface Measured {
  readonly part: Part;
  readonly benchmark: Benchmark;
}

/** The figures of each part, then what was published, and in what the two differ. */
export function summaryOf(measured: readonly Measured[], preset: Preset | undefined): pulumi.Output<string> {
  const sections = measured.map(({ part, benchmark }) => pulumi.interpolate`${part.label}\n${benchmark.summary}`);
  return pulumi.all([...sections, ...(preset ? [publishedText(preset)] : [])]).apply((texts) => texts.join("\n\n"));
}

function publishedText({ published: { rps, p99Ms, note }, differsIn }: Preset): string {
  const figures = [
    ...(rps === undefined ? [] : [`${rps.toLocaleString("en-US")} RPS`]),
    ...(p99Ms === undefined ? [] : [`P99 ${p99Ms} ms`]),
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

/** Of each only what touches the figures taken from it. */
function warningsOf(whole: Verdict, short: Verdict): Verdict["warnings"] {
  if (whole === short) return whole.warnings;
  return [
    ...whole.warnings.filter(({ figures }) => figures.some((figure) => figure !== "p99Ms")),
    ...short.warnings.filter(({ figures }) => figures.includes("p99Ms")),
  ];
}
