import {
  Authorizer,
  Benchmark,
  GatewayUnderTest,
  LoadGenerator,
  Observatory,
  UpstreamHost,
  resolveScenario,
  type Duration,
  type Protocol,
  type Scenario,
  type Topology,
} from "@gatebench/core";
import type { UpstreamApp } from "@gatebench/core/upstreams";
import { once } from "../once";
import type { PlannedBenchmark } from "../plan/expansion";

/** Benchmarks that stand on the same hosts, and what they have in common. */
export interface Declared {
  readonly benchmarks: readonly PlannedBenchmark[];
  readonly app: UpstreamApp;
  readonly protocol: Protocol;
  readonly seed: number;
  /** Of each gateway. Undefined: as many as its host has for it. */
  readonly workers: number | undefined;
  /** Another text measures everything again. */
  readonly runId: string;
  /** What results call a benchmark. Default: its name. */
  readonly label?: (name: string) => string;
  /** Of an authorizer, where its host takes images. */
  readonly authorizerImage?: string | undefined;
  /** Where raw output is copied to before the next run begins; undefined: it stays where it is. */
  readonly results?: string | undefined;
  /** Of an observatory beside them all; undefined: there is none. */
  readonly scrapeInterval?: Duration;
}

/** A benchmark of a program, with what it was planned from. */
export interface ProgrammedBenchmark {
  readonly planned: PlannedBenchmark;
  readonly benchmark: Benchmark;
}

/** The resources of benchmarks on a site: every upstream, gateway and generator once, all benchmarks in one queue. */
export function declareBenchmarks(site: Topology, declared: Declared): readonly ProgrammedBenchmark[] {
  const { benchmarks, protocol, seed, workers, runId, results, label = (name) => name } = declared;
  let started = 0;
  const upstreams = once(
    (base: Scenario) => upstreamFor(site, declared.app, base, ++started),
    (base) => JSON.stringify([base.upstream, base.scheme]),
  );
  const authorizer = authorizerFor(site, declared);
  const targets = once(
    ({ name, adapter, scenario, base }: PlannedBenchmark["targets"][number] & { base: Scenario }) =>
      new GatewayUnderTest(`${name}${base.name === "plain" || name.endsWith(base.name) ? "" : `-${base.name}`}`, {
        host: site.gateway,
        adapter,
        upstream: upstreams(base),
        scenario,
        authorizer,
        workers,
      }),
    ({ name, base }) => `${name}/${JSON.stringify([base.upstream, base.scheme])}`,
  );
  const generators = once(
    (one: PlannedBenchmark) =>
      new LoadGenerator(one.generator.name, {
        host: site.generator,
        adapter: one.generator,
        workers: site.workers.slice(0, one.workers),
      }),
    ({ generator }) => generator.name,
  );
  const parts = benchmarks.map((planned) => ({
    planned,
    generator: generators(planned),
    targets: Object.fromEntries(
      planned.targets.map((target) => [target.name, targets({ ...target, base: planned.base })]),
    ),
  }));
  const observatory = beside(site, parts, declared);
  return parts.map(({ planned, generator, targets }) => ({
    planned,
    benchmark: new Benchmark(planned.name, {
      ...{ generator, targets, observatory },
      ...{
        load: planned.load,
        protocol,
        seed,
        runId,
        label: label(planned.name),
        ...(results === undefined ? {} : { results }),
      },
    }),
  }));
}

interface Parts {
  readonly generator: LoadGenerator;
  readonly targets: Readonly<Record<string, GatewayUnderTest>>;
}

/** One for all benchmarks, which take turns on the same hosts. */
function beside(site: Topology, parts: readonly Parts[], { scrapeInterval }: Declared): Observatory | undefined {
  if (scrapeInterval === undefined) return undefined;
  const gateways = parts.flatMap(({ targets }) => Object.values(targets));
  const all = [
    ...gateways.flatMap(({ upstream, authorizer }) => [upstream, ...(authorizer ? [authorizer] : [])]),
    ...gateways,
    ...parts.map(({ generator }) => generator),
  ];
  return new Observatory("observatory", { host: site.observer, watches: [...new Set(all)], scrapeInterval });
}

/** One for all gateways that ask one. The gateway's host is the gateway's alone, where it has one. */
function authorizerFor(site: Topology, { benchmarks, authorizerImage: image }: Declared): Authorizer | undefined {
  const asks = benchmarks.some(({ targets }) => targets.some(({ scenario }) => scenario.auth === "external"));
  if (!asks) return undefined;
  const [host] = site.services;
  return new Authorizer("authorizer", { host, redisHost: site.services.at(-1), image });
}

function upstreamFor(site: Topology, app: UpstreamApp, base: Scenario, index: number): UpstreamHost {
  const { scheme } = resolveScenario(base);
  return new UpstreamHost(`upstream-${index}`, {
    host: site.upstreams,
    app,
    behaviour: base.upstream,
    tls: scheme === "https",
  });
}
