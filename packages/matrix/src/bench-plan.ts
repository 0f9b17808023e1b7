import {
  checkBenchmark,
  fault,
  FaultError,
  isFault,
  lineOf,
  loadGateway,
  loadGenerator,
  plainScenario,
  refuse,
  resolveScenario,
  programsOf,
  scriptFaults,
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
import { generatorsOf } from "./user-script";

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
  /** Hosts given for its workers: none where it has none. */
  readonly workers: number;
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
  const { script } = options;
  const known = generatorsOf(script, "--script");
  if (isFault(known)) throw new FaultError([known]);
  const foundGenerators = await Promise.all(options.generator.map((name) => loadGenerator(name, known)));
  refuse([...foundGateways.filter(isFault), ...foundGenerators.filter(isFault), ...faults]);
  const adapters = foundGateways.filter((one): one is GatewayAdapter => !isFault(one));
  const tools = foundGenerators.filter((one): one is GeneratorAdapter => !isFault(one));
  refuse(script === undefined ? [] : tools.flatMap((tool) => scriptFaults(tool, script, allGenerators())));
  refuse([...namesakes("gateway", adapters, options.gateway), ...namesakes("generator", tools, options.generator)]);
  const protocol = protocolOf(options);
  const groups = tools.flatMap((generator) =>
    groupsOf(named).map((group) => planGroup(generator, group, adapters, protocol, options)),
  );
  refuse(groups.flatMap(({ faults }) => faults));
  const benchmarks = groups.map(({ benchmark }) => benchmark).filter((one) => measures(one, adapters));
  if (benchmarks.length === 0) refuse(groups.flatMap(({ refused }) => refused.flatMap(({ faults }) => faults)));
  return { benchmarks, skipped: groups.flatMap(skippedOf), protocol, options };
}

const allGenerators = (): readonly GeneratorAdapter[] => Object.values(generators).map((make) => make());

/** Two adapters of one name could not be told apart in tables and files. */
function namesakes(
  kind: string,
  adapters: readonly { readonly name: string }[],
  given: readonly string[],
): readonly Fault[] {
  return adapters.flatMap(({ name }, index) => {
    const first = adapters.findIndex((other) => other.name === name);
    return first === index
      ? []
      : [
          fault(
            "invalid-adapter",
            `"${given[first]}" and "${given[index]}" both give a ${kind} named ${name}; their rows could not be told apart. Rename one, or run them apart.`,
          ),
        ];
  });
}

/** A group in which every gateway is skipped says nothing, unless the path without one is what was asked for. */
const measures = ({ targets }: PlannedBenchmark, adapters: readonly GatewayAdapter[]): boolean =>
  targets.some(({ name }) => name !== baselineName || adapters.every((adapter) => adapter.name === baselineName));

const baselineName = "direct";

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

/** A group as it can be measured, and what of it cannot be. */
interface PlannedGroup {
  readonly benchmark: PlannedBenchmark;
  /** Rows that this gateway or generator cannot do. */
  readonly refused: readonly { readonly target: PlannedTarget; readonly faults: readonly Fault[] }[];
  /** What is wrong with what was asked for, whoever does it. */
  readonly faults: readonly Fault[];
}

function planGroup(
  generator: GeneratorAdapter,
  group: readonly NamedScenario[],
  adapters: readonly GatewayAdapter[],
  protocol: Protocol,
  options: BenchOptions,
): PlannedGroup {
  const [first] = group as [NamedScenario, ...NamedScenario[]];
  const base = first.scenario;
  const load = loadOf(options, first.connection);
  const workers = generator.reports.distributed === false ? 0 : options.generatorWorkers;
  const others = allGenerators();
  const baseline: PlannedTarget = { name: baselineName, adapter: direct(), scenario: plainScenario(base) };
  const judged = [baseline, ...rowsOf(group, adapters)].map((target) => ({
    target,
    faults: checkBenchmark({ generator, workers, load, protocol, targets: [target], others }),
  }));
  const refused = judged.filter(({ faults }) => faults.length > 0 && faults.every(isRefusal));
  const targets = judged.map(({ target }) => target).filter((one) => !refused.some(({ target }) => target === one));
  return {
    benchmark: { name: `${generator.name}-${base.name}`, generator, workers, load, base, targets },
    refused: refused.filter(({ target }) => target !== baseline || adapters.every(({ name }) => name === baselineName)),
    faults: [...sameNames(targets), ...judged.flatMap(({ faults }) => (faults.every(isRefusal) ? [] : faults))],
  };
}

/** Something this gateway or this generator does not do: the rest of the matrix can still be measured. */
const isRefusal = ({ code }: Fault): boolean => code.startsWith("unsupported-");

const rowsOf = (group: readonly NamedScenario[], adapters: readonly GatewayAdapter[]): readonly PlannedTarget[] =>
  group.flatMap(({ scenario }) =>
    adapters
      .filter(({ name }) => name !== baselineName)
      .map((adapter) => ({ name: targetName(adapter, scenario), adapter, scenario })),
  );

/** Plain targets go by the gateway's name alone. */
const targetName = ({ name }: GatewayAdapter, scenario: Scenario): string =>
  scenario.name === "plain" ? name : `${name}-${scenario.name}`;

/** A gateway named like another one with its scenario. */
function sameNames(targets: readonly PlannedTarget[]): readonly Fault[] {
  const names = targets.map(({ name }) => name);
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  return repeated.map((name) =>
    fault("invalid-adapter", `two rows would be named ${name}; rename the gateway, or leave one of them out.`),
  );
}

const skippedOf = ({ benchmark, refused }: PlannedGroup): readonly Skipped[] =>
  refused.map(({ target: { adapter, scenario }, faults }) => ({
    gateway: adapter.name,
    scenario: scenario.name,
    generator: benchmark.generator.name,
    reason: faults.map(lineOf).join(" "),
  }));

/** Programs the plan's workloads and jobs start on this machine. */
export function binariesOf({ benchmarks }: BenchPlan): readonly string[] {
  return [...new Set([programOf(staticPayload()), ...benchmarks.flatMap(programsOf)])];
}
