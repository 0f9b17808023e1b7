import type { QueriedFigure } from "./queried-figure";
import type { Readiness, Workload } from "./workload";

/** Where something answers. `host` may be a reference. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** The port that answers with TLS, where there is one beside `port`. */
  readonly securePort?: number;
}

export interface Endpoint extends Address {
  readonly scheme: "http" | "https";
}

/** One request of a generator, or of the set-up, byte for byte. Header values may hold references. */
export interface RequestSpec {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The status of a good answer. */
  readonly expect: number;
}

/** Where a path of the upstream is reached through a route, whose prefix a gateway takes off: "/route-1/echo". */
export function pathBehind(route: string, path: string): string {
  if (path === "/") return route;
  const [prefix = "", ...query] = route.split("?");
  return [prefix.replace(/\/$/, "") + path, ...query].join("?");
}

/** A request that sets a started gateway up, such as creating a key whose value is ours. */
export interface SetupRequest extends RequestSpec {
  readonly port: number;
  /** Default "http". */
  readonly scheme?: "http" | "https";
}

/** A quantity counted by a gateway or an upstream since it started. */
export type CounterName = "requests" | "connections" | "handshakes" | "resumptions";

/**
 * Where a workload counts what it served, read before and after a run.
 *
 * A page of text and regular expressions: it reads nginx's status page, Envoy's statistics, Prometheus' format and a
 * log of failures alike. Each expression has one capture, `^` and `$` stand for the ends of a line, and all matches
 * are added up.
 */
export interface CounterPage {
  readonly port: number;
  readonly path: string;
  readonly values?: Readonly<Partial<Record<CounterName, string>>>;
  /** By status code or class ("4xx"): an expression that captures a count. */
  readonly statuses?: Readonly<Record<string, string>>;
  /** An expression that captures a status code once for each response (a log of responses, not counts). */
  readonly statusLines?: string;
  /** What reading this page itself adds to the counters. Default nothing. */
  readonly adds?: { readonly requests: number; readonly connections: number };
}

/** What was served between two readings of the pages, the readings themselves taken off. */
export interface Counters {
  readonly requests?: number;
  readonly connections?: number;
  readonly handshakes?: number;
  readonly resumptions?: number;
  /** By code or class; a missing one was not counted, not zero. */
  readonly statuses?: Readonly<Record<string, number>>;
}

/** An end point with metrics in Prometheus' format; an observatory beside the benchmark scrapes it. */
export interface MetricsPage {
  readonly port: number;
  readonly path: string;
  /** What its series are good for. Each query names whose series it is about: `{$gateway}`, `{$upstream}`, `{$generator}`, `{$authorizer}`. */
  readonly figures?: readonly QueriedFigure[];
}

interface DeploymentCommon {
  /** Where the generator sends its requests. */
  readonly entry: Endpoint;
  /** Where it answers plain HTTP with a redirect to the entry; where the scenario asks for one. */
  readonly redirectPort?: number;
  /** Sent once, in order, after the workloads are ready. They never need a value from a response. */
  readonly setup?: readonly SetupRequest[];
  readonly counters?: readonly CounterPage[];
  readonly metrics?: readonly MetricsPage[];
  /** One for each route and consumer a generator may send to. */
  readonly requests: readonly RequestSpec[];
}

/** Workloads in start order. Runs on any host. */
export interface ContainerDeployment extends DeploymentCommon {
  readonly kind: "containers";
  readonly workloads: readonly Workload[];
}

/** A Kubernetes object as its API takes it. Texts may hold references; a secret value stands in a Secret's `stringData`. */
export type Manifest = Readonly<Record<string, unknown>>;

/**
 * Where a host writes into a chart's values which nodes its pods get.
 *
 * The adapter does not know the nodes and the host does not know the chart: so the adapter says where it stands, as
 * keys with dots between ("controller.nodeSelector"), and the host what (`placed`).
 */
export interface Placement {
  /** "gateway": the nodes that are the gateway's alone. "support": any others, so that it takes nothing from what is measured. */
  readonly pool: "gateway" | "support";
  readonly nodeSelector: string;
  readonly tolerations: string;
  /** Requests and limits, as a container has them. */
  readonly resources: string;
}

/** A Helm chart to release. */
export interface Chart {
  /** The release's name. */
  readonly name: string;
  readonly chart: string;
  /** Pinned. */
  readonly version: string;
  readonly repository: string;
  /** Made by the host where it is not there. */
  readonly namespace: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Names of the Services it makes. Default none. */
  readonly services?: readonly string[];
  /** Without, it starts no pods. */
  readonly placement?: Placement;
}

/** Pods that are told apart by labels. */
export interface Pods {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly container: string;
  /** Prints in that container the version that really runs; its first line stands in results. */
  readonly versionCommand?: readonly string[];
}

/**
 * Helm charts and manifests as data. Runs on a Kubernetes host only.
 *
 * It is carried out in this order: the namespaces, what is there `before`, each chart once the one before is rolled
 * out, the manifests, and then it is waited for until it is ready. Everything answers at the host of `entry`, which is
 * a Service: counters, metrics and readiness too.
 */
export interface ClusterDeployment extends DeploymentCommon {
  readonly kind: "cluster";
  /** What the charts' pods need to start, such as a licence. Default nothing. */
  readonly before?: readonly Manifest[];
  readonly charts: readonly Chart[];
  readonly manifests: readonly Manifest[];
  /** The gateway's own pods: their CPU is the gateway's. */
  readonly pods: Pods;
  /** Says yes only once the manifests have reached the gateway. */
  readonly readiness: Readiness;
}

export type Deployment = ContainerDeployment | ClusterDeployment;

/** Every status a good answer may have. */
export function expectedStatuses(requests: readonly RequestSpec[]): readonly number[] {
  return [...new Set(requests.map(({ expect }) => expect))];
}
