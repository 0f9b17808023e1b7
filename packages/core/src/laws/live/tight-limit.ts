import { secondsOf, type HttpResponse, type ResolvedScenario } from "../../contract";

export interface Limit {
  readonly requests: number;
  readonly perS: number;
}

export const mostTested = { requests: 200, perS: 10 } as const;

export function askedLimit({ rateLimit }: ResolvedScenario): Limit | undefined {
  return rateLimit && { requests: rateLimit.requests, perS: secondsOf(rateLimit.per) };
}

/** A limit low enough to be exceeded on purpose, and so low enough to be met by accident. */
export function tightLimit(scenario: ResolvedScenario): Limit | undefined {
  const limit = askedLimit(scenario);
  return limit && limit.requests <= mostTested.requests && limit.perS <= mostTested.perS ? limit : undefined;
}

/** A refusal that says nothing but that the scenario's limit is lower than what the probes need. */
export function refusedByLimit(scenario: ResolvedScenario, { status }: HttpResponse): boolean {
  const limit = askedLimit(scenario);
  return status === 429 && limit !== undefined && limit.requests <= mostTested.requests;
}
