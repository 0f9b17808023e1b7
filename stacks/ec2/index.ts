/**
 * One gateway against one scenario on EC2, beside the path without it.
 *
 *   npm install && cd stacks/ec2
 *   pulumi stack select --create tyk-proxy
 *   pulumi config set aws:region eu-central-1 && pulumi config set sshFrom 203.0.113.7/32
 *   pulumi up && pulumi stack output summary && pulumi destroy
 *
 * The stack files beside this one are presets of published tests; each key is documented in settings.ts. Machines cost money
 * until the destroy, or until their time to live is over.
 */
import * as pulumi from "@pulumi/pulumi";
import { Benchmark, checkBenchmark, GatewayUnderTest, refuseFaults, UpstreamHost } from "@gatebench/core";
import { Ec2Topology } from "@gatebench/core/ec2";
import {
  behaviourOf,
  figuresOf,
  loadGenerators,
  loadSeconds,
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
import { described, machineFaults, machinesFor, programFaults } from "./machines";
import { settings } from "./settings";
import { observatoryFaults, observing } from "./observing";

export = async () => {
  const { asked, preset } = settings();
  const app = upstreamApp(asked);
  const plan = await plannedStack(asked);
  const { scenario, protocol } = plan;
  const targets = targetsOf(asked, plan, app);
  const parts = await partsOf(asked, plan);
  const machines = machinesFor(asked, plan);
  const faults = [
    ...programFaults(asked),
    ...machineFaults(asked, machines, plan, loadSeconds(parts, { targets, protocol })),
    ...upstreamFaults(asked, scenario, app),
    ...targetFaults(asked, plan, targets),
    ...observatoryFaults(asked, parts),
    ...parts.flatMap((part) => checkBenchmark({ ...part, targets, protocol, workers: workersOf(part, asked) })),
  ];
  refuseFaults(faults);

  const site = new Ec2Topology("rig", machines);
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
  const loads = parts.map(generators);
  const { observatory, reached } = observing(site, asked, [upstream, ...underTest.map(([, one]) => one), ...loads]);
  const measured = parts.map((part) => {
    const { name, load } = part;
    const what = { generator: generators(part), targets: Object.fromEntries(underTest), load, protocol, observatory };
    return { part, benchmark: new Benchmark(name, { ...what, purpose, runId, results }) };
  });
  return {
    ...figuresOf(measured),
    summary: summaryOf(measured, preset),
    hosts: pulumi.output(described(site)),
    ...reached,
  };
};
