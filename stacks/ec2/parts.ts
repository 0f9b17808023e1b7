import { isFault, loadGenerator, refusalOf, secondsOf, type GeneratorAdapter, type Load } from "@gatebench/core";
import { generators } from "@gatebench/generators";
import type { StackPlan } from "@gatebench/matrix/stack";
import type { Settings } from "./settings";

/** One benchmark of the stack; several where one generator cannot state all figures. */
export interface Part {
  /** Names its benchmark. */
  readonly name: string;
  /** What its figures are called in the summary. */
  readonly label: string;
  readonly generator: GeneratorAdapter;
  readonly load: Load;
}

/** The stack's own, then the same for a shorter time, then the same rate by another generator. */
export async function partsOf({ alsoFor, alsoBy }: Settings, { generator, load }: StackPlan): Promise<readonly Part[]> {
  const main = { name: "bench", label: `${generator.name}, ${load.duration ?? "by count"}`, generator, load };
  const short = alsoFor && {
    ...{ name: "short", label: `${generator.name}, ${alsoFor}`, generator },
    load: { ...load, duration: alsoFor } as Load,
  };
  const other = alsoBy === undefined ? undefined : await byAnother(alsoBy, load);
  return [main, ...(short ? [short] : []), ...(other ? [other] : [])];
}

async function byAnother(name: string, load: Load): Promise<Part> {
  const generator = await loadGenerator(name, generators);
  if (isFault(generator)) throw refusalOf([generator]);
  const same = sameRate(load);
  return {
    name: "other",
    label: `${generator.name} at the same rate, ${same.duration ?? "by count"}`,
    generator,
    load: same,
  };
}

/** A pace for each connection is a rate of arrivals, as far as connections are free. */
function sameRate(load: Load): Load {
  if (load.model !== "closed" || load.pacePerConnection === undefined) return load;
  const { connections, pacePerConnection, duration, connection } = load;
  const ratePerS = connections * pacePerConnection;
  return { model: "open", ratePerS, maxInFlight: connections, duration, connection };
}

/** Seconds under load, of all parts and targets; a run by count is taken to be short. */
export function loadSeconds(parts: readonly Part[], { targets, protocol }: StackPlan): number {
  const seconds = parts.reduce((sum, { load }) => sum + (load.duration ? secondsOf(load.duration) : 0), 0);
  return seconds * targets.length * protocol.maxRuns;
}
