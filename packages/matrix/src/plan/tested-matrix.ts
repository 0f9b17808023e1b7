import { scenarios, type GatewayAdapter, type GeneratorAdapter } from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import { envoy, nginx } from "@gatebench/gateways";
import { wrk } from "@gatebench/generators";
import type { Matrix, MatrixLoad, Place } from "../matrix-file/matrix";
import { matrixFileSchema, type MatrixFileGiven } from "../matrix-file/matrix-file";

/** What a test's matrix is made of. */
export interface TestedMatrix {
  readonly file?: Partial<MatrixFileGiven>;
  readonly gateways?: readonly GatewayAdapter[];
  readonly generators?: readonly GeneratorAdapter[];
  readonly scenarios?: readonly string[];
  readonly loads?: readonly MatrixLoad[];
  /** Workers of the gateway, one lane each. */
  readonly sizes?: readonly number[];
}

export const closedLoad = (connections: number): MatrixLoad => ({
  name: `c${connections}`,
  load: { model: "closed", connections, duration: "10s" },
});

/** A matrix for tests, as it would have been read from a file. */
export function testedMatrix(asked: TestedMatrix = {}): Matrix {
  const { gateways = [nginx(), envoy()], generators = [wrk()], scenarios: names = ["plain"], sizes = [1] } = asked;
  const file = matrixFileSchema.parse({ name: "tested", gateways: gateways.map(({ name }) => name), ...asked.file });
  return {
    ...{ name: file.name, file, protocol: repeat({ runs: file.repetitions }) },
    gateways: gateways.map((adapter) => ({ adapter, asked: adapter.name })),
    generators: generators.map((adapter) => ({ adapter, asked: adapter.name, workers: 0 })),
    scenarios: names.map((name) => scenarios[name] as (typeof scenarios)[string]),
    loads: asked.loads ?? [closedLoad(32)],
    places: sizes.map(localPlace),
  };
}

const localPlace = (workers: number): Place => ({
  name: `local-${workers}`,
  topology: { kind: "local", sizes: [workers] },
  size: { name: String(workers), workers, instanceType: undefined },
});
