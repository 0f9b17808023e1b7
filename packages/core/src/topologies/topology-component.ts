import * as pulumi from "@pulumi/pulumi";
import type { Host } from "../hosts/host";
import type { Topology } from "./topology";

/** Hosts in their roles, as one resource. */
export abstract class TopologyComponent extends pulumi.ComponentResource implements Topology {
  abstract readonly topology: string;
  readonly upstream!: Host;
  readonly upstreams!: readonly Host[];
  readonly gateway!: Host;
  readonly generator!: Host;
  readonly observer!: Host;
  readonly workers!: readonly Host[];
  readonly services!: readonly [Host, ...Host[]];

  /** Once, while it is constructed. */
  protected standOn(hosts: Omit<Topology, "topology">): void {
    Object.assign(this, hosts);
  }
}
