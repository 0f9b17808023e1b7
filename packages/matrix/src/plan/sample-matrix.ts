import type { GatewayAdapter, Load, Scenario } from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import { fakeGateway, fakeGenerator } from "@gatebench/core/testing";
import type { Expansion, Lane, PlannedBenchmark, PlannedCell, SkippedCell } from "./expansion";
import type { Matrix, Place, Size } from "../matrix-file/matrix";
import { matrixFileSchema, type MatrixFileGiven } from "../matrix-file/matrix-file";
import { isRented, type TopologyAsked } from "../matrix-file/topology-asked";

/** A matrix and what it expands to, in which nothing is remarkable, for tests to change. */
export interface SampleMatrix {
  readonly matrix: Matrix;
  readonly expansion: Expansion;
}

export interface SampleChanges {
  readonly file?: Partial<MatrixFileGiven>;
  readonly sizes?: readonly string[];
  readonly gateways?: readonly string[];
  readonly load?: Load;
  readonly workers?: number;
  readonly maxRuns?: number;
  readonly skipped?: readonly SkippedCell[];
}

type Ec2 = Extract<TopologyAsked, { kind: "ec2" }>;

export const ec2: Ec2 = {
  ...{ kind: "ec2", region: "us-east-1", sshFrom: "203.0.113.7/32", upstream: "c5.xlarge", generator: "c5.2xlarge" },
  ...{ sizes: ["c5.large", "c5.xlarge"], spot: false, allowBurstable: false, allowSmallGenerator: false },
};
export const eks: Extract<TopologyAsked, { kind: "eks" }> = {
  ...{ kind: "eks", region: "us-east-1", upstream: "c5.xlarge", generator: "c5.2xlarge", sizes: ["c5.large"] },
  ...{ spot: false, allowBurstable: false, allowSmallGenerator: false },
};
const machine = (name: string) => ({ host: `${name}.example`, user: "bench", address: "10.0.0.1", cpus: 4 });
export const ssh: TopologyAsked = {
  ...{ kind: "ssh", privateKeyFile: "key", upstream: machine("up"), gateway: machine("gw"), generator: machine("gen") },
  workers: [machine("w1"), machine("w2")],
};
export const local: TopologyAsked = { kind: "local" };

/** One benchmark of the path without a gateway and some gateways, in a lane for each size. */
export function sampleMatrix(asked: TopologyAsked, changes: SampleChanges = {}): SampleMatrix {
  const { gateways = ["fake"], sizes = ["c5.large"], load, workers = 0, skipped = [] } = changes;
  const file = matrixFileSchema.parse({ name: "sample", gateways, topologies: [asked], ...changes.file });
  const [topology] = file.topologies as [TopologyAsked];
  const targets = ["direct", ...gateways].map((name) => ({
    name,
    adapter: fakeGateway({ name, version: name === "direct" ? null : "1.0.0" } as Partial<GatewayAdapter>),
    scenario: { name: "plain" } as Scenario,
  }));
  const benchmark: PlannedBenchmark = {
    ...{ name: "fake-load-plain", generator: fakeGenerator(), workers, targets, base: { name: "plain" } },
    load: load ?? { model: "closed", connections: 32, duration: "10s" },
  };
  const lanes = sizes.map((name) => laneOf(placeOf(topology, name), [benchmark]));
  const protocol = { ...repeat({ runs: file.repetitions }), ...(changes.maxRuns ? { maxRuns: changes.maxRuns } : {}) };
  return {
    matrix: {
      ...{ name: "sample", file, gateways: [], scenarios: [], generators: [], loads: [], protocol },
      places: lanes.map(({ place }) => place),
    },
    expansion: { lanes, cells: lanes.flatMap(({ cells }) => cells), skipped, faults: [] },
  };
}

function placeOf(topology: TopologyAsked, size: string): Place {
  const sized: Size = { name: size, workers: undefined, instanceType: isRented(topology) ? size : undefined };
  return { name: `${topology.kind}-${size}`, topology, size: sized };
}

function laneOf(place: Place, benchmarks: readonly PlannedBenchmark[]): Lane {
  return {
    ...{ name: place.name, place, benchmarks },
    cells: benchmarks.flatMap(({ name, generator, targets }) =>
      targets.map(({ name: target, scenario }): PlannedCell => ({
        ...{ id: `${target}_${place.name}`, gateway: target, scenario: scenario.name, generator: generator.name },
        ...{ load: "c32", size: place.size.name, topology: place.topology.kind },
        ...{ lane: place.name, benchmark: name, target },
      })),
    ),
  };
}
