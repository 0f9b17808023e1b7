import type {
  CounterPage,
  MetricsPage,
  Readiness,
  RequestSpec,
  SetupRequest,
  Workload,
} from "@gatebench/core/contract";

/** A port by its name instead of its number, which the host decides. Default: the gateway's first. */
type ByPortName<T> = Omit<T, "port"> & { readonly port?: string };

/** A workload with everything left out that has a default. */
export interface ContainerWorkload
  extends Pick<Workload, "image" | "command">, Partial<Omit<Workload, "image" | "command" | "ports" | "readiness">> {
  /** Names of its ports. Default: where traffic enters, those that no other workload has; none elsewhere. */
  readonly ports?: readonly string[];
  /** Default: where traffic enters, that its port takes connections; elsewhere nothing is waited for. */
  readonly readiness?: ByPortName<Readiness>;
}

/** A path, or a path and what its requests have that the scenario does not say. */
export type ContainerRequest = string | (Pick<RequestSpec, "path"> & Partial<RequestSpec>);

/** Default: POST, no headers, to be answered with 200. */
export type ContainerSetup = Pick<SetupRequest, "path"> & Partial<ByPortName<SetupRequest>>;

export type ContainerCounters = ByPortName<CounterPage>;
export type ContainerMetrics = ByPortName<MetricsPage>;
