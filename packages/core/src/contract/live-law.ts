import type { CounterName, CounterPage, RequestSpec } from "./deployment";
import type { ResolvedScenario } from "./scenario";

/** Pages that count, all on one host. */
export interface CounterSource {
  readonly host: string;
  readonly pages: readonly CounterPage[];
}

/** A body that is known before it is sent, but for what changes from answer to answer. */
export interface KnownBody {
  /** Of what is left of it. */
  readonly sha256: string;
  /** Of the whole of it. Left out: its length changes, too. */
  readonly bytes?: number;
  /** What changes: a POSIX extended expression, tried on each line. What it matches is taken out, the rest is compared. */
  readonly without?: string;
}

/** What is asked of a running gateway, from the generator's host. */
export interface LiveTarget {
  readonly scheme: "http" | "https";
  /** May be a reference. */
  readonly host: string;
  readonly port: number;
  /** Where it answers plain HTTP with a redirect to the port above, if it was set up to. */
  readonly redirectPort?: number;
  readonly requests: readonly RequestSpec[];
  /** How many upstreams stand behind it, by the name each gives in its `x-upstream` header; none where they give none. */
  readonly upstreams: readonly string[];
  /** The body an upstream answers every one of `requests` with. Without it, unchanged bodies are not tested. */
  readonly payload?: KnownBody;
  /** Without it, unchanged request bodies are not tested. */
  readonly echo?: {
    /** Where the upstream answers with the body it was sent. */
    readonly path: string;
    /** That answer to the body the laws send. Default: the body itself. */
    readonly answer?: KnownBody;
  };
  /** Where the upstreams count. Without, what the gateway keeps to itself (a cache, a connection) is not tested. */
  readonly upstreamCounters?: readonly CounterSource[];
  /** No gateway stands before the upstream, so nothing is asked of its connections. */
  readonly direct?: boolean;
}

interface ProbeCommon {
  /** Kebab-case. Probes of several laws with one name are one probe, carried out once. */
  readonly name: string;
  /** Carried out while no other probe is. The rest run together with their neighbours in the list. */
  readonly alone?: boolean;
}

/**
 * Requests, carried out by curl: each of `requests` in turn, each `times` times, one after another over one connection;
 * all of that over so many `connections` at once.
 */
export interface HttpProbe extends ProbeCommon {
  readonly kind: "http";
  readonly requests: readonly RequestSpec[];
  readonly times: number;
  readonly connections: number;
  /** Sent over plain HTTP to this port in place of the target's own. */
  readonly plainPort?: number;
  /** Answers' headers to report, in small letters. Default none. */
  readonly headers?: readonly string[];
  /** Whether the answers' bodies are to be hashed; only for requests sent once over one connection. */
  readonly bodies?: boolean;
  /** What is taken out of the bodies before, as of a KnownBody. */
  readonly without?: string;
  /** Seconds after which the whole probe is given up. */
  readonly withinS: number;
}

/** One handshake, carried out by openssl, then as many attempts to resume its session as asked for. */
export interface TlsProbe extends ProbeCommon {
  readonly kind: "tls";
  readonly version: "1.2" | "1.3";
  /** Offered TLS 1.2 ciphers in OpenSSL's notation. Default OpenSSL's. */
  readonly ciphers?: string;
  readonly resume?: { readonly by: "id" | "ticket"; readonly times: number };
}

/** A reading of counters. */
export interface CountersProbe extends ProbeCommon {
  readonly kind: "counters";
  readonly sources: readonly CounterSource[];
}

/** Nothing is sent for so long, so that a limiter allows again what it is there to allow. */
export interface PauseProbe extends ProbeCommon {
  readonly kind: "pause";
  readonly seconds: number;
}

/** One thing to try, as data. */
export type Probe = HttpProbe | TlsProbe | CountersProbe | PauseProbe;

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBytes: number;
  /** Where the probe asked for it. */
  readonly bodySha256?: string;
}

export interface HttpObservation {
  readonly kind: "http";
  /** Complete ones, in the order of the requests. */
  readonly responses: readonly HttpResponse[];
  /** How long the slowest connection was busy. */
  readonly elapsedS: number;
  /** Why there are fewer responses than requests. */
  readonly error?: string;
}

export interface TlsObservation {
  readonly kind: "tls";
  readonly connected: boolean;
  readonly version?: string;
  readonly cipher?: string;
  readonly curve?: string;
  readonly key?: { readonly algorithm: string; readonly bits: number };
  /** Whether the server gave the client a ticket. */
  readonly ticket: boolean;
  /** One for each attempt to resume that led to a handshake: whether it was abbreviated. Empty: nothing to resume with. */
  readonly reused: readonly boolean[];
  /** In openssl's words: why there was no handshake. */
  readonly error?: string;
}

export interface CountersObservation {
  readonly kind: "counters";
  /** Sums over all pages; a missing one stood on none of them. */
  readonly counted: Readonly<Partial<Record<CounterName, number>>>;
  readonly error?: string;
}

export type Observation = HttpObservation | TlsObservation | CountersObservation;

/** What came back, by the probe's name. A pause leaves nothing. */
export type Observations = Readonly<Record<string, Observation>>;

/** held: shown to be so. broken: shown not to be so. untested: cannot be shown here, with the reason. */
export type Finding =
  | { readonly verdict: "held" }
  | { readonly verdict: "broken"; readonly reason: string }
  | { readonly verdict: "untested"; readonly reason: string };

/**
 * Something every gateway must do while it runs, if the scenario asks for it.
 *
 * Probes are data, carried out as one job from where the load will come; `check` is pure. The same list verifies a
 * target before every benchmark: a gateway that breaks one is never measured.
 */
export interface LiveLaw {
  /** A sentence: "refuses a wrong credential". */
  readonly name: string;
  appliesTo(scenario: ResolvedScenario): boolean;
  probes(scenario: ResolvedScenario, target: LiveTarget): readonly Probe[];
  check(observations: Observations, scenario: ResolvedScenario, target: LiveTarget): Finding;
}

/** What the verify step found of one target. */
export interface Verification {
  readonly target: string;
  readonly laws: readonly { readonly law: string; readonly finding: Finding }[];
}

/** The laws a target breaks; empty: it may be measured. */
export function broken({ laws }: Verification): readonly { readonly law: string; readonly reason: string }[] {
  return laws.flatMap(({ law, finding }) => (finding.verdict === "broken" ? [{ law, reason: finding.reason }] : []));
}
