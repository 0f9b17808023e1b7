import type { Cell, Run, Topology, Verification } from "@gatebench/core";
import { goBenchSuite, staticPayload } from "@gatebench/core/upstreams";
import { declareBenchmarks } from "./declare-benchmarks";
import type { PlannedBenchmark } from "../plan/expansion";
import type { Matrix, Place } from "../matrix-file/matrix";
import { isRented } from "../matrix-file/topology-asked";
import type { Cells } from "./merge-deployments";
import type { PatientStop } from "./patient-stop";

/** What becomes known while a lane's program runs. */
export interface LaneWatch {
  verified(benchmark: string, verification: Verification): void;
  /** `folder`: where its host keeps its raw output. */
  ran(benchmark: string, run: Run, folder: string | undefined): void;
  measured(benchmark: string, cells: Cells): void;
}

const upstreams = { "static-payload": staticPayload, "go-bench-suite": goBenchSuite };

export interface LaneProgram {
  readonly matrix: Matrix;
  readonly place: Place;
  readonly benchmarks: readonly PlannedBenchmark[];
  readonly runId: string;
  readonly seed: number;
  readonly site: () => Topology;
  readonly stop: PatientStop;
  /** Where raw output of other machines is copied to; undefined: it is on this one. */
  readonly results: string | undefined;
  /** What results call a benchmark. */
  readonly label: (benchmark: string) => string;
}

/** The Pulumi program of a lane: its hosts, everything deployed on them, and all benchmarks behind each other. */
export function laneProgram(lane: LaneProgram, watch: LaneWatch): () => Promise<void> {
  const { matrix, place, benchmarks, runId, seed, site, stop, results, label } = lane;
  return async () => {
    const declared = declareBenchmarks(site(), {
      ...{ benchmarks, runId, seed, results, label, workers: place.size.workers },
      authorizerImage: isRented(place.topology) ? place.topology.authorizerImage : undefined,
      app: upstreams[matrix.file.upstream](),
      protocol: stop.patient(matrix.protocol),
    });
    for (const { planned, benchmark } of declared) {
      for (const verification of Object.values(benchmark.verifications))
        verification.apply((found) => watch.verified(planned.name, found));
      for (const { run, folder } of benchmark.runs)
        run.apply((known) => folder.apply((path) => known && watch.ran(planned.name, known, path)));
      benchmark.cells.apply((cells) => watch.measured(planned.name, whole(cells, lane)));
    }
  };
}

/** Without those that a stop cut short: they are measured anew, in another life of their gateway. */
function whole(cells: Cells, { matrix, stop }: LaneProgram): Cells {
  if (!stop.asked) return cells;
  const isWhole = ({ load, runs, verification }: Cell) =>
    verification.some(({ verdict }) => verdict === "broken") || matrix.protocol.next(load, runs) === undefined;
  return Object.fromEntries(Object.entries(cells).filter(([, cell]) => isWhole(cell)));
}
