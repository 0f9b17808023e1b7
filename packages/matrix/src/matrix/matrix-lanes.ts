import { secondsOf, programsOf, type Duration } from "@gatebench/core";
import { programOf, staticPayload } from "@gatebench/core/upstreams";
import type { Expansion, Lane, PlannedCell } from "./expansion";
import type { Experiment } from "./experiment";
import type { Matrix } from "./matrix";

/** What a run that ends by count may last, for want of anything better to say. */
const byCount: Duration = "10s";

/** The most runs a cell takes, warm-ups and all deployments included. */
export function runsOfCell({ protocol, file }: Pick<Matrix, "protocol" | "file">): number {
  return protocol.maxRuns * (file.rounds === "redeployed" ? file.repetitions : 1);
}

/** Seconds one cell is under load or deliberately idle: loads, warm-ups and cool-downs, as the file has them. */
export function declaredSeconds(cell: PlannedCell, lane: Lane, { protocol, file }: Matrix): number {
  const load = lane.benchmarks.find(({ name }) => name === cell.benchmark)?.load;
  const deployments = file.rounds === "redeployed" ? file.repetitions : 1;
  const warmUpS = secondsOf(file.warmUp);
  const measured = protocol.maxRuns - (warmUpS > 0 ? 1 : 0);
  const coolDownS = secondsOf(file.coolDown) * (protocol.maxRuns - 1);
  return deployments * (warmUpS + coolDownS + measured * secondsOf(load?.duration ?? byCount));
}

/** Lanes with something left to measure, or to go on with. */
export const lanesLeft = ({ lanes }: Expansion, experiment: Experiment): readonly Lane[] =>
  lanes.filter(
    ({ name, cells }) => experiment.lane(name).pass?.ended === false || experiment.unfinished(cells).length > 0,
  );

/** Programs that lanes on this machine start. */
export function binariesOf({ lanes }: Expansion): readonly string[] {
  const here = lanes.filter(({ place }) => place.topology.kind === "local").flatMap(({ benchmarks }) => benchmarks);
  return here.length === 0 ? [] : [...new Set([programOf(staticPayload()), ...here.flatMap(programsOf)])];
}
