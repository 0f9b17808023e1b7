import { eksSystemType, instanceTypeNamed } from "@gatebench/core/plan";
import type { Lane } from "./expansion";
import type { Size } from "../matrix-file/matrix";
import { isRented, type RentedAsked, type TopologyAsked } from "../matrix-file/topology-asked";

/** Hosts of one lane that do the same and are alike. */
export interface HostGroup {
  readonly role: "upstream" | "gateway" | "generator" | "worker" | "service" | "system" | "all roles";
  readonly count: number;
  /** Undefined: a machine that is there already. */
  readonly instanceType: string | undefined;
  /** What the machine is called, where it is somebody's own. */
  readonly host: string | undefined;
}

/** The hosts that a lane's cells are measured on. */
export function hostsOf({ place, benchmarks }: Pick<Lane, "place" | "benchmarks">): readonly HostGroup[] {
  const { topology, size } = place;
  const workers = Math.max(0, ...benchmarks.map((one) => one.workers));
  if (topology.kind === "local") return [own("all roles", "this machine")];
  return topology.kind === "ssh" ? ownHosts(topology, workers) : rentedHosts(topology, size, workers);
}

type Asked<K extends TopologyAsked["kind"]> = Extract<TopologyAsked, { kind: K }>;

const ownHosts = ({ upstream, gateway, generator, ...more }: Asked<"ssh">, workers: number): readonly HostGroup[] => [
  own("upstream", upstream.host),
  own("gateway", gateway.host),
  own("generator", generator.host),
  ...more.workers.slice(0, workers).map(({ host }) => own("worker", host)),
];

const rentedHosts = (topology: RentedAsked, { instanceType }: Size, workers: number): readonly HostGroup[] => [
  rented("upstream", topology.upstream),
  ...(instanceType === undefined ? [] : [rented("gateway", instanceType)]),
  rented("generator", topology.generator),
  ...(workers > 0 ? [rented("worker", topology.worker ?? topology.generator, workers)] : []),
  ...(topology.service === undefined ? [] : [rented("service", topology.service, 2)]),
  ...(topology.kind === "eks" ? [rented("system", eksSystemType)] : []),
];

const own = (role: HostGroup["role"], host: string): HostGroup => ({ role, count: 1, instanceType: undefined, host });

const rented = (role: HostGroup["role"], instanceType: string, count = 1): HostGroup => ({
  ...{ role, count, instanceType },
  host: undefined,
});

/** So many virtual CPUs of one of EC2's quotas. */
export interface Quota {
  readonly region: string;
  /** As Service Quotas names it. */
  readonly name: string;
  /** null: a type does not tell its CPUs. */
  readonly vcpus: number | null;
}

/** What a lane's machines take of EC2's quotas while they exist; of their default CPUs, also where threads are switched off. */
export function quotasOf(hosts: readonly HostGroup[], topology: TopologyAsked): readonly Quota[] {
  if (!isRented(topology)) return [];
  const { region, spot } = topology;
  return summed(
    hosts.flatMap(({ instanceType, count }) => {
      if (instanceType === undefined) return [];
      const cpus = instanceTypeNamed(instanceType)?.cpus;
      return [{ region, name: quotaName(instanceType, spot), vcpus: cpus === undefined ? null : cpus * count }];
    }),
  );
}

/** One line for each quota of each region. */
export function summed(quotas: readonly Quota[]): readonly Quota[] {
  const found = new Map<string, Quota>();
  for (const quota of quotas) {
    const key = `${quota.region}/${quota.name}`;
    const before = found.get(key)?.vcpus ?? 0;
    const unknown = quota.vcpus === null || found.get(key)?.vcpus === null;
    found.set(key, { ...quota, vcpus: unknown ? null : before + (quota.vcpus as number) });
  }
  return [...found.values()];
}

/** Families of one of these letters share one quota; each other kind has its own. */
function quotaName(instanceType: string, spot: boolean): string {
  const standard = /^[acdhimrtz]\d/.test(instanceType);
  const family = standard
    ? "Standard (A, C, D, H, I, M, R, T, Z)"
    : (/^[a-z]+/.exec(instanceType)?.[0] ?? "").toUpperCase();
  return spot ? `All ${family} Spot Instance Requests` : `Running On-Demand ${family} instances`;
}
