import { z } from "zod";
import type { Duration } from "./duration";
import { durationSchema } from "./duration-schema";
import { fault, type Fault } from "./fault";
import type { Load } from "./load";
import { writtenCount, writtenRate } from "./written-number";

/** One address of this machine has no more ports for connections to one gateway. */
const mostConnections = 20_000;
const mostPerS = 10_000_000;
const mostIterations = 1_000_000;

const notThink = {
  error: ({ input }: { readonly input?: unknown }) =>
    `${JSON.stringify(input)} is not a time to think; write "2s", or "1s-3s" for any time between`,
};
const time = "\\d+(?:\\.\\d+)?(?:ms|s|m|h)";
const think = z
  .string(notThink)
  .regex(new RegExp(`^${time}(-${time})?$`), notThink)
  .transform((text) => {
    const [min, max = min] = text.split("-") as [Duration, Duration?];
    return { min, max };
  });

/** The words people write a load with, on a command line and in a stack's configuration. All values may be texts. */
export const loadWords = {
  connections: writtenCount(mostConnections).default(32),
  threads: writtenCount(1024).optional(),
  /** Requests per second of each connection; as fast as possible without. */
  pacePerConnection: writtenRate(1_000_000).optional(),
  /** An arrival rate in requests per second. */
  ratePerS: writtenRate(mostPerS).optional(),
  /** Most requests of an arrival rate under way at once. Default: the connections. */
  maxInFlight: writtenCount(mostConnections).optional(),
  /** People who send a request, think, and send the next. */
  users: writtenCount(mostConnections).optional(),
  /** "2s", or "1s-3s" for any time between. Without, users do not think. */
  think: think.optional(),
  /** Users started per second; all at once without. */
  spawnPerS: writtenRate(mostPerS).optional(),
  /** The time within which all users have started. */
  startWithin: durationSchema.optional(),
  /** Requests of each user, in place of a duration. */
  iterations: writtenCount(mostIterations).optional(),
  /** How requests are spread over routes and consumers. */
  spread: z.enum(["uniform", "normal"]).optional(),
} as const;

export type LoadWords = z.infer<z.ZodObject<typeof loadWords>>;

/** Words that each choose another model than the closed loop. */
const models = {
  ratePerS: "an arrival rate",
  pacePerConnection: "a pace per connection",
  users: "users",
} as const;

/** Words that mean something only beside another. */
const beside = {
  maxInFlight: "ratePerS",
  think: "users",
  spawnPerS: "users",
  startWithin: "users",
  iterations: "users",
} as const;

type Word = keyof LoadWords;

/** What of these words cannot stand together. `spelled`: a word as its reader has to write it. */
export function loadWordFaults(words: Partial<LoadWords>, spelled: (word: Word) => string): readonly Fault[] {
  const chosen = (Object.keys(models) as (keyof typeof models)[]).filter((word) => words[word] !== undefined);
  const [first, second] = chosen;
  const lonely = (Object.keys(beside) as (keyof typeof beside)[]).filter(
    (word) => words[word] !== undefined && words[beside[word]] === undefined,
  );
  return [
    ...(first && second
      ? [
          fault(
            "invalid-load",
            `${models[first]} (${spelled(first)}) and ${models[second]} (${spelled(second)}) are two models of load; give one of them.`,
          ),
        ]
      : []),
    ...lonely.map((word) =>
      fault("invalid-load", `${spelled(word)} goes with ${spelled(beside[word])}; give both, or neither.`),
    ),
  ];
}

/** The load these words say; one that ends by count has no duration. */
export function loadOfWords(words: LoadWords, given: Pick<Load, "connection"> & { readonly duration: Duration }): Load {
  const { spread, users, iterations, ratePerS, startWithin } = words;
  const { duration, connection } = given;
  const common = stated({ connection, spread });
  if (users !== undefined && iterations !== undefined)
    return { model: "iterations", users, perUser: iterations, ...common, ...stated({ startWithin }) };
  if (users !== undefined)
    return {
      model: "users",
      users,
      duration,
      ...common,
      ...stated({ startWithin, spawnPerS: words.spawnPerS, think: words.think }),
    };
  const maxInFlight = words.maxInFlight ?? words.connections;
  if (ratePerS !== undefined) return { model: "open", ratePerS, maxInFlight, duration, ...common };
  const { connections, threads, pacePerConnection } = words;
  return { model: "closed", connections, duration, ...common, ...stated({ threads, pacePerConnection }) };
}

/** Without what was not said: an absent key and an undefined one are two loads to a hash. */
function stated<T extends object>(words: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)) as never;
}
