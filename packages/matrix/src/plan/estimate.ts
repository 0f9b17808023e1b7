import { duration, secondsOf, type Duration } from "@gatebench/core";
import { defaultDiskGib } from "@gatebench/core/plan";
import { hoursPerMonth, type Price } from "@gatebench/core/measure";
import type { PriceTable } from "../prices";
import type { Expansion, Lane } from "./expansion";
import { hostsOf, quotasOf, summed, type HostGroup, type Quota } from "./lane-hosts";
import type { Matrix } from "../matrix-file/matrix";
import { isRented, type TopologyAsked } from "../matrix-file/topology-asked";
import { timeNeeded, type TimeNeeded } from "./time-needed";

/** What a machine costs besides being one, in US dollars: AWS's prices in us-east-1 on 2026-07-20; elsewhere within a third of it. */
const besides = {
  /** Each has one, for SSH and packages: since February 2024 AWS charges for it. */
  publicAddressPerHour: 0.005,
  /** gp3. */
  diskPerGibMonth: 0.08,
};
/** Of a cluster on EKS with a version in standard support. AWS's price in every region, 2026-07-20. */
const controlPlanePerHour = 0.1;
const besidesPerHour = besides.publicAddressPerHour + (defaultDiskGib * besides.diskPerGibMonth) / hoursPerMonth;

/** A lane that is late is not to be cut off; one that nobody comes back to is. */
const ttlTimes = 2;
const shortestTtlS = 3600;
/** `Ec2Topology` takes no longer one. */
export const longestTtlS = 7 * 24 * 3600;

export interface LaneEstimate {
  readonly name: string;
  readonly topology: TopologyAsked["kind"];
  readonly region: string | undefined;
  readonly hosts: readonly HostGroup[];
  readonly cells: number;
  readonly benchmarks: number;
  readonly time: TimeNeeded;
  /** US dollars; null where a type has no price. */
  readonly usd: number | null;
  /** The same if nobody takes the machines down before they end themselves; null where they never do. */
  readonly usdUntilTtl: number | null;
  /** After it the machines end themselves. Undefined where none are rented. */
  readonly ttl: Duration | undefined;
  readonly quotas: readonly Quota[];
}

/** What carrying out a matrix takes, as far as it can be told before anything is created. */
export interface Estimate {
  readonly lanes: readonly LaneEstimate[];
  /** From the first lane's beginning to the last one's end. */
  readonly wallS: number;
  readonly parallel: number;
  /** US dollars; null where a type has no price. */
  readonly usd: number | null;
  readonly usdUntilTtl: number | null;
  /** By instance type and region: why there is no sum. */
  readonly unpriced: readonly { readonly instanceType: string; readonly region: string }[];
  /** Needed at once. */
  readonly quotas: readonly Quota[];
  /** What the sum is made of. */
  readonly prices: readonly (Price & { readonly instanceType: string; readonly region: string })[];
  readonly priceTable: Pick<PriceTable, "about" | "instead">;
  /** On-demand prices are more than spot machines cost. */
  readonly spot: boolean;
}

/** Pure: asks nobody but the price table. */
export function estimate({ lanes }: Pick<Expansion, "lanes">, matrix: Matrix, prices: PriceTable): Estimate {
  const each = lanes.map((lane) => laneEstimate(lane, matrix, prices));
  const rented = typesOf(each);
  const { parallel } = matrix.file;
  return {
    lanes: each,
    wallS: wallTime(
      each.map(({ time }) => time.totalS),
      parallel,
    ),
    parallel,
    ...{ usd: total(each.map(({ usd }) => usd)), usdUntilTtl: total(each.map(({ usdUntilTtl }) => usdUntilTtl)) },
    unpriced: rented.filter(({ instanceType, region }) => !prices.pricePerHour(instanceType, region)),
    quotas: atOnce(each, parallel),
    prices: rented.flatMap((one) => {
      const price = prices.pricePerHour(one.instanceType, one.region);
      return price ? [{ ...one, ...price }] : [];
    }),
    priceTable: { about: prices.about, ...(prices.instead === undefined ? {} : { instead: prices.instead }) },
    spot: lanes.some(({ place: { topology } }) => isRented(topology) && topology.spot),
  };
}

function laneEstimate(lane: Lane, matrix: Matrix, prices: PriceTable): LaneEstimate {
  const { topology } = lane.place;
  const [hosts, time] = [hostsOf(lane), timeNeeded(lane, matrix)];
  const common = { name: lane.name, topology: topology.kind, hosts, cells: lane.cells.length, time };
  const benchmarks = lane.benchmarks.length;
  if (!isRented(topology))
    return { ...common, benchmarks, region: undefined, usd: 0, usdUntilTtl: 0, ttl: undefined, quotas: [] };
  const ttl = topology.kind === "ec2" ? (topology.ttl ?? duration(defaultTtlS(time.totalS))) : undefined;
  const perHour = total([
    usdPerHour(hosts, topology.region, prices),
    topology.kind === "eks" ? controlPlanePerHour : 0,
  ]);
  const costing = (seconds: number) => (perHour === null ? null : (perHour * seconds) / 3600);
  return {
    ...{ ...common, benchmarks, region: topology.region, ttl, quotas: quotasOf(hosts, topology) },
    usd: costing(time.totalS),
    // Earlier deployments have been taken down when the last one is forgotten. A cluster never ends itself.
    usdUntilTtl: ttl === undefined ? null : costing(time.totalS - time.totalS / time.deployments + secondsOf(ttl)),
  };
}

const defaultTtlS = (totalS: number): number =>
  Math.min(longestTtlS, Math.max(shortestTtlS, Math.ceil((ttlTimes * totalS) / 60) * 60));

function usdPerHour(hosts: readonly HostGroup[], region: string, prices: PriceTable): number | null {
  return total(
    hosts.map(({ instanceType, count }) => {
      const price = instanceType === undefined ? undefined : prices.pricePerHour(instanceType, region);
      return price ? count * (price.usd + besidesPerHour) : null;
    }),
  );
}

/** A sum of which a part is not known is not known. */
const total = (parts: readonly (number | null)[]): number | null =>
  parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0);

/** Lanes begin in their order, as soon as one before them has ended. */
function wallTime(lanesS: readonly number[], parallel: number): number {
  const freeAt = Array.from({ length: parallel }, () => 0);
  for (const lane of lanesS) freeAt[freeAt.indexOf(Math.min(...freeAt))]! += lane;
  return Math.max(...freeAt);
}

/** Which lanes meet depends on how long each really takes: the largest of each quota together, as many as may run. */
function atOnce(lanes: readonly LaneEstimate[], parallel: number): readonly Quota[] {
  const all = lanes.flatMap(({ quotas }) => quotas);
  return summed(all).flatMap(({ region, name }) => {
    const same = all.filter((quota) => quota.region === region && quota.name === name);
    const largest = same.toSorted((left, right) => (right.vcpus ?? Infinity) - (left.vcpus ?? Infinity));
    return summed(largest.slice(0, parallel));
  });
}

function typesOf(
  lanes: readonly LaneEstimate[],
): readonly { readonly instanceType: string; readonly region: string }[] {
  const all = lanes.flatMap(({ hosts, region }) =>
    hosts.flatMap(({ instanceType }) =>
      instanceType === undefined || region === undefined ? [] : [{ instanceType, region }],
    ),
  );
  return [...new Map(all.map((one) => [`${one.region}/${one.instanceType}`, one])).values()];
}
