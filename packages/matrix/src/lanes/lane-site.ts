import { readFileSync } from "node:fs";
import type { Duration, Fault, Topology } from "@gatebench/core";
import { LocalTopology, localTopologyFaults } from "@gatebench/core/local";
import type { Place } from "../matrix-file/matrix";
import { rentedMachines } from "../matrix-file/rented-machines";
import { isRented, type TopologyAsked } from "../matrix-file/topology-asked";

/** Names the topology in a lane's program. */
const siteName = "site";

/** What a lane's hosts need to be told besides what the file says. */
export interface SiteFacts {
  /** Hosts for the generators' workers: the most any of them asks for. */
  readonly workers: number;
  /** Undefined: they are not rented. */
  readonly ttl: Duration | undefined;
  readonly tags: Readonly<Record<string, string>>;
}

/** How to open a lane's hosts within its program. The SDK of a cloud is loaded only where one is asked for. */
export async function siteOf(place: Place, facts: SiteFacts): Promise<() => Topology> {
  const { topology } = place;
  if (topology.kind === "local")
    return () => new LocalTopology(siteName, { portBase: topology.portBase, workers: facts.workers });
  if (topology.kind === "ssh") return sshSite(topology, facts);
  return topology.kind === "ec2" ? ec2Site(topology, place, facts) : eksSite(topology, place, facts);
}

/** What the engine has to be told of a cloud. */
export const engineConfigOf = ({ topology }: Place): Readonly<Record<string, string>> =>
  isRented(topology) ? { "aws:region": topology.region } : {};

/** Why a lane's hosts cannot be opened from here; nothing is created to find out. */
export function siteFaults(
  { topology }: Place,
  owner: { readonly project: string; readonly stack: string },
): readonly Fault[] {
  return topology.kind === "local" ? localTopologyFaults(siteName, topology.portBase, owner) : [];
}

type Asked<K extends TopologyAsked["kind"]> = Extract<TopologyAsked, { kind: K }>;

async function sshSite(asked: Asked<"ssh">, { workers }: SiteFacts): Promise<() => Topology> {
  const { SshTopology } = await import("@gatebench/core/ssh");
  const privateKey = readFileSync(asked.privateKeyFile, "utf8");
  const machine = <M extends object>(one: M) => ({ ...one, privateKey });
  return () =>
    new SshTopology(siteName, {
      upstream: machine(asked.upstream),
      gateway: machine(asked.gateway),
      generator: machine(asked.generator),
      workers: asked.workers.slice(0, workers).map(machine),
    });
}

async function ec2Site(asked: Asked<"ec2">, { size }: Place, facts: SiteFacts): Promise<() => Topology> {
  const { Ec2Topology } = await import("@gatebench/core/ec2");
  const { sshFrom, placementGroup, spot, allowBurstable, allowSmallGenerator, zone } = asked;
  return () =>
    new Ec2Topology(siteName, {
      ...{ sshFrom, placementGroup, spot, allowBurstable, allowSmallGenerator, zone, tags: facts.tags },
      ...(facts.ttl === undefined ? {} : { ttl: facts.ttl }),
      ...rentedMachines(asked, size.instanceType as string, facts.workers),
    });
}

async function eksSite(asked: Asked<"eks">, { size }: Place, facts: SiteFacts): Promise<() => Topology> {
  const { EksTopology } = await import("@gatebench/core/eks");
  const { version, spot, allowBurstable, allowSmallGenerator } = asked;
  return () =>
    new EksTopology(siteName, {
      ...{ version, spot, allowBurstable, allowSmallGenerator, tags: facts.tags },
      ...rentedMachines(asked, size.instanceType as string, facts.workers),
    });
}
