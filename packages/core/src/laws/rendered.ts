import {
  faultsBehind,
  certificate,
  consumers,
  manifestsOf,
  resolveScenario,
  type Address,
  type Deployment,
  type GatewayAdapter,
  type GatewaySite,
  type ResolvedScenario,
  type Scenario,
  type Workload,
} from "../contract";

/** A scenario, an invented site, and what an adapter makes of the two. */
export interface Rendered {
  readonly scenario: ResolvedScenario;
  readonly site: GatewaySite;
  readonly deployment: Deployment;
}

export interface SiteChoice {
  readonly workers?: number;
  /** The number of the adapter's first port; the rest follow. */
  readonly firstPort?: number;
}

/** Scenario and site are frozen, so that an adapter that changes them is found out. */
export function renderedFor(adapter: GatewayAdapter, scenario: Scenario, choice: SiteChoice = {}): Rendered {
  const resolved = frozen(resolveScenario(scenario));
  const site = frozen(siteFor(adapter, resolved, choice));
  return { scenario: resolved, site, deployment: adapter.render(resolved, site) };
}

/** Whether an adapter refuses a scenario by a fault: its answer to what `supports` has no word for. */
export function refuses(adapter: GatewayAdapter, scenario: Scenario): boolean {
  try {
    renderedFor(adapter, scenario);
    return false;
  } catch (error) {
    if (faultsBehind(error)) return true;
    throw error;
  }
}

/** Upstreams on hosts of their own, none of which could stand in a configuration by accident. */
function siteFor(
  { ports, supports }: GatewayAdapter,
  { upstream, scheme, auth, ...scenario }: ResolvedScenario,
  { workers = 7, firstPort = 18_001 }: SiteChoice,
): GatewaySite {
  const upstreams = Array.from({ length: upstream.count }, (_, index) =>
    upstreamAt(index + 1, supports.onePort ? 1 : index + 1),
  );
  return {
    upstreams,
    consumers: consumers(scenario.consumers),
    ...(scheme === "https" ? { certificate } : {}),
    ...(auth === "external" ? { authorizer: { host: "authorizer.test", port: 39_999 } } : {}),
    ports: Object.fromEntries(ports.map((name, index) => [name, firstPort + index])),
    workers,
  };
}

const upstreamAt = (number: number, slot: number): Address => ({
  host: `upstream-${number}.test`,
  port: 39_000 + 2 * slot,
  securePort: 39_001 + 2 * slot,
});

export const workloadsOf = (deployment: Deployment): readonly Workload[] =>
  deployment.kind === "containers" ? deployment.workloads : [];

/** Everything that is started or set up, without what only the generator is told. */
export function startedText(deployment: Deployment): string {
  const { setup } = deployment;
  return deployment.kind === "containers"
    ? JSON.stringify([deployment.workloads, setup])
    : JSON.stringify([deployment.charts, manifestsOf(deployment), setup]);
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}
