import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import {
  checkBenchmark,
  fault,
  isFault,
  lineOf,
  loadOfWords,
  plainScenario,
  programsOf,
  loadGateway,
  loadGenerator,
  scenarioNamed,
  scriptFaults,
  type Fault,
  type GatewayAdapter,
  type GeneratorAdapter,
  type Load,
  type Protocol,
  type Scenario,
} from "@gatebench/core";
import { missingBinaries } from "@gatebench/core/local";
import { repeat, saturate, untilStable } from "@gatebench/core/measure";
import { programOf, staticPayload } from "@gatebench/core/upstreams";
import { direct, gateways } from "@gatebench/gateways";
import { generators, generatorsWith } from "@gatebench/generators";
import { readSettings, type Settings } from "./settings";

export interface Plan {
  /** By name, the path without a gateway first: what all others are read against. */
  readonly targets: readonly { readonly name: string; readonly adapter: GatewayAdapter; readonly scenario: Scenario }[];
  readonly generator: GeneratorAdapter;
  readonly scenario: Scenario;
  readonly load: Load;
  readonly protocol: Protocol;
  readonly settings: Settings;
}

/** Everything checked before the first resource: a program that fails halfway leaves half of itself behind. */
export async function planned(): Promise<Plan> {
  const settings = readSettings();
  const script = scriptIn(settings);
  const [gateway, generator] = await Promise.all([
    loadGateway(settings.gateway, gateways),
    loadGenerator(settings.generator, script === undefined ? generators : generatorsWith({ script })),
  ]);
  const named = scenarioNamed(settings.scenario);
  if (isFault(gateway) || isFault(generator) || isFault(named))
    throw refused([gateway, generator, named].filter(isFault));
  const { scenario, connection } = named;
  const baseline = { name: "direct", adapter: direct(), scenario: plainScenario(scenario) };
  const targets = [
    baseline,
    ...(gateway.name === baseline.name ? [] : [{ name: gateway.name, adapter: gateway, scenario }]),
  ];
  const plan = {
    targets,
    generator,
    scenario,
    load: loadOfWords(settings, { duration: settings.duration, connection }),
    workers: settings.generatorWorkers,
    others: Object.values(generators).map((make) => make()),
    protocol: protocolOf(settings),
    settings,
  };
  const faults = [
    ...checkBenchmark(plan),
    ...(settings.script === undefined ? [] : scriptFaults(generator, settings.script, plan.others)),
  ];
  if (faults.length > 0) throw refused(faults);
  const missing = missingBinaries([...programsOf(plan), programOf(staticPayload())]);
  if (missing.length > 0) throw refused(missing);
  return plan;
}

function scriptIn({ script: path }: Settings): string | undefined {
  try {
    return path === undefined ? undefined : readFileSync(path, "utf8");
  } catch (error) {
    throw refused([fault("invalid-option", `config.script: ${path} cannot be read (${(error as Error).message}).`)]);
  }
}

const refused = (faults: readonly Fault[]) => new pulumi.RunError(faults.map(lineOf).join("\n"));

/** The baseline's turn is a rest for the gateway already. */
const coolDown = "1s";

function protocolOf({ protocol, repetitions }: Settings): Protocol {
  if (protocol === "until-stable") return untilStable({ max: repetitions, coolDown });
  return protocol === "saturate" ? saturate({ runs: repetitions, coolDown }) : repeat({ runs: repetitions, coolDown });
}
