import {
  checkBenchmark,
  checkScenario,
  fault,
  isFault,
  loadGateway,
  loadGenerator,
  loadOfWords,
  plainScenario,
  refusalOf,
  refuseFaults,
  scenarioNamed,
  scriptFaults,
  type Fault,
  type GatewayAdapter,
  type GeneratorAdapter,
  type Load,
  type NamedScenario,
  type Protocol,
  type Scenario,
} from "@gatebench/core";
import { gateways } from "@gatebench/gateways";
import { adapterOptionFaults } from "../matrix-file/resolve-adapters";
import { allGenerators, baselineAdapter, baselineName } from "../plan/plan-group";
import { protocolNamed } from "../protocol-named";
import { resultsFolderFaults } from "../results-folder";
import { generatorsOf } from "../user-script";
import type { StackSettings } from "./stack-settings";

/** A target by the name it has in results. */
export interface StackTarget {
  readonly name: string;
  readonly adapter: GatewayAdapter;
  readonly scenario: Scenario;
}

export interface StackPlan {
  /** The path without a gateway first: what all others are read against. */
  readonly targets: readonly StackTarget[];
  readonly generator: GeneratorAdapter;
  readonly scenario: Scenario;
  readonly load: Load;
  readonly protocol: Protocol;
}

/** Everything checked before the first resource: a program that fails halfway leaves half of itself behind. */
export async function plannedStack(settings: StackSettings): Promise<StackPlan> {
  const known = generatorsOf(settings.script, "config.script");
  if (isFault(known)) throw refusalOf([known]);
  const [gateway, generator] = await Promise.all([
    loadGateway(settings.gateway, gateways, { options: settings.gatewayOptions }),
    loadGenerator(settings.generator, known, { options: settings.generatorOptions }),
  ]);
  const named = scenarioIn(settings);
  if (isFault(gateway) || isFault(generator) || isFault(named))
    throw refusalOf([gateway, generator, named].filter(isFault));
  refuseFaults(await optionFaults(settings));
  const { scenario, connection } = named;
  const baseline = { name: baselineName, adapter: baselineAdapter, scenario: plainScenario(scenario) };
  const targets = [
    baseline,
    ...(gateway.name === baseline.name ? [] : [{ name: gateway.name, adapter: gateway, scenario }]),
  ];
  const load = loadOfWords(settings, { duration: settings.duration, connection });
  const { protocol, repetitions } = settings;
  const plan = { targets, generator, scenario, load, protocol: protocolNamed(protocol, repetitions, { coolDown }) };
  const others = allGenerators();
  const faults = [
    ...checkBenchmark({ ...plan, workers: settings.generatorWorkers, others }),
    ...(settings.results === "" ? [] : resultsFolderFaults(settings.results, 'config.results, or "" for none')),
    ...(settings.script === undefined ? [] : scriptFaults(generator, settings.script, others)),
  ];
  refuseFaults(faults);
  return plan;
}

/** An option that nobody reads is a mistake, too. */
async function optionFaults(settings: StackSettings): Promise<readonly Fault[]> {
  const each = (["gateway", "generator"] as const).map(async (kind) => {
    const options = settings[`${kind}Options`];
    const faults = options ? await adapterOptionFaults[kind](settings[kind], options) : [];
    return faults.map(({ code, message }) => fault(code, `config.${kind}Options: ${message}`));
  });
  return (await Promise.all(each)).flat();
}

/** By name, or written in full: then connections are kept. */
export function scenarioIn({ scenario: text }: StackSettings): Pick<NamedScenario, "scenario" | "connection"> | Fault {
  if (!text.trimStart().startsWith("{")) return scenarioNamed(text);
  const scenario = jsonIn(text);
  const [wrong] = scenario === undefined ? [notJson] : checkScenario(scenario);
  return wrong ?? { scenario: scenario as Scenario, connection: "keep-alive" };
}

const notJson = fault("invalid-scenario", "config.scenario begins like a scenario in full, and is no JSON.");

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The baseline's turn is a rest for the gateway already. */
const coolDown = "1s";
