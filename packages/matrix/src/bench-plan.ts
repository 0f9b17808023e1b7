import {
  checkBenchmark,
  isFault,
  loadGateway,
  loadGenerator,
  plainScenario,
  refuse,
  resolveScenario,
  unsupportedLoad,
  unsupportedPolicies,
  drawn,
  programsOf,
  type Fault,
  type GatewayAdapter,
  type GeneratorAdapter,
  type Load,
  type NamedScenario,
  type Protocol,
  type Scenario,
} from "@gatebench/core";
import { programOf, staticPayload } from "@gatebench/core/upstreams";
import { gateways, direct } from "@gatebench/gateways";
import { generators } from "@gatebench/generators";
import { loadOf, protocolOf, scenariosOf, type BenchOptions } from "./bench-options";

/** One gateway set up for one scenario. */
export interface PlannedTarget {
  /** Names its row, its workloads and its raw output. */
  readonly name: string;
  readonly adapter: GatewayAdapter;
  readonly scenario: Scenario;
}

/** Targets that are measured in the same rounds, with the same generator, load and upstream. */
export interface PlannedBenchmark {
  readonly name: string;
  readonly generator: GeneratorAdapter;
  readonly load: Load;
  /** What all its targets share: scheme, TLS, upstream and request. */
  readonly base: Scenario;
  readonly targets: readonly PlannedTarget[];
}

/** A combination that cannot be had, and why; shown, never dropped. */
export interface Skipped {
  readonly gateway: string;
  readonly scenario: string;
  readonly generator: string;
  readonly reason: string;
}

export interface BenchPlan {
  readonly benchmarks: readonly PlannedBenchmark[];
  readonly skipped: readonly Skipped[];
  readonly protocol: Protocol;
  readonly options: BenchOptions;
}

/** Gateways × scenarios × generators; throws every fault at once, before anything is created. */
export async function planBench(options: BenchOptions): Promise<BenchPlan> {
  const { named, faults } = scenariosOf(options);
  const foundGateways = await Promise.all(options.gateway.map((name) => loadGateway(name, gateways)));
  const foundGenerators = await Promise.all(options.generator.map((name) => loadGenerator(name, generators)));
  refuse([...foundGateways.filter(isFault), ...foundGenerators.filter(isFault), ...faults]);
  const adapters = foundGateways.filter((one): one is GatewayAdapter => !isFault(one));
  const tools = foundGenerators.filter((one): one is GeneratorAdapter => !isFault(one));
  const planned = { ...combine(adapters, named, tools, options), protocol: protocolOf(options), options };
  refuse(
    planned.benchmarks.length === 0
      ? planned.skipped.map(skipFault)
      : planned.benchmarks.flatMap((one) => checkPlanned(one, planned.protocol)),
  );
  return planned;
}

const skipFault = ({ reason }: Skipped): Fault => {
  const [code = "", ...rest] = reason.split(": ");
  return { code: code as Fault["code"], message: rest.join(": ") };
};

const checkPlanned = ({ generator, load, targets }: PlannedBenchmark, protocol: Protocol): readonly Fault[] =>
  checkBenchmark({ generator, load, targets, protocol });

function combine(
  adapters: readonly GatewayAdapter[],
  named: readonly NamedScenario[],
  tools: readonly GeneratorAdapter[],
  options: BenchOptions,
): Pick<BenchPlan, "benchmarks" | "skipped"> {
  const groups = tools.flatMap((generator) =>
    groupsOf(named).map((group) => planGroup(generator, group, adapters, options)),
  );
  return {
    benchmarks: groups
      .map(({ benchmark }) => benchmark)
      .filter(({ targets }) => targets.some(({ name }) => name !== baselineName) || onlyBaseline(adapters)),
    skipped: groups.flatMap(({ skipped }) => skipped),
  };
}

const baselineName = "direct";
const onlyBaseline = (adapters: readonly GatewayAdapter[]) => adapters.every(({ name }) => name === baselineName);

/** Scenarios with the same connections, scheme, upstream and request: these stand in one round and share a baseline. */
function groupsOf(named: readonly NamedScenario[]): readonly (readonly NamedScenario[])[] {
  const groups = new Map<string, NamedScenario[]>();
  for (const one of named) {
    const key = JSON.stringify([
      one.connection,
      plainScenario(one.scenario),
      resolveScenario(one.scenario).upstream.count,
    ]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

function planGroup(
  generator: GeneratorAdapter,
  group: readonly NamedScenario[],
  adapters: readonly GatewayAdapter[],
  options: BenchOptions,
) {
  const [first] = group as [NamedScenario, ...NamedScenario[]];
  const load = loadOf(options, first.connection);
  const wanted = group.flatMap(({ scenario }) =>
    adapters
      .filter(({ name }) => name !== baselineName)
      .map((adapter) => ({ name: targetName(adapter, scenario), adapter, scenario })),
  );
  const judged = wanted.map((target) => ({ target, faults: faultsOf(generator, load, target) }));
  const base = first.scenario;
  const baseline: PlannedTarget = { name: baselineName, adapter: direct(), scenario: plainScenario(base) };
  const targets = judged.filter(({ faults }) => faults.length === 0).map(({ target }) => target);
  const benchmark: PlannedBenchmark = {
    name: `${generator.name}-${base.name}`,
    generator,
    load,
    base,
    targets: [baseline, ...targets],
  };
  const skipped = judged
    .filter(({ faults }) => faults.length > 0)
    .map(({ target, faults }) => skip(target, generator, faults));
  return { benchmark, skipped };
}

/** Plain targets go by the gateway's name alone. */
const targetName = ({ name }: GatewayAdapter, scenario: Scenario): string =>
  scenario.name === "plain" ? name : `${name}-${scenario.name}`;

function faultsOf(generator: GeneratorAdapter, load: Load, { adapter, scenario }: PlannedTarget): readonly Fault[] {
  const policies = unsupportedPolicies(adapter, scenario);
  if (policies.length > 0) return policies;
  return unsupportedLoad(generator, load, drawn(adapter, scenario).requests);
}

function skip({ adapter, scenario }: PlannedTarget, generator: GeneratorAdapter, faults: readonly Fault[]): Skipped {
  return {
    gateway: adapter.name,
    scenario: scenario.name,
    generator: generator.name,
    reason: faults.map(({ code, message }) => `${code}: ${message}`).join(" "),
  };
}

/** Programs the plan's workloads and jobs start on this machine. */
export function binariesOf({ benchmarks }: BenchPlan): readonly string[] {
  return [...new Set([programOf(staticPayload()), ...benchmarks.flatMap(programsOf)])];
}
