import { invalid } from "./file-faults";
import type { FileFault } from "./matrix";
import type { MatrixFile } from "./matrix-file";
import { isRented, type TopologyAsked } from "./topology-asked";
import { sizesOf } from "./resolve-places";

/** Lanes at once are on machines of their own, or they measure each other. */
export function parallelFaults({ parallel, topologies }: MatrixFile): readonly FileFault[] {
  if (parallel === 1) return [];
  const lanes = topologies.flatMap((topology) => sizesOf(topology).map(() => machinesOf(topology)));
  const shared = lanes.flat().find((machine, at, all) => machine === here || all.indexOf(machine) < at);
  return shared === undefined
    ? []
    : [
        invalid(
          ["parallel"],
          `lanes share ${shared}, and would measure each other. Give "parallel: 1", or machines of their own.`,
        ),
      ];
}

const here = "this machine";

/** Those that are there already, each once: rented ones are each lane's own. */
function machinesOf(topology: TopologyAsked): readonly string[] {
  if (topology.kind === "local") return [here];
  if (isRented(topology)) return [];
  const { upstream, gateway, generator, workers } = topology;
  return [...new Set([upstream, gateway, generator, ...workers].map(({ host }) => host))];
}
