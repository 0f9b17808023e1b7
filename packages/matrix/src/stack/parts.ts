import {
  isFault,
  loadGenerator,
  loadOfWords,
  refusalOf,
  secondsOf,
  type GeneratorAdapter,
  type Load,
} from "@gatebench/core";
import { generators } from "@gatebench/generators";
import type { MeasuredSettings } from "./measured-settings";
import type { StackPlan } from "./stack-plan";

/** One benchmark of the stack; several where one generator cannot state all figures. */
export interface Part {
  /** Names its benchmark. */
  readonly name: string;
  /** What its figures are called in the summary. */
  readonly label: string;
  readonly generator: GeneratorAdapter;
  readonly load: Load;
}

/** The stack's own, then the same for a shorter time, by more users, and the same rate by another generator. */
export async function partsOf(asked: MeasuredSettings, { generator, load }: StackPlan): Promise<readonly Part[]> {
  const { alsoFor, alsoBy, alsoUsers = [] } = asked;
  const main = { name: "bench", label: `${generator.name}, ${load.duration ?? "by count"}`, generator, load };
  const short = alsoFor && {
    ...{ name: "short", label: `${generator.name}, ${alsoFor}`, generator },
    load: { ...load, duration: alsoFor } as Load,
  };
  const other = alsoBy === undefined ? undefined : await byAnother(alsoBy, load);
  const more = alsoUsers.map((users) => byUsers(users, asked, { generator, load }));
  return [main, ...(short ? [short] : []), ...more, ...(other ? [other] : [])];
}

/** All of them start at once: how fast they are to come belongs to the stack's own load. */
function byUsers(
  users: number,
  asked: MeasuredSettings,
  { generator, load }: Pick<StackPlan, "generator" | "load">,
): Part {
  const { duration } = asked;
  const words = { ...asked, users, iterations: undefined, startWithin: undefined };
  return {
    ...{ name: `users-${users}`, label: `${generator.name}, ${users} users, ${duration}`, generator },
    load: loadOfWords(words, { duration, connection: load.connection }),
  };
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

/** Machines for the workers of its generator, where it can have some. */
export const workersOf = ({ generator }: Part, { generatorWorkers }: MeasuredSettings): number =>
  generator.reports.distributed === false ? 0 : generatorWorkers;

/** Seconds under load, of all parts and targets; a run by count is taken to be short. */
export function loadSeconds(
  parts: readonly Part[],
  { targets, plan: { protocol } }: { readonly targets: readonly object[]; readonly plan: StackPlan },
): number {
  const seconds = parts.reduce((sum, { load }) => sum + (load.duration ? secondsOf(load.duration) : 0), 0);
  return seconds * targets.length * protocol.maxRuns;
}
