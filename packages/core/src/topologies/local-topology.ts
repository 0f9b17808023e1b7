import type * as pulumi from "@pulumi/pulumi";
import type { Host } from "../hosts/host";
import { LocalHost } from "../hosts/local/local-host";
import { localPlace, type Owner } from "../hosts/local/local-place";
import { portFaults } from "../hosts/local/port-block";
import { refuseFaults } from "../hosts/refuse-faults";
import { openSite, type Site } from "../hosts/site";
import type { Fault, Values } from "../contract";
import { hostsInRoles } from "./roles";
import { TopologyComponent } from "./topology-component";

export interface LocalTopologyArgs {
  /** The first of 400 ports workloads listen on. Default: derived from project, stack and folder. */
  readonly portBase?: number;
  /** Hosts for the workers of a generator that has some: this machine, so many times. @default 0 */
  readonly workers?: number;
  /** Credentials of your own by reference name, such as "consumer-1.key". Default: made once and kept. */
  readonly credentials?: pulumi.Input<Values>;
}

/**
 * Everything on this machine: upstream, gateway and generator take CPU from each other, so that no figure of it can be
 * more than indicative. What it is for: a first look, the development of adapters, comparisons in one sitting.
 *
 * ### Cost
 * None.
 */
export class LocalTopology extends TopologyComponent {
  readonly topology = "local";

  constructor(
    name: string,
    { portBase, workers = 0, credentials: given }: LocalTopologyArgs = {},
    opts?: pulumi.ComponentResourceOptions,
  ) {
    refuseFaults(localTopologyFaults(name, portBase));
    super("gatebench:index:LocalTopology", name, { portBase, ...(workers > 0 ? { workers } : {}) }, opts);
    const site = openSite(this.topology, name, given, this);
    const host = new LocalHost(hostName(name), { site, portBase }, { parent: this });
    const ofWorkers = Array.from({ length: workers }, (_, index) =>
      workerHost(`${name}-worker-${index + 1}`, site, this),
    );
    this.standOn(hostsInRoles({ upstream: host, gateway: host, generator: host, workers: ofWorkers }));
    this.registerOutputs({});
  }
}

/** With a place of its own, so that what runs there is started, counted and ended apart; its ports are its own choice. */
function workerHost(name: string, site: Site, parent: pulumi.Resource): Host {
  return new LocalHost(name, { site }, { parent });
}

const hostName = (topology: string): string => `${topology}-host`;

/** Why a LocalTopology of this name cannot be had; nothing is created to find out. */
export function localTopologyFaults(name: string, portBase?: number, owner?: Owner): readonly Fault[] {
  return portFaults(localPlace(hostName(name), owner), portBase);
}
