import {
  addressOf,
  refuse,
  resolveScenario,
  type Deployment,
  type GatewayAdapter,
  type GatewayCapabilities,
  type GatewaySite,
  type RequestSpec,
  type ResolvedScenario,
} from "@gatebench/core/contract";
import { requestsTo } from "../requests";
import { withSite } from "../site-references";
import type {
  ContainerCounters,
  ContainerMetrics,
  ContainerRequest,
  ContainerSetup,
  ContainerWorkload,
} from "./container-data";
import { portIn, tagOf } from "./faults";
import { unheeded, unroutedPaths } from "./unheeded";
import { entryOf, named, workloadOn } from "./workloads";

type Workloads = ContainerWorkload | readonly ContainerWorkload[];

export interface ContainerOptions {
  /** Kebab-case; names stacks, files and chart series. */
  readonly name: string;
  /**
   * What to start, in order. Plain data is the same for every scenario; a gateway that does more than one thing gives a
   * function of the scenario.
   */
  readonly workloads: Workloads | ((scenario: ResolvedScenario) => Workloads);
  /**
   * The workload that traffic enters.
   * @default the last
   */
  readonly entry?: string;
  /**
   * Names of the ports it needs. Traffic enters at the first.
   * @default one, "entry"
   */
  readonly ports?: readonly string[];
  /**
   * Where a generator sends: a path for each route a scenario may have. Method, headers, body and credential come from
   * the scenario.
   * @default "/"
   */
  readonly requests?: ContainerRequest | readonly ContainerRequest[];
  /** Sent once, in order, when everything is ready. */
  readonly setup?: readonly ContainerSetup[];
  /** Pages on which it counts what it served. Without any, its upstream counts alone. */
  readonly counters?: readonly ContainerCounters[];
  /** Pages with metrics in Prometheus' format, and figures made of them, for an observatory. */
  readonly metrics?: readonly ContainerMetrics[];
  /**
   * What it enforces itself; the rest is refused.
   * @default plain HTTP, as many routes as there are paths, and nothing else
   */
  readonly supports?: Partial<GatewayCapabilities>;
  /**
   * As results state it.
   * @default the tag of the image that traffic enters
   */
  readonly version?: string;
}

/**
 * Any image and command as a gateway, without an adapter of its own.
 *
 * All texts may hold references: those of every adapter, such as `<gatebench:bind>`, and those of the site, such as
 * `<gatebench:port.entry>`, `<gatebench:upstream-1>` and `<gatebench:workers>`.
 */
export function container(options: ContainerOptions): GatewayAdapter {
  const { name, ports = ["entry"], supports } = options;
  const started = (scenario: ResolvedScenario) => workloadsFor(options, scenario);
  const routes = requestsIn(options).length;
  refuse(unroutedPaths(name, { ...plain, routes }, started));
  return {
    name,
    version: options.version ?? tagOf(name, entryOf(options, started(plain)).image),
    ports,
    supports: { ...plainHttp, routes, ...supports },
    render: (scenario, site) => {
      refuse(unheeded(name, scenario, started));
      // References of the site may stand in every text; what is left out vanishes on the way.
      return JSON.parse(withSite(JSON.stringify(deployment(options, scenario, site)), site)) as Deployment;
    },
  };
}

const plain = resolveScenario({ name: "plain" });

const plainHttp: Omit<GatewayCapabilities, "routes"> = {
  schemes: ["http"],
  tlsVersions: ["1.2"],
  auth: [],
  credentials: ["header"],
  rateLimit: [],
  analytics: false,
  balancing: [],
  consumers: 0,
};

function deployment(options: ContainerOptions, scenario: ResolvedScenario, site: GatewaySite): Deployment {
  const { setup = [], counters = [], metrics = [] } = options;
  const workloads = workloadsFor(options, scenario);
  const portOf = portIn(options.name, site.ports);
  return {
    kind: "containers",
    workloads: workloads.map((one) => workloadOn(portOf, one)),
    entry: { scheme: scenario.scheme, host: addressOf(entryOf(options, workloads).name), port: portOf() },
    setup: setup.map((one) => ({ method: "POST", headers: {}, expect: 200, ...one, port: portOf(one.port) })),
    counters: counters.map((page) => ({ ...page, port: portOf(page.port) })),
    ...(metrics.length > 0 ? { metrics: metrics.map((page) => ({ ...page, port: portOf(page.port) })) } : {}),
    requests: requestsFor(requestsIn(options), scenario, site),
  };
}

const workloadsFor = ({ ports = ["entry"], workloads, ...options }: ContainerOptions, scenario: ResolvedScenario) =>
  named({ ...options, ports }, [typeof workloads === "function" ? workloads(scenario) : workloads].flat());

type OwnRequest = Exclude<ContainerRequest, string>;

const requestsIn = ({ requests = "/" }: ContainerOptions): readonly OwnRequest[] =>
  [requests].flat().map((one: ContainerRequest) => (typeof one === "string" ? { path: one } : one));

/** As many as the scenario has routes, each with what is its own. */
function requestsFor(
  own: readonly OwnRequest[],
  scenario: ResolvedScenario,
  site: GatewaySite,
): readonly RequestSpec[] {
  const routes = own.slice(0, scenario.routes);
  const paths = routes.map(({ path }) => path);
  return requestsTo(paths, scenario, site).map((request, index) => {
    const { headers, ...rest } = routes[index % routes.length] as OwnRequest;
    return { ...request, ...rest, headers: { ...request.headers, ...headers } };
  });
}
