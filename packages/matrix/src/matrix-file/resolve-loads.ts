import { checkLoad, loadOfWords, loadWordFaults, type Load, type Protocol } from "@gatebench/core";
import { atPath, invalid, together, type Resolved } from "./file-faults";
import { loadNames } from "./load-names";
import type { FileFault, MatrixLoad } from "./matrix";
import type { LoadAsked } from "./matrix-file";

const defaultConnections = 32;
const defaultDuration = "10s";

/** Loads under their short names, and which of their words cannot stand together. */
export function resolveLoads(asked: readonly LoadAsked[], protocol: Protocol): Resolved<MatrixLoad> {
  const { found, faults } = together(asked.map((words, at) => resolved(words, at, protocol)));
  if (faults.length > 0) return { found: [], faults };
  const names = loadNames(found);
  return { found: found.map((load, at) => ({ name: names[at] as string, load })), faults: sameFaults(names) };
}

function resolved(words: LoadAsked, at: number, protocol: Protocol): Resolved<Load> {
  const here = ["loads", at];
  const apart = [
    ...loadWordFaults(words, (word) => word).map(atPath(here)),
    ...idleWords(words).map(([word, why]) => invalid([...here, word], why)),
  ];
  if (apart.length > 0) return { found: [], faults: apart };
  const load = withoutConnection(words);
  const faults = [...checkLoad(load), ...(protocol.faults?.(load) ?? [])];
  return { found: [load], faults: faults.map(atPath(here)) };
}

/** A scenario says whether connections are kept. */
function withoutConnection(words: LoadAsked): Load {
  const { connections = defaultConnections, duration = defaultDuration } = words;
  return loadOfWords({ ...words, connections }, { duration });
}

/** Words that would be read by nobody. */
function idleWords(words: LoadAsked): readonly (readonly [word: string, why: string])[] {
  const { connections, threads, duration, users, ratePerS, iterations } = words;
  const model = users !== undefined ? "users" : "ratePerS";
  const found: (readonly [string, string] | false)[] = [
    connections !== undefined &&
      users !== undefined && ["connections", "each user has a connection of its own. Give users alone."],
    threads !== undefined &&
      (users ?? ratePerS) !== undefined && [
        "threads",
        `threads share connections, and ${model} has none. Drop threads.`,
      ],
    duration !== undefined &&
      iterations !== undefined && ["duration", "a load with iterations ends by count. Give one of the two."],
  ];
  return found.filter((one) => one !== false);
}

function sameFaults(names: readonly string[]): readonly FileFault[] {
  return names.flatMap((name, at) => {
    const first = names.indexOf(name);
    return first < at
      ? [invalid(["loads", at], `this is the same load as loads[${first}]. Leave one of them out.`)]
      : [];
  });
}
