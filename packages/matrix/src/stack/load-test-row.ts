import {
  expectedResponses,
  resolveScenario,
  resultOf,
  type Cell,
  type Grade,
  type LoadResult,
  type Run,
} from "@gatebench/core";
import { overallGrade } from "../rows";

/** A figure; null where it is not stated. */
export type Stated = number | null;

/** A load test as people publish it: figures of one run that belong together. */
export interface LoadTestRow {
  readonly by: "published" | "measured";
  readonly tool: string;
  readonly gateway: string;
  /** Behind the gateway. */
  readonly servers: Stated;
  readonly balancing: string | null;
  readonly users: number;
  /** How often each of them sends; null: for a time. */
  readonly perUser: Stated;
  readonly tps: Stated;
  readonly peakTps: Stated;
  readonly meanMs: Stated;
  readonly leastMs: Stated;
  readonly longestMs: Stated;
  readonly deviationMs: Stated;
  /** Received, in units of 1,024 bytes. */
  readonly kibPerS: Stated;
  /** What of an answer these are. */
  readonly bytesOf: NonNullable<LoadResult["bytes"]>["kind"] | null;
  readonly executed: Stated;
  readonly successful: Stated;
  readonly errors: Stated;
  readonly runTimeS: Stated;
  /** Requests that each server counted. */
  readonly perServer: readonly Stated[];
  readonly grade: Grade | null;
}

type Told = Partial<LoadTestRow> & Pick<LoadTestRow, "users">;

/** What somebody published, without what they did not say. */
export const publishedRow = (told: Told): LoadTestRow => ({ ...untold, ...told });

const untold: Omit<LoadTestRow, "users"> = {
  ...{ by: "published", tool: "ngrinder", gateway: "nginx", servers: null, balancing: null, perUser: null },
  ...{
    tps: null,
    peakTps: null,
    meanMs: null,
    leastMs: null,
    longestMs: null,
    deviationMs: null,
    kibPerS: null,
    bytesOf: null,
  },
  ...{ executed: null, successful: null, errors: null, runTimeS: null, perServer: [], grade: null },
};

/** The run of a cell whose rate is in the middle; undefined where its load has no users, or no run gave figures. */
export function measuredRow(cell: Cell): LoadTestRow | undefined {
  const { load } = cell;
  if (load.model !== "users" && load.model !== "iterations") return undefined;
  const middle = middleOf(cell.runs.filter(({ purpose }) => purpose === "measure").flatMap(withResult));
  if (middle === undefined) return undefined;
  const { upstream, balancing } = resolveScenario(cell.scenarioAsked);
  return {
    ...{ by: "measured", tool: cell.generator, gateway: cell.gateway, servers: upstream.count },
    balancing: upstream.count > 1 ? balancing : null,
    users: load.users,
    perUser: load.model === "iterations" ? load.perUser : null,
    ...figuresOf(middle.result),
    perServer: perServer(middle.run),
    grade: overallGrade(cell),
  };
}

interface Measured {
  readonly run: Run;
  readonly result: LoadResult;
}

function withResult(run: Run): readonly Measured[] {
  const result = resultOf(run);
  return result ? [{ run, result }] : [];
}

function middleOf(runs: readonly Measured[]): Measured | undefined {
  const ordered = runs.toSorted((left, right) => left.result.rps - right.result.rps);
  return ordered[Math.floor((ordered.length - 1) / 2)];
}

function figuresOf(result: LoadResult) {
  const { rps, latencyMs, bytes, durationS, statuses } = result;
  const successful = expectedResponses(statuses);
  const executed = result.attempts ?? result.responses + sum(Object.values(result.errors));
  return {
    tps: rps,
    peakTps: peakOf(result),
    ...{ meanMs: latencyMs.mean, leastMs: latencyMs.min, longestMs: latencyMs.max, deviationMs: latencyMs.stdev },
    kibPerS: bytes ? bytes.value / 1024 / durationS : null,
    bytesOf: bytes?.kind ?? null,
    ...{ executed, successful, errors: Math.max(0, executed - successful), runTimeS: durationS },
  };
}

/** As the tool states it, or of the best interval. What is below the rate of the whole run is of a run too short for a peak. */
function peakOf({ peakPerS = 0, series = [], rps }: LoadResult): number | null {
  const steps = series.slice(1).map(({ atS }, index) => atS - (series[index]?.atS ?? 0));
  const best = steps.length > 0 ? Math.max(...series.map(({ responses }) => responses)) / Math.min(...steps) : 0;
  const peak = Math.max(peakPerS, best);
  return peak > 0 && peak >= rps ? peak : null;
}

const perServer = ({ counters }: Run): readonly Stated[] =>
  (counters?.upstreams ?? (counters?.upstream ? [counters.upstream] : [])).map((one) => one?.requests ?? null);

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
