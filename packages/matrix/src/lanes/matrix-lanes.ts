import { programsOf } from "@gatebench/core";
import { programOf, staticPayload } from "@gatebench/core/upstreams";
import { benchmarksAbout } from "../plan/benchmarks-about";
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

function benchmarksOf({ benchmarks }: Lane, cells: Lane["cells"]): Lane["benchmarks"] {
  const rows = new Set(cells.map(({ benchmark, target }) => JSON.stringify([benchmark, target])));
  return benchmarksAbout(benchmarks, (...row) => rows.has(JSON.stringify(row)));
}

/** Programs that lanes on this machine start. */
export function binariesOf({ lanes }: Pick<Expansion, "lanes">): readonly string[] {
  const here = lanes.filter(({ place }) => place.topology.kind === "local").flatMap(({ benchmarks }) => benchmarks);
  return here.length === 0 ? [] : [...new Set([programOf(staticPayload()), ...here.flatMap(programsOf)])];
}
