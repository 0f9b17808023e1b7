import type {
  CounterSource,
  Finding,
  HttpObservation,
  LiveLaw,
  LiveTarget,
  Observations,
  Probe,
  ResolvedScenario,
} from "../../contract";
import { growth } from "./counter-page";
import { breaks, counted, held, tally, untested } from "./finding";
import { observed } from "./observed";
import { delayS, firstRequest, httpProbe, pause } from "./requests";
import { tightLimit } from "./tight-limit";

const repeated = "repeated";
const upstreamHeader = "x-upstream";

/** Requests for each upstream: enough to tell one connection for all from one for each, few where answers take long. */
function share(scenario: ResolvedScenario): number {
  return delayS(scenario) >= 0.05 || scenario.upstream.responseBytes > 1_000_000 ? 4 : 16;
}

/**
 * The same request over and over through one connection, between two readings of the upstreams' counters. The laws
 * about upstreams share it. One connection keeps it with one worker of the gateway, so that an even split is even.
 */
function repeatedProbes(scenario: ResolvedScenario, target: LiveTarget): readonly Probe[] {
  const limit = tightLimit(scenario);
  const times = share(scenario) * scenario.upstream.count;
  const sent = { name: repeated, requests: [firstRequest(target)], times, connections: 1, headers: [upstreamHeader] };
  return [
    ...(limit ? [pause(`${repeated}-turn`, limit.perS)] : []),
    ...countersProbe(target, "counters-before"),
    { ...httpProbe(scenario, sent), alone: true },
    ...countersProbe(target, "counters-after"),
  ];
}

function countersProbe(target: LiveTarget, name: string): readonly Probe[] {
  const sources = countingSources(target);
  return sources.length > 0 ? [{ kind: "counters", name, sources, alone: true }] : [];
}

/** Only pages that count are read: the others would be counted too, and may be long. */
function countingSources({ upstreamCounters = [] }: LiveTarget): readonly CounterSource[] {
  return upstreamCounters
    .map(({ host, pages }) => ({ host, pages: pages.filter(({ values }) => values !== undefined) }))
    .filter(({ pages }) => pages.length > 0);
}

export const reachesEveryUpstream: LiveLaw = {
  name: "reaches every upstream",
  appliesTo: ({ upstream }) => upstream.count > 1,
  probes: repeatedProbes,
  check: (observations, scenario, target) =>
    balancingFinding(observations, scenario, target, (counts) => {
      const missed = [...counts].filter(([, count]) => count === 0).map(([name]) => name);
      return missed.length === 0 ? held : breaks(`${split(counts)}; ${missed.join(", ")} never answered`);
    }),
};

export const splitsEvenly: LiveLaw = {
  name: "splits requests evenly",
  appliesTo: ({ upstream, balancing }) => upstream.count > 1 && balancing === "round-robin",
  probes: repeatedProbes,
  check: (observations, scenario, target) =>
    balancingFinding(observations, scenario, target, (counts) => {
      const fair = sum(counts) / counts.size;
      // A quarter, because a gateway that opens the connection anew may go on with another worker's turn.
      const uneven = [...counts.values()].some((count) => Math.abs(count - fair) > Math.max(2, fair / 4));
      return uneven ? breaks(`${split(counts)}, where each should answer ${fair.toFixed(0)}`) : held;
    }),
};

export const keepsUpstreamConnections: LiveLaw = {
  name: "keeps its connections to the upstream as asked",
  appliesTo: () => true,
  probes: repeatedProbes,
  check: (observations, scenario, target) => {
    const answers = goodAnswers(observations, target).length;
    if (answers < 4 * scenario.upstream.count) return tooFew(observations, answers);
    const opened = grown("connections", observations, target);
    return typeof opened === "number" ? connectionsFinding(opened, answers, scenario, target) : opened;
  },
};

export const asksUpstreamEveryTime: LiveLaw = {
  name: "asks the upstream every time",
  appliesTo: () => true,
  probes: repeatedProbes,
  check: (observations, _, target) => {
    const answers = goodAnswers(observations, target).length;
    if (answers < 2) return tooFew(observations, answers);
    const reached = grown("requests", observations, target);
    if (typeof reached !== "number") return reached;
    if (reached >= answers) return held;
    return breaks(`${answers} requests were answered and only ${reached} of them reached the upstream`);
  },
};

/** Half: a few connections are opened while the pool fills, and one for each request is far from it. */
function connectionsFinding(
  opened: number,
  answers: number,
  { upstream }: ResolvedScenario,
  { direct }: LiveTarget,
): Finding {
  const kept = opened <= answers / 2;
  if (direct || kept === upstream.keepAlive) return held;
  const asked = upstream.keepAlive ? "they were to be kept" : "each request was to have its own";
  return breaks(`${counted(opened, "connection")} to the upstream opened for ${answers} requests, though ${asked}`);
}

function goodAnswers(observations: Observations, target: LiveTarget): HttpObservation["responses"] {
  const { expect } = firstRequest(target);
  return observed(observations, "http", repeated).responses.filter(({ status }) => status === expect);
}

function tooFew(observations: Observations, answers: number): Finding {
  const { responses, error } = observed(observations, "http", repeated);
  const came = error ?? `statuses were ${tally(responses.map(({ status }) => status))}`;
  return untested(`only ${counted(answers, "request")} had a good answer: ${came}`);
}

/** What the upstreams counted, or why that is not known. */
function grown(what: "requests" | "connections", observations: Observations, target: LiveTarget): number | Finding {
  const sources = countingSources(target);
  if (sources.length === 0) return untested("the upstream counts nothing");
  const [before, after] = ["counters-before", "counters-after"].map((name) => observed(observations, "counters", name));
  if (before === undefined || after === undefined) throw new Error("counters are read twice");
  const failed = before.error ?? after.error;
  if (failed !== undefined) return untested(failed);
  return growth(what, before, after, sources) ?? untested(`the upstream counts no ${what}`);
}

type Counts = ReadonlyMap<string, number>;

function balancingFinding(
  observations: Observations,
  scenario: ResolvedScenario,
  target: LiveTarget,
  check: (counts: Counts) => Finding,
): Finding {
  if (target.direct) return untested("no gateway stands before the upstreams");
  if (target.upstreams.length < scenario.upstream.count) return untested("the upstreams have no names to be told by");
  const answers = goodAnswers(observations, target);
  const wanted = 4 * target.upstreams.length;
  if (answers.length < wanted) return tooFew(observations, answers.length);
  return check(countsOf(target, answers));
}

function countsOf({ upstreams }: LiveTarget, answers: HttpObservation["responses"]): Counts {
  const names = answers.map(({ headers }) => headers[upstreamHeader]);
  return new Map(upstreams.map((name) => [name, names.filter((given) => given === name.toLowerCase()).length]));
}

const sum = (counts: Counts) => [...counts.values()].reduce((total, count) => total + count, 0);
const split = (counts: Counts) => [...counts].map(([name, count]) => `${name} answered ${count}`).join(", ");
