import { z } from "zod";

export const grades = ["sound", "indicative", "invalid"] as const;
/** sound: to be relied on. indicative: shown, ranked within the run, marked. invalid: wrong, never ranked. */
export type Grade = (typeof grades)[number];

export const figures = ["rps", "p99Ms", "tlsTps"] as const;
export type Figure = (typeof figures)[number];

/** What each warning has seen. Fractions are of 1; every number carries its unit in its name. */
interface Evidence {
  "hosts-shared": { readonly roles: string };
  "generator-busy": { readonly cpuFraction: number; readonly limit: number };
  "upstream-busy": { readonly cpuFraction: number; readonly limit: number };
  "host-saturated": { readonly cpuFraction: number };
  "headroom-small": { readonly ratio: number; readonly wanted: number };
  "headroom-unknown": { readonly baseline: string };
  "counts-disagree": {
    readonly between: string;
    readonly left: number;
    readonly right: number;
    readonly allowed: number;
  };
  "statuses-disagree": {
    readonly between: string;
    readonly status: string;
    readonly left: number;
    readonly right: number;
    readonly allowed: number;
  };
  "counters-missing": { readonly of: string };
  "connections-not-kept": { readonly of: string; readonly connections: number; readonly requests: number };
  "connections-reused": { readonly connections: number; readonly requests: number };
  errors: { readonly fraction: number; readonly allowed: number; readonly kinds: string };
  "rate-missed": { readonly askedPerS: number; readonly achievedPerS: number };
  dropped: { readonly iterations: number };
  "generator-overloaded": { readonly said: string };
  "connections-missing": { readonly asked: number; readonly missing: number };
  "workers-lost": { readonly asked: number; readonly reported: number };
  "upstream-lost": { readonly of: string; readonly oneOf: number; readonly reason: string };
  "stall-hidden": { readonly stallMs: number; readonly unsent: number };
  unstable: { readonly cv: number; readonly limit: number };
  "interval-wide": { readonly relative: number; readonly wanted: number };
  "few-runs": { readonly runs: number; readonly wanted: number };
  "few-samples": { readonly samples: number; readonly wanted: number };
  "short-runs": { readonly seconds: number; readonly wanted: number };
  "samples-capped": { readonly cap: number };
  "closed-loop-p99": { readonly model: string };
  "run-failed": { readonly reason: string };
  "no-runs": { readonly runs: number };
  "verification-failed": { readonly law: string; readonly reason: string };
  "not-verified": { readonly law: string; readonly reason: string };
  retransmits: { readonly fraction: number };
  "accept-queue-overflow": { readonly drops: number };
  steal: { readonly fraction: number };
  "not-idle": { readonly of: string; readonly cpuFraction: number; readonly limit: number };
  "allowance-exceeded": { readonly host: string; readonly by: string };
  "target-not-reached": { readonly goal: string };
  published: { readonly by: string };
}

export type WarningCode = keyof Evidence;
type WarningOf<C extends WarningCode> = {
  readonly code: C;
  /** The figures it touches. */
  readonly figures: readonly Figure[];
  /** The best grade these figures can still have. */
  readonly cap: Grade;
  readonly evidence: Evidence[C];
};
/** Data with advice: what was seen, which figures it touches, the grade it caps them to. */
export type Warning = { [C in WarningCode]: WarningOf<C> }[WarningCode];

/** Makes a warning; the evidence is checked against the code. */
export function warning<C extends WarningCode>(
  code: C,
  cap: Grade,
  touched: readonly Figure[],
  evidence: Evidence[C],
): Warning {
  return { code, cap, figures: touched, evidence } as WarningOf<C> as Warning;
}

const percent = (fraction: number) => `${(fraction * 100).toFixed(1)} %`;

const sentences: { readonly [C in WarningCode]: (seen: Evidence[C]) => string } = {
  "hosts-shared": ({ roles }) =>
    `${roles} share one machine and take CPU from each other; use separate hosts for figures to publish.`,
  "generator-busy": ({ cpuFraction, limit }) =>
    `the generator used ${percent(cpuFraction)} of its CPUs (limit ${percent(limit)}) and may be what was measured; give it more CPUs or fewer connections.`,
  "upstream-busy": ({ cpuFraction, limit }) =>
    `the upstream used ${percent(cpuFraction)} of its CPUs (limit ${percent(limit)}); give it more, or a cheaper response.`,
  "host-saturated": ({ cpuFraction }) =>
    `the shared machine was ${percent(cpuFraction)} busy: what limits the figure is the machine, not the gateway alone.`,
  "headroom-small": ({ ratio, wanted }) =>
    `the path without a gateway carries only ${ratio.toFixed(2)} times this figure (wanted ${wanted}); the gateway may be faster than can be seen here.`,
  "headroom-unknown": ({ baseline }) =>
    `no baseline "${baseline}" was measured beside it; add the direct gateway to see what the path itself carries.`,
  "counts-disagree": ({ between, left, right, allowed }) =>
    `${between} counted ${left} and ${right} requests; at most ${allowed} can have been in flight. Something answers, drops or repeats requests unseen.`,
  "statuses-disagree": ({ between, status, left, right, allowed }) =>
    `${between} counted ${left} and ${right} responses with ${status}; at most ${allowed} can have been in flight.`,
  "counters-missing": ({ of }) => `${of} counted nothing that could be compared; the generator's word stands alone.`,
  "connections-not-kept": ({ of, connections, requests }) =>
    `${of} saw ${connections} new connections for ${requests} requests, though connections were to be kept; check keep-alive.`,
  "connections-reused": ({ connections, requests }) =>
    `${connections} connections carried ${requests} requests, though each was to have its own; this is not a count of handshakes.`,
  errors: ({ fraction, allowed, kinds }) =>
    `${percent(fraction)} of the requests failed (${kinds}; allowed ${percent(allowed)}).`,
  "rate-missed": ({ askedPerS, achievedPerS }) =>
    `${achievedPerS.toFixed(0)} requests/s were sent where ${askedPerS.toFixed(0)} were asked; raise connections or lower the rate.`,
  dropped: ({ iterations }) =>
    `the generator could not start ${iterations} requests in time; give it more connections in reserve.`,
  "generator-overloaded": ({ said }) =>
    `the generator itself could not keep up: ${said} Give it more CPUs or processes, or ask for less.`,
  "connections-missing": ({ asked, missing }) =>
    `${missing} of ${asked} connections were never open, and the generator went on with fewer; raise its open files (ulimit -n), or ask for fewer connections.`,
  "workers-lost": ({ asked, reported }) =>
    `${reported} of ${asked} processes of the generator reported to the end: part of the load, and of its figures, is missing. Look at their hosts and run it again.`,
  "upstream-lost": ({ of, oneOf, reason }) =>
    `${of}, one of ${oneOf} upstreams, ended under the load (${reason}): its requests failed or went to the others. Start it anew by destroy and up, or up with --replace for its workload.`,
  "stall-hidden": ({ stallMs, unsent }) =>
    `one answer took ${stallMs.toFixed(0)} ms, in which some ${unsent.toFixed(0)} requests of this rate were not sent and so not timed: users would have waited, and the P99 does not show it. Measure latency with an open load.`,
  unstable: ({ cv, limit }) =>
    `repetitions differ by ${percent(cv)} (coefficient of variation, limit ${percent(limit)}); repeat more, or on a quieter machine.`,
  "interval-wide": ({ relative, wanted }) =>
    `the 95 % interval is ± ${percent(relative)} (wanted ${percent(wanted)}); repeat more.`,
  "few-runs": ({ runs, wanted }) => `${runs} ${runs === 1 ? "run" : "runs"} (wanted ${wanted}); repeat more.`,
  "few-samples": ({ samples, wanted }) => `${samples} latencies stand behind each P99 (wanted ${wanted}); run longer.`,
  "short-runs": ({ seconds, wanted }) => `runs of ${seconds} s are for a first look (wanted ${wanted} s); run longer.`,
  "samples-capped": ({ cap }) =>
    `the tool kept only its first ${cap} latencies; make the run shorter or take the P99 from another generator.`,
  "closed-loop-p99": ({ model }) =>
    `measured with a ${model} load at saturation, where latency only mirrors the number of connections; measure P99 at a fixed rate to compare it.`,
  "run-failed": ({ reason }) => `a run failed: ${reason}`,
  "no-runs": ({ runs }) => `${runs} of the runs gave figures; there is nothing to state.`,
  "verification-failed": ({ law, reason }) => `the gateway does not do what the scenario asks: ${law}: ${reason}`,
  "not-verified": ({ law, reason }) => `not tested: ${law}: ${reason}`,
  retransmits: ({ fraction }) =>
    `${percent(fraction)} of the TCP segments were sent again; the network is part of the figure.`,
  "accept-queue-overflow": ({ drops }) =>
    `${drops} connections were dropped by a full accept queue; raise the listen backlog.`,
  steal: ({ fraction }) => `the hypervisor took ${percent(fraction)} of the CPU away; use a dedicated machine.`,
  "not-idle": ({ of, cpuFraction, limit }) =>
    `${of}, whose turn it was not, used ${percent(cpuFraction)} of a CPU (limit ${percent(limit)}); deploy each gateway for its own rounds.`,
  "allowance-exceeded": ({ host, by }) =>
    `the network of ${host} held traffic back (${by}): its size allows no more; choose a larger or a network-optimised one.`,
  "target-not-reached": ({ goal }) => `the protocol ended before ${goal}; raise its limit.`,
  published: ({ by }) => `as published by ${by}: nothing of it was measured or can be checked here.`,
};

/** One sentence: what was seen and what to do about it. */
export function describe<C extends WarningCode>({
  code,
  evidence,
}: {
  readonly code: C;
  readonly evidence: Evidence[C];
}): string {
  return sentences[code](evidence);
}

/** The sentence of any warning. */
export function describeWarning(seen: Warning): string {
  return describe(seen as WarningOf<WarningCode>);
}

/** The worse of two grades. */
export function worse(left: Grade, right: Grade): Grade {
  return grades.indexOf(left) >= grades.indexOf(right) ? left : right;
}

export const gradeSchema = z.enum(grades);
/** The form of a warning in a file. Its type is `Warning`: a schema cannot say which evidence goes with which code. */
export const warningSchema = z.strictObject({
  code: z.enum(Object.keys(sentences) as [WarningCode, ...WarningCode[]]),
  figures: z.array(z.enum(figures)),
  cap: gradeSchema,
  evidence: z.record(z.string(), z.union([z.string(), z.number()])),
}) as unknown as z.ZodType<Warning>;
