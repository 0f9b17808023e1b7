import {
  Benchmark,
  checkBenchmark,
  credentialsLacking,
  drawn,
  fault,
  GatewayUnderTest,
  UpstreamHost,
  type Fault,
  type Observatory,
  type Topology,
} from "@gatebench/core";
import type { UpstreamApp } from "@gatebench/core/upstreams";
import { authorizerFaults, authorizerFor } from "./authorizer";
import { loadGenerators } from "./load-generators";
import type { MeasuredSettings } from "./measured-settings";
import { observatoryFaults, observatoryFor } from "./observatory";
import { partsOf, workersOf, type Part } from "./parts";
import type { Preset } from "./preset";
import { plannedStack, type StackPlan } from "./stack-plan";
import { resultsOf } from "./stack-settings";
import { figuresOf, queriedOf, summaryOf } from "./summary";
import { targetFaults, targetsOf, type MeasuredTarget } from "./targets";
import { behaviourOf, servesTls, upstreamApp, upstreamFaults } from "./upstream";

/** What a stack measures, wherever it will stand. */
export interface Measurement {
  readonly asked: MeasuredSettings;
  readonly plan: StackPlan;
  readonly app: UpstreamApp;
  readonly targets: readonly MeasuredTarget[];
  readonly parts: readonly Part[];
  /** Everything wrong with it. Nothing is created before there is none, of its hosts neither. */
  readonly faults: readonly Fault[];
}

export async function plannedMeasurement(asked: MeasuredSettings): Promise<Measurement> {
  const app = upstreamApp(asked);
  const plan = await plannedStack(asked);
  const { scenario, protocol } = plan;
  const targets = targetsOf(asked, plan, app);
  const parts = await partsOf(asked, plan);
  const faults = [
    ...upstreamFaults(asked, scenario, app),
    ...targetFaults(asked, plan, targets),
    ...authorizerFaults(asked, scenario),
    ...targets.flatMap((target) => credentialFaults(target, asked)),
    ...observatoryFaults(asked, parts),
    ...parts.flatMap((part) => checkBenchmark({ ...part, targets, protocol, workers: workersOf(part, asked) })),
  ];
  return { asked, plan, app, targets, parts, faults };
}

const credentialFaults = ({ adapter, scenario }: MeasuredTarget, { credentials = {} }: MeasuredSettings) =>
  credentialsLacking(adapter.name, drawn(adapter, scenario), Object.keys(credentials)).map(({ code, message }) =>
    fault(code, `config.credentials: ${message}`),
  );

/** Upstream, gateways and generators on the hosts of a topology, and the benchmarks of them. */
export function measuredOn(site: Topology, measurement: Measurement, preset: Preset | undefined) {
  const { asked, plan, parts } = measurement;
  const { underTest, watches } = gatewaysOn(site, measurement);
  const generators = loadGenerators(site, parts);
  const observatory: Observatory | undefined = observatoryFor(site, asked, [...watches, ...parts.map(generators)]);
  const { runId, purpose } = asked;
  const common = { targets: Object.fromEntries(underTest), protocol: plan.protocol, observatory, purpose, runId };
  const results = resultsOf(asked);
  const measured = parts.map((part) => {
    const benchmark = new Benchmark(part.name, { ...common, generator: generators(part), load: part.load, results });
    return { part, benchmark };
  });
  const figures = observatory ? { figures: queriedOf(measured) } : {};
  return { observatory, outputs: { ...figuresOf(measured), ...figures, summary: summaryOf(measured, preset) } };
}

function gatewaysOn(site: Topology, { asked, plan: { scenario }, app, targets }: Measurement) {
  const upstream = new UpstreamHost("upstream", {
    host: site.upstreams,
    app,
    behaviour: behaviourOf(asked, scenario, app),
    tls: scenario.scheme === "https" && servesTls(app),
  });
  const authorizer = authorizerFor(site, asked, scenario);
  const { workers } = asked;
  const underTest = targets.map(({ name, servers, ...what }) => {
    const stand = { host: site.gateway, upstream: upstream.first(servers), workers, authorizer };
    return [name, new GatewayUnderTest(name, { ...stand, ...what })] as const;
  });
  return { underTest, watches: [upstream, ...(authorizer ? [authorizer] : []), ...underTest.map(([, one]) => one)] };
}
