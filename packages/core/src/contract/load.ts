import { z } from "zod";
import { secondsOf, type Duration } from "./duration";
import { durationSchema } from "./duration-schema";
import { fault, type Fault } from "./fault";

/** How requests are spread over routes and consumers. */
export type Spread = "uniform" | "normal";

interface LoadCommon {
  /** How long traffic flows. Not for the iterations model, which ends by count. */
  readonly duration?: Duration;
  /** "per-request": a new connection for each request, as TLS transactions per second are counted. Default "keep-alive". */
  readonly connection?: "keep-alive" | "per-request";
  /** Default "uniform". */
  readonly spread?: Spread;
  /** "after-ramp": figures begin when every user has started. Default "start". */
  readonly measureFrom?: "start" | "after-ramp";
}

/** So many connections, each sending its next request when the last is answered. */
export interface ClosedLoad extends LoadCommon {
  readonly model: "closed";
  readonly connections: number;
  /** Requests per second each connection is held to; as fast as possible without. */
  readonly pacePerConnection?: number;
  /** Threads of the generator; its own choice without. */
  readonly threads?: number;
}

/** Requests arrive at a rate, however long answers take. */
export interface OpenLoad extends LoadCommon {
  readonly model: "open";
  readonly ratePerS: number;
  readonly maxInFlight: number;
}

/** Users who think between requests. */
export interface UsersLoad extends LoadCommon {
  readonly model: "users";
  readonly users: number;
  readonly spawnPerS?: number;
  readonly startWithin?: Duration;
  readonly think?: { readonly min: Duration; readonly max: Duration };
}

/** Users who each send so many requests and stop. */
export interface IterationsLoad extends LoadCommon {
  readonly model: "iterations";
  readonly users: number;
  readonly perUser: number;
  readonly startWithin?: Duration;
}

/** The traffic, in one of four models that are not comparable with each other. */
export type Load = ClosedLoad | OpenLoad | UsersLoad | IterationsLoad;

const common = {
  duration: durationSchema.optional(),
  connection: z.enum(["keep-alive", "per-request"]).optional(),
  spread: z.enum(["uniform", "normal"]).optional(),
  measureFrom: z.enum(["start", "after-ramp"]).optional(),
};
/** More than any machine can open; beyond it something was mistyped. */
const mostAtOnce = 1_000_000;
const saying = (wanted: string) => ({
  error: ({ input }: { readonly input?: unknown }) => `${JSON.stringify(input)} is not ${wanted}`,
});
const notCount = saying(`a whole number from 1 to ${mostAtOnce}`);
const notRate = saying("a number above 0");
const count = z.int(notCount).min(1, notCount).max(mostAtOnce, notCount);
const rate = z.number(notRate).positive(notRate);

export const loadSchema = z.discriminatedUnion("model", [
  z.strictObject({
    model: z.literal("closed"),
    connections: count,
    pacePerConnection: rate.optional(),
    threads: count.optional(),
    ...common,
  }),
  z.strictObject({ model: z.literal("open"), ratePerS: rate, maxInFlight: count, ...common }),
  z.strictObject({
    model: z.literal("users"),
    users: count,
    spawnPerS: rate.optional(),
    startWithin: durationSchema.optional(),
    think: z.strictObject({ min: durationSchema, max: durationSchema }).optional(),
    ...common,
  }),
  z.strictObject({
    model: z.literal("iterations"),
    users: count,
    perUser: count,
    startWithin: durationSchema.optional(),
    ...common,
  }),
]);

/** What no schema can say: how a load's parts fit together. */
export function loadFaults(load: Load): readonly Fault[] {
  const faults: Fault[] = [];
  if (load.model === "closed" && (load.threads ?? 1) > load.connections) {
    faults.push(
      fault(
        "invalid-load",
        `${load.threads} threads cannot share ${load.connections} connections: each thread needs at least one. Give at most ${load.connections} threads.`,
      ),
    );
  }
  if (load.model !== "iterations" && load.duration === undefined) {
    faults.push(fault("invalid-load", `a load of model "${load.model}" needs a duration, such as "30s".`));
  }
  if (load.model === "iterations" && load.duration !== undefined) {
    faults.push(
      fault("invalid-load", `a load of model "iterations" ends by count; drop the duration, or use model "users".`),
    );
  }
  return [...faults, ...lengthFaults(load), ...thinkFaults(load)];
}

/** To a tool, no time may mean another thing: hey then sends 200 requests. A day is longer than anybody waits. */
function lengthFaults({ duration }: Load): readonly Fault[] {
  if (duration === undefined) return [];
  const seconds = secondsOf(duration);
  return seconds > 0 && seconds <= 24 * 3600
    ? []
    : [fault("invalid-load", `a load cannot last "${duration}"; give more than "0s" and at most "24h".`)];
}

function thinkFaults(load: Load): readonly Fault[] {
  if (load.model !== "users" || load.think === undefined) return [];
  const { min, max } = load.think;
  return secondsOf(min) <= secondsOf(max)
    ? []
    : [
        fault(
          "invalid-load",
          `users cannot think at least "${min}" and at most "${max}"; give a min that is not above max.`,
        ),
      ];
}

/** Requests that can be in flight at once: the most by which honest counters may disagree. */
export function inFlightBound(load: Load): number {
  if (load.model === "closed") return load.connections;
  return load.model === "open" ? load.maxInFlight : load.users;
}

/** The rate asked for in requests per second, or undefined where the load goes as fast as it can. */
export function askedRatePerS(load: Load): number | undefined {
  if (load.model === "open") return load.ratePerS;
  return load.model === "closed" && load.pacePerConnection !== undefined
    ? load.pacePerConnection * load.connections
    : undefined;
}
