import { resultOf, type Figure, type Run } from "../contract";
import { mean, median } from "./statistics";

/** One figure of a cell, a value for each thing that was repeated. */
export interface Sample {
  /** In the order in which they were measured. */
  readonly values: readonly number[];
  /** What was repeated: runs of one deployment have in common what its memory and threads happened to be. */
  readonly unit: "run" | "deployment";
}

/** One figure of one run; null where the run does not state it. */
export function figureOf(run: Run, figure: Figure): number | null {
  const result = resultOf(run);
  if (figure === "tlsTps") return run.tlsTps ?? null;
  return (figure === "rps" ? result?.rps : result?.latencyMs.p99) ?? null;
}

/**
 * A figure of every run; none where one run does not state it.
 *
 * A figure of some of the runs would be one of the runs that went well.
 */
export function figuresOf(runs: readonly Run[], figure: Figure): readonly number[] {
  return allOrNone(runs.map((run) => figureOf(run, figure)));
}

export function allOrNone(values: readonly (number | null)[]): readonly number[] {
  const stated = values.filter((value) => value !== null);
  return stated.length === values.length ? stated : [];
}

/** A value for each deployment where there was more than one, else for each run. */
export function sampleOf(runs: readonly Run[], figure: Figure): Sample {
  const deployments = [...new Set(runs.map(({ deployment }) => deployment))];
  if (deployments.length < 2) return { values: figuresOf(runs, figure), unit: "run" };
  const middle = figure === "p99Ms" ? median : mean;
  const runsOf = (one: number | undefined) => runs.filter(({ deployment }) => deployment === one);
  const values = deployments.map((one) => middle(figuresOf(runsOf(one), figure)));
  return { values: allOrNone(values), unit: "deployment" };
}
