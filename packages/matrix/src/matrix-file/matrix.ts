import type { Fault, GatewayAdapter, GeneratorAdapter, Load, NamedScenario, Protocol } from "@gatebench/core";
import type { MatrixFile } from "./matrix-file";
import type { TopologyAsked } from "./topology-asked";

/** Where in a matrix file something stands: keys and indices from its root. */
export type FilePath = readonly (string | number)[];

/** A fault, and what of the file it is about. */
export interface FileFault extends Fault {
  readonly at: FilePath;
}

/** A gateway under the name that tables call it, and how it was asked for. */
export interface MatrixGateway {
  readonly adapter: GatewayAdapter;
  /** As the file has it: what makes two of one adapter different. */
  readonly asked: unknown;
}

export interface MatrixGenerator {
  readonly adapter: GeneratorAdapter;
  readonly asked: unknown;
  /** Hosts for its workers. */
  readonly workers: number;
  /** Somebody's own, as it is today. */
  readonly script?: string;
}

export type MatrixScenario = Pick<NamedScenario, "scenario" | "connection">;

/** A load under its short name, such as "c32"; without the connection, which a scenario decides. */
export interface MatrixLoad {
  readonly name: string;
  readonly load: Load;
}

/** A size of a gateway on a topology. */
export interface Size {
  /** "2" workers, "c5.large", or "c5.large-2" where both are given. */
  readonly name: string;
  /** Undefined: as many as its host has for it. */
  readonly workers: number | undefined;
  readonly instanceType: string | undefined;
}

/** Where a lane's cells are measured: a topology, and one size of the gateway's host on it. */
export interface Place {
  /** Unique in a matrix: names the lane. */
  readonly name: string;
  readonly topology: TopologyAsked;
  readonly size: Size;
}

/** A matrix with every name looked up and every default filled in; what `expand` takes. */
export interface Matrix {
  readonly name: string;
  readonly file: MatrixFile;
  readonly gateways: readonly MatrixGateway[];
  readonly scenarios: readonly MatrixScenario[];
  readonly generators: readonly MatrixGenerator[];
  readonly loads: readonly MatrixLoad[];
  readonly places: readonly Place[];
  readonly protocol: Protocol;
}
