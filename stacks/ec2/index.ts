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
import {
  Benchmark,
  checkBenchmark,
  GatewayUnderTest,
  LoadGenerator,
  refuseFaults,
  UpstreamHost,
} from "@gatebench/core";
import { Ec2Topology } from "@gatebench/core/ec2";
import { goBenchSuite, staticPayload } from "@gatebench/core/upstreams";
import { plannedStack, resultsOf } from "@gatebench/matrix/stack";
import { described, machineFaults, machinesFor, programFaults } from "./machines";
import { loadSeconds, partsOf } from "./parts";
import { settings } from "./settings";
import { figuresOf, summaryOf } from "./summary";

const upstreams = { "static-payload": staticPayload, "go-bench-suite": goBenchSuite };

export = async () => {
  const { asked, preset } = settings();
  const plan = await plannedStack(asked);
  const parts = await partsOf(asked, plan);
  const machines = machinesFor(asked, plan);
  const faults = [
    ...programFaults(asked),
    ...machineFaults(asked, machines, loadSeconds(parts, plan)),
    ...parts.flatMap((part) => checkBenchmark({ ...plan, ...part, workers: asked.generatorWorkers })),
  ];
  refuseFaults(faults);

  const site = new Ec2Topology("rig", machines);
  const { scenario, targets, protocol } = plan;
  const upstream = new UpstreamHost("upstream", {
    host: site.upstream,
    app: upstreams[asked.upstream](),
    behaviour: scenario.upstream,
    tls: scenario.scheme === "https",
  });
  const { workers, runId } = asked;
  const results = resultsOf(asked);
  const underTest = targets.map(
    ({ name, ...what }) =>
      [name, new GatewayUnderTest(name, { host: site.gateway, upstream, workers, ...what })] as const,
  );
  const measured = parts.map((part) => {
    const generator = new LoadGenerator(part.name === "other" ? part.generator.name : `${part.name}-load`, {
      host: site.generator,
      adapter: part.generator,
      workers: part.generator.reports.distributed === false ? [] : site.workers,
    });
    const what = { generator, targets: Object.fromEntries(underTest), load: part.load, protocol, runId, results };
    return { part, benchmark: new Benchmark(part.name, what) };
  });
  return { ...figuresOf(measured), summary: summaryOf(measured, preset), hosts: pulumi.output(described(site)) };
};
