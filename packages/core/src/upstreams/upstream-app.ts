import type { Address, CounterPage, Fault, Ports, ResolvedScenario, TlsProfile, Workload } from "../contract";

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
  /** The path that answers as the behaviour says; a gateway's route is put before it. */
  readonly path: string;
  /** The path that gives any request's body back unchanged; without, that a body passes unchanged is not tested. */
  readonly echoPath?: string;
  /** Everything in the behaviour that it cannot do, one line each. */
  unsupported(behaviour: ResolvedScenario["upstream"]): readonly Fault[];
  workload(site: UpstreamSite): Workload;
  /** Where gateways, or a generator without one, reach it on a host. */
  address(host: string, ports: Ports): Address;
  counters(ports: Ports): readonly CounterPage[];
  /** The value of the `x-upstream` header of one upstream's responses, by which balancing is seen. */
  label(index: number): string;
  /** The body it answers with, where it is known in advance. */
  body?(behaviour: ResolvedScenario["upstream"]): string;
}
