import {
  inFlightBound,
  statusRange,
  type Counters,
  type HostUsage,
  type Load,
  type LoadResult,
  type Purpose,
  type ResolvedScenario,
  type Run,
  type Warning,
} from "../contract";

/** Everything one run is judged by. */
export interface RunFacts {
  readonly asked: Load;
  readonly result: LoadResult;
  readonly counters?: Run["counters"];
  /** Upstreams of several that no longer answered after it, and how many there were. */
  readonly lost?: readonly { readonly name: string; readonly reason: string; readonly oneOf: number }[];
  readonly hosts: readonly HostUsage[];
  readonly scenario: ResolvedScenario;
  readonly purpose: Purpose;
  /** Whether nothing stands between generator and upstream. */
  readonly isBaseline: boolean;
  /** Connections the generator opens that carry no request: its `emptyConnections`. */
  readonly emptyConnections?: number;
  /** What the gateway may use: each worker keeps connections of its own to the upstream. */
  readonly workers: number;
  /** Whether verification has shown that no TLS session is resumed, by ID or by ticket. */
  readonly resumptionRefused: boolean;
}

/** The limits a run is held to, as fractions of 1. */
export const runLimits = {
  /** Failed requests of a valid point: a tenth of what a P99 is made of. (Nighthawk's default tolerates none.) */
  errors: 0.001,
  /** Failed requests beyond which the gateway is overloaded: as many as a P99 is made of. */
  overload: 0.01,
  /** Of the rate asked for. A closed load lowers its rate without a word: hey sent 195/s of 500. */
  rateReached: 0.99,
  /** Of the iterations asked for; what is left out is what would have been slow. */
  dropped: 0.001,
  /** Of the requests, kept from being sent by one stall: as many as a P99 is made of. */
  hidden: 0.01,
  /** k6's documentation: above 80 % a generator measures itself; up to 70 % it has room for a second's burst. */
  cpuComfortable: 0.7,
  cpuFull: 0.8,
  /** Of the gateway's workers; the rest is lost to switches between tasks. */
  gatewayFull: 0.95,
  /** Lower than of the workers: a run's window holds the start and the end of the tool, in which nothing is sent. */
  machineFull: 0.9,
  /** Of one CPU, used by a gateway whose turn it is not. */
  idleCpu: 0.01,
  /** Of the CPU, taken by the hypervisor: as much as an interval is wanted to be narrow. */
  steal: 0.02,
  /**
   * One segment sent again costs at least 200 ms (the kernel's least retransmission timeout) and an exchange is several
   * segments: at 0.1 % the slowest 1 %, which is what a P99 is, already holds many of them.
   */
  retransmits: 0.001,
  /** New connections per request where they are kept. nginx closes one after 1,000 requests; 50 is far from that. */
  newConnections: 0.02,
} as const;

export type Counts = Readonly<Record<string, number>>;

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
/** A warning, where there is one. */
export const one = (seen: Warning | false | undefined): readonly Warning[] => (seen ? [seen] : []);

/** What the server nearest to the generator counted. */
export const entryOf = ({ isBaseline, counters }: RunFacts): Counters | undefined =>
  isBaseline ? counters?.upstream : counters?.gateway;
/** Its role. */
export const entryName = ({ isBaseline }: RunFacts): string => (isBaseline ? "upstream" : "gateway");

/** Kinds of errors whose request never reached a server that could count it. */
const neverArrived = ["connect", "dns", "tls", "ports", "files"];

/** What honest counters may differ by: requests in flight when the tool stopped, and those that failed on the way. */
export function allowedDifference({ asked, result }: RunFacts): number {
  const lost = Object.entries(result.errors).filter(([kind]) => !neverArrived.includes(kind));
  return inFlightBound(asked) + sum(lost.map(([, count]) => count));
}

/** Generators that leave out the ramp counted less than the servers did. */
export const countsRamp = ({ asked }: RunFacts): boolean => asked.measureFrom !== "after-ramp";

/** Requests that failed, and what they are of all that were sent. */
export interface Failures {
  readonly count: number;
  /** 0 to 1. */
  readonly fraction: number;
  readonly kinds: string;
}

/** Transport errors, and statuses from 400 on but for a rate limit's own, where one is asked for. */
export function failuresOf({ result, scenario }: RunFacts): Failures {
  const ofLimit = (key: string) => scenario.rateLimit && statusRange(key)[0] <= 429 && statusRange(key)[1] >= 429;
  const statuses = Object.entries(result.statuses).filter(([key]) => statusRange(key)[0] >= 400 && !ofLimit(key));
  const failed = [...Object.entries(result.errors), ...statuses].filter(([, count]) => count > 0);
  const count = sum(failed.map(([, many]) => many));
  const kinds = failed.sort(([, left], [, right]) => right - left).map(([kind, many]) => `${kind} ${many}`);
  return { count, fraction: count / Math.max(1, attemptsOf(result)), kinds: kinds.join(", ") };
}

/** Requests that were sent, as the tool counts them, or else those that came to an end. */
export const attemptsOf = ({ attempts, responses, errors }: LoadResult): number =>
  attempts ?? responses + sum(Object.values(errors));
