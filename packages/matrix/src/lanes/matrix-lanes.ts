import { programsOf } from "@gatebench/core";
import { programOf, staticPayload } from "@gatebench/core/upstreams";
import type { Expansion, Lane } from "../plan/expansion";
import type { Experiment } from "./experiment";

/** Lanes with something left to measure or to go on with, and of each only that. */
export function lanesLeft({ lanes }: Expansion, experiment: Experiment): readonly Lane[] {
  return lanes.flatMap((lane) => {
    const goesOn = experiment.lane(lane.name).pass?.ended === false;
    const cells = experiment.unfinished(lane.cells);
    return cells.length > 0 || goesOn ? [{ ...lane, cells, benchmarks: benchmarksOf(lane, cells) }] : [];
  });
}

/** What of a lane's benchmarks is about these cells. */
function benchmarksOf({ benchmarks }: Lane, cells: Lane["cells"]): Lane["benchmarks"] {
  return benchmarks.flatMap((benchmark) => {
    const rows = cells.filter((cell) => cell.benchmark === benchmark.name).map(({ target }) => target);
    return rows.length > 0
      ? [{ ...benchmark, targets: benchmark.targets.filter(({ name }) => rows.includes(name)) }]
      : [];
  });
}

/** Programs that lanes on this machine start. */
export function binariesOf({ lanes }: Pick<Expansion, "lanes">): readonly string[] {
  const here = lanes.filter(({ place }) => place.topology.kind === "local").flatMap(({ benchmarks }) => benchmarks);
  return here.length === 0 ? [] : [...new Set([programOf(staticPayload()), ...here.flatMap(programsOf)])];
}
