import {
  secondsOf,
  type ClosedLoad,
  type Duration,
  type IterationsLoad,
  type Load,
  type OpenLoad,
  type UsersLoad,
} from "@gatebench/core/contract";

/** The one scenario's name; sub-metrics of it leave out what a user's setup and teardown send. */
export const scenario = "load";

/**
 * k6's scenario of a load. It stops at once: what is then under way is broken off and counted nowhere, so that the
 * time k6 divides by is the time traffic flowed.
 */
export function executor(load: Load, timeoutS: number) {
  return { ...executorOf(load, timeoutS), gracefulStop: "0s" };
}

function executorOf(load: Load, timeoutS: number) {
  switch (load.model) {
    case "closed":
      return { executor: "constant-vus", vus: load.connections, duration: load.duration };
    case "open":
      return arrivals(load);
    case "users":
      return { executor: "constant-vus", vus: load.users, duration: load.duration };
    case "iterations":
      return {
        executor: "per-vu-iterations",
        vus: load.users,
        iterations: load.perUser,
        maxDuration: `${longestS(load, timeoutS)}s`,
      };
  }
}

function arrivals({ ratePerS, maxInFlight, duration }: OpenLoad) {
  const { rate, timeUnit } = wholeRate(ratePerS) ?? {};
  return {
    ...{ executor: "constant-arrival-rate", rate, timeUnit, duration },
    // All of them from the start: opened while traffic flows, they would be late.
    ...{ preAllocatedVUs: maxInFlight, maxVUs: maxInFlight },
  };
}

/** k6 takes whole numbers of arrivals: 2.5 per second is 25 in ten. undefined: not even in 1000 s. */
export function wholeRate(ratePerS: number): { readonly rate: number; readonly timeUnit: string } | undefined {
  const units = [1, 10, 100, 1000];
  const unitS = units.find((seconds) => Math.abs(ratePerS * seconds - Math.round(ratePerS * seconds)) < 1e-6);
  return unitS === undefined ? undefined : { rate: Math.round(ratePerS * unitS), timeUnit: `${unitS}s` };
}

/** What users need where every answer comes as late as can be. */
export function longestS({ perUser, startWithin = "0s" }: IterationsLoad, timeoutS: number): number {
  return Math.ceil(secondsOf(startWithin) + perUser * timeoutS + 1);
}

/** Seconds from one user's start to the next one's; 0: all at once. */
export function spacingS(load: Load): number {
  if (load.model === "users" && load.spawnPerS !== undefined) return 1 / load.spawnPerS;
  if (load.model !== "users" && load.model !== "iterations") return 0;
  return load.startWithin === undefined ? 0 : secondsOf(load.startWithin) / load.users;
}

/** Lines of the default function, before and after the request. */
export interface Waits {
  readonly declared: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export function waits(load: Load): Waits {
  if (load.model === "closed") return paced(load);
  const start = staggered(spacingS(load));
  const think = load.model === "users" ? thinking(load) : none;
  return { declared: [...start.declared, ...think.declared], before: start.before, after: think.after };
}

const none: Waits = { declared: [], before: [], after: [] };

function paced({ pacePerConnection, connections }: ClosedLoad): Waits {
  if (pacePerConnection === undefined) return none;
  return {
    declared: [
      `// Turns of a connection stand a period apart, those of different connections are spread over it. A turn that passed
// while an answer was awaited is taken at once, and only one: nothing is caught up with.
const periodMs = ${1000 / pacePerConnection};
let turnMs;
function awaitTurn() {
  const nowMs = exec.instance.currentTestRunDuration;
  const share = (exec.vu.idInTest - 1) / ${connections};
  turnMs = turnMs === undefined ? nowMs + share * periodMs : Math.max(turnMs + periodMs, nowMs);
  if (turnMs > nowMs) sleep((turnMs - nowMs) / 1000);
}
`,
    ],
    before: ["awaitTurn();"],
    after: [],
  };
}

function staggered(spacing: number): Waits {
  if (spacing === 0) return none;
  const start = `if (exec.vu.iterationInScenario === 0) sleep((exec.vu.idInTest - 1) * spacingS);`;
  return {
    declared: [`// From one user's start to the next one's.\nconst spacingS = ${spacing};\n`],
    before: [start],
    after: [],
  };
}

function thinking({ think }: UsersLoad): Waits {
  if (think === undefined) return none;
  const [least, most] = [secondsOf(think.min), secondsOf(think.max)];
  return {
    declared: [`// Each length between the two is equally likely.\nconst thinkS = ${JSON.stringify([least, most])};\n`],
    before: [],
    after: ["sleep(thinkS[0] + Math.random() * (thinkS[1] - thinkS[0]));"],
  };
}

/** How long traffic may flow; bounds the job. */
export function trafficS(load: Load, timeoutS: number): number {
  return load.model === "iterations" ? longestS(load, timeoutS) : secondsOf(load.duration as Duration);
}
