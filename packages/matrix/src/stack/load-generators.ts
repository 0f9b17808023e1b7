import { LoadGenerator, type Topology } from "@gatebench/core";
import type { Part } from "./parts";

/** Each generator once, whatever loads it sends: a controller and its agents are there for all of them. */
export function loadGenerators(site: Topology, parts: readonly Part[]): (part: Part) => LoadGenerator {
  const adapters = new Map(parts.map(({ generator }) => [generator.name, generator]));
  const made = new Map(
    [...adapters].map(([name, adapter]) => {
      const workers = adapter.reports.distributed === false ? [] : site.workers;
      return [name, new LoadGenerator(name, { host: site.generator, adapter, workers })];
    }),
  );
  return ({ generator }) => made.get(generator.name) as LoadGenerator;
}
