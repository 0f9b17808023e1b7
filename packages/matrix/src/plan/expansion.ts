import type { GatewayAdapter, GeneratorAdapter, Load, Scenario } from "@gatebench/core";
import type { FileFault, Place } from "../matrix-file/matrix";

/** One gateway set up for one scenario, as one row of a benchmark. */
export interface PlannedTarget {
  /** Names its row, its workloads and its raw output. */
  readonly name: string;
  readonly adapter: GatewayAdapter;
  readonly scenario: Scenario;
}

/** Targets that are measured in the same rounds, with the same generator, load and upstream. */
export interface PlannedBenchmark {
  readonly name: string;
  readonly generator: GeneratorAdapter;
  /** Hosts given for its workers: none where it has none. */
  readonly workers: number;
  readonly load: Load;
  /** What all its targets share: scheme, TLS, upstream and request. */
  readonly base: Scenario;
  /** The path without a gateway first. */
  readonly targets: readonly PlannedTarget[];
}

/** One point of a matrix, before anything is created. */
export interface PlannedCell {
  /** What was asked for, hashed behind words that tell it: the same in every matrix that asks the same. */
  readonly id: string;
  readonly gateway: string;
  readonly scenario: string;
  readonly generator: string;
  /** The load's short name. */
  readonly load: string;
  readonly size: string;
  readonly topology: string;
  /** Where it is measured: its lane, the benchmark in it and the row of that. */
  readonly lane: string;
  readonly benchmark: string;
  readonly target: string;
}

/** A combination that is not measured, and why; shown, never dropped. */
export interface SkippedCell extends Pick<
  PlannedCell,
  "gateway" | "scenario" | "generator" | "load" | "size" | "topology"
> {
  readonly reason: string;
}

/** Cells that are measured on the same hosts, one engine stack and one process. */
export interface Lane {
  readonly name: string;
  readonly place: Place;
  readonly benchmarks: readonly PlannedBenchmark[];
  readonly cells: readonly PlannedCell[];
}

/** Everything a matrix asks for. */
export interface Expansion {
  readonly lanes: readonly Lane[];
  readonly cells: readonly PlannedCell[];
  readonly skipped: readonly SkippedCell[];
  /** What is wrong with what was asked for, whoever does it: then nothing is measured. */
  readonly faults: readonly FileFault[];
}
