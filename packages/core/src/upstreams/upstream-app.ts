import type {
  Address,
  CounterPage,
  Fault,
  MetricsPage,
  Ports,
  ResolvedScenario,
  TlsProfile,
  UpstreamBehaviour,
  Workload,
} from "../contract";
import type { ExpectedBody } from "./expected-body";

/** Where one of several upstreams is to run, and how it is to behave. */
export interface UpstreamSite {
  /** Counted from 1; names the workload and what it says of itself. */
  readonly index: number;
  readonly behaviour: ResolvedScenario["upstream"];
  /** Present where the scenario's scheme is https: the profile the secure port serves, so that `direct` is measured with it too. */
  readonly tls?: TlsProfile;
  /** What a host allocated for the names in `ports`. */
  readonly ports: Ports;
  /** Worker processes, threads or GOMAXPROCS it may use. */
  readonly workers: number;
}

/** What an upstream is asked for, and what it then answers with. */
export interface Answer {
  /** A gateway's route is put before it. */
  readonly path: string;
  /** Without, that gateways leave it unchanged is not tested. */
  readonly body?: ExpectedBody;
  /** Methods it answers. Default any. */
  readonly methods?: readonly string[];
}

/**
 * What answers behind every gateway of a comparison.
 *
 * The gateway is to be what is measured. So an upstream app must cost less than any gateway, answer the same bytes to
 * each, and count on its own: gateway, generator and upstream then agree, or something answers unseen. It is pure, like
 * a gateway adapter: the app decides what to run, a host decides where. Any container can be made one.
 */
export interface UpstreamApp {
  /** Kebab-case; stands in results. */
  readonly name: string;
  /** Of what answers, as results state it. */
  readonly version: string;
  /** Names of the ports each upstream needs. */
  readonly ports: readonly string[];
  /** Where any request's body comes back; without, that a body passes unchanged is not tested. */
  readonly echo?: {
    readonly path: string;
    /** What the answer to a body is. Default: the body. */
    answer?(sent: string): ExpectedBody;
  };
  /**
   * Everything of the behaviour, as it was asked for of one host, that it cannot do, one line each; `tls`: a port with TLS,
   * too.
   */
  unsupported(behaviour: UpstreamBehaviour, tls?: boolean): readonly Fault[];
  /** What answers as the behaviour says. What was not asked for may be the app's own. */
  answer(behaviour: UpstreamBehaviour): Answer;
  workload(site: UpstreamSite): Workload;
  /** Where gateways, or a generator without one, reach it on a host. */
  address(host: string, ports: Ports): Address;
  /** Without, what a gateway keeps to itself (a cache, a connection) is not tested. */
  counters?(ports: Ports): readonly CounterPage[];
  /** For an observatory; the queries of its figures say `{$upstream}`. */
  metrics?(ports: Ports): readonly MetricsPage[];
  /** The value of the `x-upstream` header of one upstream's responses, by which balancing is seen. Without, it is not. */
  label?(index: number): string;
}
