/**
 * One gateway against one scenario in a Kubernetes cluster, beside the path without it.
 *
 *   npm install && cd stacks/eks
 *   pulumi stack select --create kong-1
 *   pulumi config set aws:region us-west-2
 *   pulumi up && pulumi stack output summary && pulumi destroy
 *
 * The stack files beside this one are presets of published tests; each key is documented in settings.ts. A cluster costs money
 * until the destroy. One that is there already: pulumi config set kubeconfig PATH.
 */
import { Benchmark, checkBenchmark, GatewayUnderTest, refuseFaults, UpstreamHost } from "@gatebench/core";
import {
  behaviourOf,
  figuresOf,
  loadGenerators,
  partsOf,
  plannedStack,
  resultsOf,
  servesTls,
  summaryOf,
  targetFaults,
  targetsOf,
  upstreamApp,
  upstreamFaults,
  workersOf,
} from "@gatebench/matrix/stack";
import { nodesFor } from "./nodes";
import { settings } from "./settings";

export = async () => {
  const { asked, preset } = settings();
  const app = upstreamApp(asked);
  const plan = await plannedStack(asked);
  const { scenario, protocol } = plan;
  const targets = targetsOf(asked, plan, app);
  const parts = await partsOf(asked, plan);
  const nodes = nodesFor(asked, plan);
  refuseFaults([
    ...nodes.faults,
    ...upstreamFaults(asked, scenario, app),
    ...targetFaults(asked, plan, targets),
    ...parts.flatMap((part) => checkBenchmark({ ...part, targets, protocol, workers: workersOf(part, asked) })),
  ]);

  const site = nodes.make("rig");
  const upstream = new UpstreamHost("upstream", {
    host: site.upstreams,
    app,
    behaviour: behaviourOf(asked, scenario, app),
    tls: scenario.scheme === "https" && servesTls(app),
  });
  const { workers, runId, purpose } = asked;
  const results = resultsOf(asked);
  const underTest = targets.map(
    ({ name, servers, ...what }) =>
      [
        name,
        new GatewayUnderTest(name, { host: site.gateway, upstream: upstream.first(servers), workers, ...what }),
      ] as const,
  );
  const generators = loadGenerators(site, parts);
  const measured = parts.map((part) => {
    const { name, load } = part;
    const what = { generator: generators(part), targets: Object.fromEntries(underTest), load, protocol };
    return { part, benchmark: new Benchmark(name, { ...what, purpose, runId, results }) };
  });
  return { ...figuresOf(measured), summary: summaryOf(measured, preset) };
};
