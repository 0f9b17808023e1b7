import { figures, inFlightBound, statusRange, warning, type ResolvedScenario, type Warning } from "../contract";
import { allowedDifference, countsRamp, entryName, entryOf, one, sum, type Counts, type RunFacts } from "./run-facts";

/** Whether generator, gateway and upstream counted the same requests and statuses, within what was in flight. */
export function countWarnings(facts: RunFacts): readonly Warning[] {
  return [...requestWarnings(facts), ...statusWarnings(facts), ...missingCounters(facts)];
}

function requestWarnings(facts: RunFacts): readonly Warning[] {
  const atEntry = entryOf(facts)?.requests;
  const received = facts.result.responses;
  const between = `generator and ${entryName(facts)}`;
  const lost = atEntry !== undefined && differ(received, atEntry, allowedDifference(facts), countsRamp(facts));
  return [
    ...one(lost && warning("counts-disagree", "invalid", figures, { between, ...lost })),
    ...(facts.isBaseline ? [] : passedOnWarnings(facts)),
  ];
}

type Difference = { readonly left: number; readonly right: number; readonly allowed: number };

/** `bothWays` false: the right may well have counted more. */
function differ(left: number, right: number, allowed: number, bothWays = true): Difference | undefined {
  const tooFew = right < left - allowed;
  const tooMany = bothWays && right > left + allowed;
  return tooFew || tooMany ? { left, right, allowed } : undefined;
}

/**
 * Gateway and upstream: what the gateway did not refuse itself must have reached the upstream, once. Fewer is a cache,
 * more are repeated requests. Other failures (502, an unknown route) may have been made on either side.
 */
function passedOnWarnings(facts: RunFacts): readonly Warning[] {
  const { counters, result, asked } = facts;
  const taken = counters?.gateway?.requests;
  if (counters?.upstream?.requests === undefined) return [];
  const { refused, unexplained } = notPassedOn(facts);
  const left = (taken ?? result.responses) - refused;
  const allowed = unexplained + (taken === undefined ? allowedDifference(facts) : inFlightBound(asked));
  const lost = differ(left, counters.upstream.requests, allowed, taken !== undefined || countsRamp(facts));
  const between = `${taken === undefined ? "generator" : "gateway"} and upstream`;
  return one(lost && warning("counts-disagree", "invalid", figures, { between, ...lost }));
}

/** Requests the gateway refused itself, and those that failed on one side or the other. */
function notPassedOn(facts: RunFacts): { readonly refused: number; readonly unexplained: number } {
  const { statuses, of } = knownStatuses(facts);
  const total = (chosen: (key: string) => boolean) =>
    sum(Object.entries(statuses).flatMap(([key, count]) => (chosen(key) ? count : [])));
  const refused = total((key) => refusalCodes(facts.scenario).includes(key));
  const good = total((key) => statusRange(key)[1] < 400);
  return { refused, unexplained: Math.max(0, of - good - refused) };
}

/** The generator's statuses, which are codes in most tools; the gateway's where a tool left some of them out. */
function knownStatuses(facts: RunFacts): { readonly statuses: Counts; readonly of: number } {
  const { statuses, responses } = facts.result;
  const counted = facts.counters?.gateway?.statuses;
  const isComplete = sum(Object.values(statuses)) === responses && countsRamp(facts);
  return counted && !isComplete ? { statuses: counted, of: sum(Object.values(counted)) } : { statuses, of: responses };
}

/** What a policy answers with by itself. */
function refusalCodes({ auth, rateLimit }: ResolvedScenario): readonly string[] {
  return [...(auth ? ["401", "403"] : []), ...(rateLimit ? ["429"] : [])];
}

/** A gateway that counts nothing is made up for by an upstream that does; without the upstream a cache stays unseen. */
function missingCounters({ isBaseline, counters }: RunFacts): readonly Warning[] {
  const of = [
    ...(isBaseline || counters?.gateway?.requests !== undefined ? [] : [["the gateway", "sound"] as const]),
    ...(counters?.upstream?.requests !== undefined ? [] : [["the upstream", "indicative"] as const]),
  ];
  return of.map(([name, cap]) => warning("counters-missing", cap, figures, { of: name }));
}

/**
 * Each status the server counted, against the generator's: at least what it surely received of it, at most what it may
 * have ("4xx" may hold every "429"). A tool that stopped counting statuses, or left out the ramp, is not held to it.
 */
function statusWarnings(facts: RunFacts): readonly Warning[] {
  const { statuses, responses } = facts.result;
  if (sum(Object.values(statuses)) !== responses || !countsRamp(facts)) return [];
  const allowed = allowedDifference(facts);
  const between = `generator and ${entryName(facts)}`;
  return Object.entries(entryOf(facts)?.statuses ?? {}).flatMap(([status, right]) => {
    const [sure, possible] = receivedWithin(statuses, statusRange(status));
    const left = right < sure ? sure : possible;
    const agrees = right >= sure - allowed && right <= possible + allowed;
    return agrees ? [] : [warning("statuses-disagree", "invalid", figures, { between, status, left, right, allowed })];
  });
}

/** Responses that surely, and that possibly, had a status of the range. */
function receivedWithin(statuses: Counts, [from, to]: readonly [number, number]): readonly [number, number] {
  const ranges = Object.entries(statuses).map(([key, count]) => ({ range: statusRange(key), count }));
  const inside = ranges.filter(({ range }) => range[0] >= from && range[1] <= to);
  const touching = ranges.filter(({ range }) => range[0] <= to && range[1] >= from);
  return [sum(inside.map(({ count }) => count)), sum(touching.map(({ count }) => count))];
}
