import {
  listed,
  type Finding,
  type HttpObservation,
  type LiveLaw,
  type Probe,
  type ResolvedScenario,
} from "../../contract";
import { breaks, held, tally, untested } from "./finding";
import { observed } from "./observed";
import { delayS, firstRequest, httpProbe, pause } from "./requests";
import { askedLimit, mostTested, tightLimit, type Limit } from "./tight-limit";

const flood = "flood";

/** Twice what is allowed, so that a count that begins anew in between is met all the same. */
const floodOf = ({ requests }: Limit) => 2 * requests + 10;

/** Enough connections to be done long before the limit allows as much again, in spite of a slow upstream. */
function connectionsOf(scenario: ResolvedScenario, limit: Limit): number {
  const busyS = floodOf(limit) * (delayS(scenario) + 0.001);
  return Math.min(16, Math.max(4, Math.ceil((4 * busyS) / limit.perS)));
}

export const enforcesRateLimit: LiveLaw = {
  name: "enforces the rate limit",
  appliesTo: ({ rateLimit }) => rateLimit !== undefined,
  /** It waits before, for a limit nobody has used, and after, so that what follows is not limited on its account. */
  probes: (scenario, target) => {
    const limit = tightLimit(scenario);
    if (limit === undefined) return [];
    const connections = connectionsOf(scenario, limit);
    const times = Math.ceil(floodOf(limit) / connections);
    const sent = httpProbe(scenario, { name: flood, requests: [firstRequest(target)], times, connections });
    const probes: readonly Probe[] = [{ ...sent, alone: true }];
    return [pause("flood-turn", limit.perS), ...probes, pause("flood-over", limit.perS)];
  },
  check: (observations, scenario, target) => {
    const limit = tightLimit(scenario);
    if (limit === undefined) return untested(tooHigh(scenario));
    return floodFinding(observed(observations, "http", flood), limit, firstRequest(target).expect);
  },
};

function floodFinding({ responses, elapsedS, error }: HttpObservation, limit: Limit, expect: number): Finding {
  const statuses = responses.map(({ status }) => status);
  const seen = `${statuses.length} requests in ${elapsedS.toFixed(2)} s were answered with ${listed([tally(statuses)])}`;
  const asked = `with a limit of ${limit.requests} in ${limit.perS} s`;
  if (statuses.includes(429)) return statuses.includes(expect) ? held : breaks(`${asked}, all of ${seen}`);
  if (error !== undefined) return untested(error);
  if (allowedAtMost(limit, elapsedS) >= statuses.length) return untested(`the requests took too long: ${seen}`);
  return breaks(`${asked}, ${seen}`);
}

/** By the most generous of limiters: a whole new limit at once whenever a window begins. */
const allowedAtMost = ({ requests, perS }: Limit, elapsedS: number) => requests * (2 + Math.floor(elapsedS / perS));

function tooHigh(scenario: ResolvedScenario): string {
  const { requests, perS } = askedLimit(scenario) as Limit;
  const most = `${mostTested.requests} in ${mostTested.perS} s`;
  return `a limit of ${requests} in ${perS} s is too high to be exceeded on purpose (at most ${most} is tried)`;
}
