import * as pulumi from "@pulumi/pulumi";
import { Credentials } from "../hosts/credentials";
import type { Host } from "../hosts/host";
import { LocalHost } from "../hosts/local/local-host";
import { localPlace, type Owner } from "../hosts/local/local-place";
import { portFaults } from "../hosts/local/port-block";
import { Queue } from "../hosts/queue";
import { lineOf, type Fault, type Values } from "../contract";
import type { Topology } from "./topology";

export interface LocalTopologyArgs {
  /** The first of 400 ports workloads listen on. Default: derived from project, stack and folder. */
  readonly portBase?: number;
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
export class LocalTopology extends pulumi.ComponentResource implements Topology {
  readonly topology = "local";
  readonly upstream: Host;
  readonly gateway: Host;
  readonly generator: Host;
  readonly observer: Host;

  constructor(
    name: string,
    { portBase, credentials: given }: LocalTopologyArgs = {},
    opts?: pulumi.ComponentResourceOptions,
  ) {
    refusePorts(name, portBase);
    super("gatebench:index:LocalTopology", name, { portBase }, opts);
    const credentials = new Credentials(`${name}-credentials`, { given }, { parent: this });
    const site = { topology: this.topology, credentials, queue: new Queue() };
    const host = new LocalHost(hostName(name), { site, portBase }, { parent: this });
    this.upstream = this.gateway = this.generator = this.observer = host;
    this.registerOutputs({});
  }
}

const hostName = (topology: string): string => `${topology}-host`;

/** Why a LocalTopology of this name cannot be had; nothing is created to find out. */
export function localTopologyFaults(name: string, portBase?: number, owner?: Owner): readonly Fault[] {
  return portFaults(localPlace(hostName(name), owner), portBase);
}

function refusePorts(name: string, portBase: number | undefined): void {
  const faults = localTopologyFaults(name, portBase);
  if (faults.length > 0) throw new pulumi.RunError(faults.map(lineOf).join("\n"));
}
