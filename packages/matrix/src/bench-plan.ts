import {
  fault,
  FaultError,
  isFault,
  loadGateway,
  loadGenerator,
  refuse,
  programsOf,
  scrapeFaults,
  scriptFaults,
  type Fault,
  type GatewayAdapter,
  type GeneratorAdapter,
  type NamedScenario,
  type Protocol,
} from "@gatebench/core";
import { observatoryPrograms } from "@gatebench/core/local";
import { programOf, staticPayload } from "@gatebench/core/upstreams";
import { gateways } from "@gatebench/gateways";
import { loadOf, protocolOf, scenariosOf, type BenchOptions } from "./bench-options";
import type { PlannedBenchmark } from "./plan/expansion";
import { allGenerators, groupsOf, measures, planGroup, type PlannedGroup } from "./plan/plan-group";
import { generatorsOf } from "./user-script";

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
    groupsOf(named).map((group) => planned(generator, group, adapters, protocol, options)),
  );
  refuse([...groups.flatMap(({ faults }) => faults), ...observeFaults(options, groups)]);
  const benchmarks = groups.map(({ benchmark }) => benchmark).filter((one) => measures(one, adapters));
  if (benchmarks.length === 0) refuse(groups.flatMap(({ refused }) => refused.flatMap(({ faults }) => faults)));
  return { benchmarks, skipped: groups.flatMap(skippedOf), protocol, options };
}

const observeFaults = ({ observe, scrapeInterval }: BenchOptions, groups: readonly PlannedGroup[]): readonly Fault[] =>
  observe ? groups.flatMap(({ benchmark }) => scrapeFaults(scrapeInterval, benchmark.load)) : [];

function planned(
  generator: GeneratorAdapter,
  group: readonly NamedScenario[],
  adapters: readonly GatewayAdapter[],
  protocol: Protocol,
  options: BenchOptions,
): PlannedGroup {
  const [first] = group as [NamedScenario, ...NamedScenario[]];
  const workers = generator.reports.distributed === false ? 0 : options.generatorWorkers;
  const load = loadOf(options, first.connection);
  const name = `${generator.name}-${first.scenario.name}`;
  return planGroup(name, group, adapters, { generator, workers, load, protocol });
}

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

const skippedOf = ({ benchmark, refused }: PlannedGroup): readonly Skipped[] =>
  refused.map(({ target: { adapter, scenario }, reason }) => ({
    gateway: adapter.name,
    scenario: scenario.name,
    generator: benchmark.generator.name,
    reason,
  }));

/** Programs the plan's workloads and jobs start on this machine. */
export function binariesOf({ benchmarks, options }: BenchPlan): readonly string[] {
  const beside = options.observe ? observatoryPrograms() : [];
  return [...new Set([programOf(staticPayload()), ...benchmarks.flatMap(programsOf), ...beside])];
}
