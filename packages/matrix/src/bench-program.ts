import type * as pulumi from "@pulumi/pulumi";
import {
  Benchmark,
  GatewayUnderTest,
  LoadGenerator,
  UpstreamHost,
  resolveScenario,
  type Scenario,
} from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { staticPayload } from "@gatebench/core/upstreams";
import type { BenchPlan, PlannedBenchmark } from "./bench-plan";

/** Names the topology, and with it the place of everything a bench starts. */
export const siteName = "site";

/** A benchmark of the program, with what it was planned from. */
export interface ProgrammedBenchmark {
  readonly planned: PlannedBenchmark;
  readonly benchmark: Benchmark;
}

/** The Pulumi program of a bench: every upstream and gateway once, all benchmarks in one queue. */
export function benchProgram(
  { benchmarks, protocol, options }: BenchPlan,
  runId: string,
  secrets: pulumi.Input<Record<string, string>> = {},
): readonly ProgrammedBenchmark[] {
  const site = new LocalTopology(siteName, {
    portBase: options.portBase,
    workers: options.generatorWorkers,
    credentials: secrets,
  });
  const upstreams = shared(
    (base: Scenario) => JSON.stringify([base.upstream, base.scheme]),
    (base, index) => upstreamFor(site, base, index),
  );
  const targets = shared(
    ({ name, base }: { name: string; base: Scenario }) => `${name}/${JSON.stringify([base.upstream, base.scheme])}`,
    ({ name, adapter, scenario, base }: PlannedBenchmark["targets"][number] & { base: Scenario }) =>
      new GatewayUnderTest(`${name}${base.name === "plain" || name.endsWith(base.name) ? "" : `-${base.name}`}`, {
        host: site.gateway,
        adapter,
        upstream: upstreams(base),
        scenario,
        workers: options.workers,
      }),
  );
  const generators = shared(
    (one: PlannedBenchmark) => one.generator.name,
    ({ generator, workers }) =>
      new LoadGenerator(generator.name, {
        host: site.generator,
        adapter: generator,
        workers: site.workers.slice(0, workers),
      }),
  );
  return benchmarks.map((planned) => ({
    planned,
    benchmark: new Benchmark(planned.name, {
      generator: generators(planned),
      targets: Object.fromEntries(
        planned.targets.map((target) => [target.name, targets({ ...target, base: planned.base })]),
      ),
      load: planned.load,
      protocol,
      seed: options.seed,
      runId,
    }),
  }));
}

function upstreamFor(site: LocalTopology, base: Scenario, index: number): UpstreamHost {
  const { scheme } = resolveScenario(base);
  return new UpstreamHost(`upstream-${index}`, {
    host: site.upstream,
    app: staticPayload(),
    behaviour: base.upstream,
    tls: scheme === "https",
  });
}

/** Makes each thing once, by what it is made from. */
function shared<A, T>(keyOf: (from: A) => string, make: (from: A, index: number) => T): (from: A) => T {
  const made = new Map<string, T>();
  return (from) => {
    const key = keyOf(from);
    const found = made.get(key) ?? make(from, made.size + 1);
    made.set(key, found);
    return found;
  };
}
