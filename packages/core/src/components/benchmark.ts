import * as pulumi from "@pulumi/pulumi";
import {
  checkBenchmark,
  fault,
  type Cell,
  type Fault,
  type Load,
  type Protocol,
  type Purpose,
  type Run,
  type Verdict,
  type Verification,
} from "../contract";
import { identityOf } from "../hosts/identity";
import { repeat } from "../measure";
import { cellOf, type CellFacts } from "./cell-of";
import { refuseFaults } from "../hosts/refuse-faults";
import type { GatewayUnderTest } from "./gateway-under-test";
import type { LoadGenerator } from "./load-generator";
import { valuesGiven } from "./course";
import type { Observatory } from "./observatory";
import { RunChain } from "./run-chain";
import { summaryOf } from "./summary";

export interface BenchmarkArgs {
  readonly generator: LoadGenerator;
  /** The one target; or `targets`, by name, measured in interleaved rounds. */
  readonly target?: GatewayUnderTest;
  readonly targets?: Readonly<Record<string, GatewayUnderTest>>;
  readonly load: Load;
  /** @default repeat(): one warm-up, five runs */
  readonly protocol?: Protocol;
  /** Scrapes beside the runs, and gives them figures by PromQL. Each run then waits for a scrape before and after it. @default none */
  readonly observatory?: Observatory;
  /** What counts against a figure. @default "capacity" ("ceiling" for a target without a gateway) */
  readonly purpose?: Purpose;
  /** Seed of the order of targets in each round; recorded. @default 1 */
  readonly seed?: number;
  /** Another text measures everything again. @default "1" */
  readonly runId?: string;
  /** What results call it, where several programs' stand in one. @default its name */
  readonly label?: string;
  /**
   * A folder of this machine to which the raw output of each run is copied before the next begins, below raw/, and held
   * against its checksums. It stays after a destroy. Default: raw output stays on the generator's host, and goes with it.
   */
  readonly results?: string;
}

/** A run as it becomes known. undefined: its protocol had already answered. */
export interface PlannedRun {
  readonly target: string;
  readonly order: number;
  readonly run: pulumi.Output<Run | undefined>;
  /** Where its artifacts lie on the generator's host. */
  readonly folder: pulumi.Output<string | undefined>;
}

/**
 * A protocol carried out against one or more targets, in interleaved rounds.
 *
 * Everything is planned in advance as a chain of resources; a run that is left out costs nothing. Targets that fail
 * verification are not measured. Benchmarks that share a host run one after another.
 *
 * ### Cost
 * The time of its loads, and of its hosts while they last.
 */
export class Benchmark extends pulumi.ComponentResource {
  /** Mean of the answering runs of the first target that is a gateway, requests per second. */
  readonly rps: pulumi.Output<number | null>;
  /** Median of the runs' P99, milliseconds. */
  readonly p99Ms: pulumi.Output<number | null>;
  /** TLS transactions per second; null where connections are kept or not encrypted. */
  readonly tlsTps: pulumi.Output<number | null>;
  readonly verdict: pulumi.Output<Verdict>;
  /** A few lines for people. */
  readonly summary: pulumi.Output<string>;
  /** Every target's cell, by target. */
  readonly cells: pulumi.Output<Readonly<Record<string, Cell>>>;
  /** In the order in which they take place. */
  readonly runs: readonly PlannedRun[];
  readonly verifications: Readonly<Record<string, pulumi.Output<Verification>>>;

  constructor(name: string, args: BenchmarkArgs, opts?: pulumi.ComponentResourceOptions) {
    const asked = settled(args);
    refuseFaults(targetFaults(name, asked));
    refuseFaults(asked.observatory?.faultsOf(asked.load, asked.generator, Object.values(asked.targets)) ?? []);
    refuseFaults(
      checkBenchmark({
        ...asked,
        generator: asked.generator.adapter,
        workers: asked.generator.workers.length,
        targets: Object.values(asked.targets).map(({ adapter, scenarioAsked }) => ({
          adapter,
          scenario: scenarioAsked,
        })),
      }),
    );
    super("gatebench:index:Benchmark", name, describedBenchmark(asked), opts);
    const chains = openChains(name, asked, this);
    this.runs = planRounds(chains, asked);
    this.verifications = Object.fromEntries(chains.map((chain) => [chain.name, chain.verification]));
    this.cells = cellsOf(asked.label ?? name, chains, asked);
    const main = mainTarget(asked.targets);
    this.rps = this.cells.apply((cells) => cells[main]?.rps ?? null);
    this.p99Ms = this.cells.apply((cells) => cells[main]?.p99Ms ?? null);
    this.tlsTps = this.cells.apply((cells) => cells[main]?.tlsTps ?? null);
    this.verdict = this.cells.apply((cells) => cells[main]?.verdict) as pulumi.Output<Verdict>;
    this.summary = this.cells.apply((cells) => summaryOf(Object.values(cells)));
    this.registerOutputs({
      rps: this.rps,
      p99Ms: this.p99Ms,
      tlsTps: this.tlsTps,
      verdict: this.verdict,
      summary: this.summary,
    });
  }
}

type Optional = "purpose" | "results" | "label" | "observatory";
type Settled = Required<Omit<BenchmarkArgs, "target" | Optional>> & Pick<BenchmarkArgs, Optional>;

function settled({ target, targets, protocol = repeat(), seed = 1, runId = "1", ...rest }: BenchmarkArgs): Settled {
  return { ...rest, protocol, seed, runId, targets: targets ?? (target ? { [target.adapter.name]: target } : {}) };
}

function targetFaults(name: string, { targets }: Settled): readonly Fault[] {
  return Object.keys(targets).length > 0
    ? []
    : [fault("invalid-option", `benchmark "${name}" has nothing to measure; give it target, or targets by name.`)];
}

function describedBenchmark({ generator, targets, load, protocol, seed, runId, observatory }: Settled) {
  return {
    ...(observatory ? { observatory: observatory.note } : {}),
    generator: generator.adapter.name,
    targets: Object.keys(targets),
    load,
    protocol: protocol.name,
    seed,
    runId,
  };
}

/** The session, the values its jobs need, and each target verified: one after another, behind the topology's queue. */
function openChains(
  name: string,
  { generator, targets, load, protocol, purpose, runId, results, observatory, label = name }: Settled,
  parent: pulumi.Resource,
): readonly RunChain[] {
  const { site } = generator.host;
  const beside = [
    ...generator.workers,
    ...Object.values(targets).flatMap((target) => [
      target.host,
      ...target.upstream.hosts,
      ...(target.authorizer?.hosts ?? []),
    ]),
    ...(observatory ? [observatory.host] : []),
  ];
  const session = generator.host.openSession(name, runId, beside, { parent });
  const course = { benchmark: name, label, generator, load, protocol, purpose, session, parent, results, observatory };
  const chains: RunChain[] = [];
  let after = [...site.queue.last, ...(observatory?.workloads.map(({ resource }) => resource) ?? [])];
  for (const [targetName, target] of Object.entries(targets)) {
    const values = site.credentials.values(valuesGiven(target));
    const kept = session.keep(targetName, values, site.credentials.identity, { parent });
    const chain = new RunChain(targetName, target, course, [kept, ...after]);
    chains.push(chain);
    after = [chain.last];
  }
  return chains;
}

/** Rounds over all targets, each round in an order of its own: drift of the machine falls on all alike. */
function planRounds(chains: readonly RunChain[], { protocol, seed, generator }: Settled): readonly PlannedRun[] {
  const turns = Array.from({ length: protocol.maxRuns }, (_, round) => shuffled(chains, `${seed}/${round}`)).flat();
  let after = (chains[chains.length - 1] as RunChain).last;
  const runs = turns.map((chain, index): PlannedRun => {
    const planned = chain.extend(index + 1, after);
    after = chain.last;
    return { target: chain.name, order: index + 1, ...planned };
  });
  generator.host.site.queue.add(after);
  return runs;
}

function shuffled(chains: readonly RunChain[], seed: string): readonly RunChain[] {
  const key = ({ name }: RunChain) => identityOf(seed, name);
  return [...chains].sort((left, right) => (key(left) < key(right) ? -1 : 1));
}

type Cells = Readonly<Record<string, Cell>>;

function cellsOf(
  benchmark: string,
  chains: readonly RunChain[],
  { generator, load, protocol, observatory }: Settled,
): pulumi.Output<Cells> {
  const observed = chains.map(({ history, verification, target }) =>
    pulumi.all([history, verification, target.version]),
  );
  return (pulumi.all(observed) as unknown as pulumi.Output<[readonly Run[], Verification, string | null][]>).apply(
    (each) => {
      const facts = chains.map(({ name, target, purpose }, index): CellFacts => {
        const [history, verification, gatewayVersion] = each[index] as [readonly Run[], Verification, string | null];
        const run = { generator, load, protocol, purpose, history, verification };
        return { benchmark, name, target, gatewayVersion, ...run, observatory: observatory?.note };
      });
      const baseline = facts.find(({ target }) => target.isBaseline);
      return Object.fromEntries(facts.map((one) => [one.name, cellOf(one, baseline)]));
    },
  ) as pulumi.Output<Cells>;
}

function mainTarget(targets: Settled["targets"]): string {
  const [first] = Object.entries(targets).find(([, target]) => !target.isBaseline) ?? Object.entries(targets)[0] ?? [];
  return first ?? "";
}
