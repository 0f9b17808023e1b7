import type { z } from "zod";
import type { Address, Deployment } from "./deployment";
import { fault, faultsBehind, uniqueFaults, type Fault } from "./fault";
import {
  certificate,
  consumers,
  credentialNames,
  unsupportedPolicies,
  type GatewayAdapter,
  type GatewaySite,
} from "./gateway";
import { unsupportedLoad, type GeneratorAdapter, type Target } from "./generator";
import { loadFaults, loadSchema, type Load } from "./load";
import { unknownReferences } from "./reference";
import type { Protocol } from "./protocol";
import { resolveScenario, scenarioFaults, scenarioSchema, type Scenario } from "./scenario";

/** Everything about a benchmark that can be wrong before anything is created. */
export interface BenchmarkPlan {
  readonly generator: GeneratorAdapter;
  readonly targets: readonly { readonly adapter: GatewayAdapter; readonly scenario: Scenario }[];
  readonly load: Load;
  readonly protocol: Protocol;
}

/** All faults of a plan, found without I/O. Stacks call it before their first resource. */
export function checkBenchmark({ generator, targets, load, protocol }: BenchmarkPlan): readonly Fault[] {
  return uniqueFaults([
    ...checkLoad(load),
    ...protocolFaults(protocol),
    ...(protocol.faults?.(load) ?? []),
    ...targets.flatMap(({ adapter, scenario }) => targetFaults(generator, adapter, scenario, load)),
  ]);
}

/** Faults of a load as a person wrote it. */
export function checkLoad(load: unknown): readonly Fault[] {
  const parsed = loadSchema.safeParse(load);
  return parsed.success ? loadFaults(parsed.data) : schemaFaults("invalid-load", "load", parsed.error);
}

/** Faults of a scenario as a person wrote it. */
export function checkScenario(scenario: unknown): readonly Fault[] {
  const parsed = scenarioSchema.safeParse(scenario);
  return parsed.success ? scenarioFaults(parsed.data) : schemaFaults("invalid-scenario", "scenario", parsed.error);
}

/** One line for each thing a schema found: where, and what. */
export function schemaFaults(code: Fault["code"], root: string, error: z.ZodError): readonly Fault[] {
  return error.issues.map(({ path, message }) => fault(code, `${[root, ...path].join(".")}: ${message}.`));
}

function protocolFaults({ name, maxRuns }: Protocol): readonly Fault[] {
  return Number.isInteger(maxRuns) && maxRuns >= 1 && maxRuns <= 1000
    ? []
    : [
        fault(
          "invalid-protocol",
          `protocol "${name}" plans ${maxRuns} runs; it must be a whole number from 1 to 1000.`,
        ),
      ];
}

function targetFaults(
  generator: GeneratorAdapter,
  adapter: GatewayAdapter,
  scenario: Scenario,
  load: Load,
): readonly Fault[] {
  const early = [...gatewayFaults(adapter, scenario), ...checkLoad(load)];
  return early.length > 0 ? early : sendingFaults(generator, load, drawn(adapter, scenario));
}

/** Why a gateway cannot be set up for a scenario, wherever it is to run. */
export function gatewayFaults(adapter: GatewayAdapter, scenario: Scenario): readonly Fault[] {
  const early = checkScenario(scenario);
  if (early.length > 0) return early;
  const policies = unsupportedPolicies(adapter, scenario);
  return policies.length > 0 ? policies : renderingFaults(adapter, scenario);
}

function renderingFaults(adapter: GatewayAdapter, scenario: Scenario): readonly Fault[] {
  const known = credentialNames(resolveScenario(scenario).consumers);
  return orItsFaults(`gateway ${adapter.name} cannot render scenario "${scenario.name}"`, () =>
    unknownReferences([JSON.stringify(drawn(adapter, scenario))], known, `gateway ${adapter.name}`),
  );
}

function sendingFaults(generator: GeneratorAdapter, load: Load, deployment: Deployment): readonly Fault[] {
  const faults = unsupportedLoad(generator, load, deployment.requests);
  if (faults.length > 0) return faults;
  return orItsFaults(`generator ${generator.name} cannot plan this load`, () => {
    generator.plan(load, drawingTarget(deployment));
    return [];
  });
}

/** What the adapter renders for a scenario where nothing is going to be started. */
export function drawn(adapter: GatewayAdapter, scenario: Scenario): Deployment {
  const asked = resolveScenario(scenario);
  return adapter.render(asked, drawingSite(adapter, asked));
}

/** As many CPUs as no plan is refused for. */
const drawingCpus = 64;

function drawingTarget({ entry, requests }: Deployment): Target {
  return { scheme: entry.scheme, host: entry.host, port: entry.port, requests, cpus: drawingCpus };
}

/** The programs that gateways and generator of a plan start on a host without containers. */
export function programsOf({ generator, targets, load }: Omit<BenchmarkPlan, "protocol">): readonly string[] {
  const deployments = targets.map(({ adapter, scenario }) => drawn(adapter, scenario));
  const started = deployments.flatMap((one) =>
    one.kind === "containers" ? one.workloads.map(({ command }) => command) : [],
  );
  const plans = deployments.map((one) => generator.plan(load, drawingTarget(one)));
  const jobs = plans.flatMap((one) => (one.kind === "containers" ? [one.job.command] : []));
  return [...new Set([...started, ...jobs].map(([program]) => program as string))];
}

/**
 * An adapter refuses what its capabilities cannot say, such as a limit it cannot count, by throwing the fault. Anything
 * else it throws is its own mistake, and still one line.
 */
function orItsFaults(what: string, find: () => readonly Fault[]): readonly Fault[] {
  try {
    return find();
  } catch (error) {
    return faultsBehind(error) ?? [fault("invalid-adapter", `${what}: ${(error as Error).message}`)];
  }
}

/** A site of invented addresses and ports: what an adapter is rendered for where nothing is going to be started. */
export function drawingSite(
  { ports }: Pick<GatewayAdapter, "ports">,
  scenario: ReturnType<typeof resolveScenario>,
  workers = 1,
): GatewaySite {
  const upstreams: Address[] = Array.from({ length: scenario.upstream.count }, (_, index) => ({
    host: "127.0.0.1",
    port: 9001 + 2 * index,
    securePort: 9002 + 2 * index,
  }));
  const numbered = Object.fromEntries(ports.map((name, index) => [name, 8001 + index]));
  return {
    upstreams,
    consumers: consumers(scenario.consumers),
    ...(scenario.scheme === "https" ? { certificate } : {}),
    ...(scenario.auth === "external" ? { authorizer: { host: "127.0.0.1", port: 9100 } } : {}),
    ports: numbered,
    workers,
  };
}
