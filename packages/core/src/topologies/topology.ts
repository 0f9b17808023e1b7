import type { Host } from "../hosts/host";

/** The hosts of one benchmark by role. */
export interface Topology {
  /** As results state it: "local", "ssh", "ec2", "eks". */
  readonly topology: string;
  /** The first of them. */
  readonly upstream: Host;
  /** Where upstreams stand, in turn: one host, or several. */
  readonly upstreams: readonly Host[];
  readonly gateway: Host;
  readonly generator: Host;
  readonly observer: Host;
  /** Where the workers of a generator stand that shares its load among several hosts. */
  readonly workers: readonly Host[];
  /** Where stands what a gateway asks while it decides: an authorizer on the first, its store on the last. */
  readonly services: readonly [Host, ...Host[]];
}
