import { authorizerPrograms } from "./authorizer";
import type { z } from "zod";
import type { Address, Deployment } from "./deployment";
import { fault, faultsBehind, listed, uniqueFaults, type Fault } from "./fault";
import {
  certificate,
  consumers,
  credentialNames,
  unsupportedPolicies,
  type GatewayAdapter,
  type GatewaySite,
  type Ports,
} from "./gateway";
import { unsupportedLoad, workerFaults, type GeneratorAdapter, type Target } from "./generator";
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
  /** Hosts given for the generator's workers. Default 0. */
  readonly workers?: number;
  /** Generators that are named where this one cannot send the load. Default: none. */
  readonly others?: readonly GeneratorAdapter[];
}

/** All faults of a plan, found without I/O. Stacks call it before their first resource. */
export function checkBenchmark(plan: BenchmarkPlan): readonly Fault[] {
  const { generator, targets, load, protocol, workers } = plan;
  return uniqueFaults([
    ...checkLoad(load),
    ...protocolFaults(protocol),
    ...(protocol.faults?.(load) ?? []),
    ...workerFaults(generator, workers),
    ...targets.flatMap(({ adapter, scenario }) => targetFaults(plan, adapter, scenario)),
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

function targetFaults(plan: BenchmarkPlan, adapter: GatewayAdapter, scenario: Scenario): readonly Fault[] {
  const early = [
    ...gatewayFaults(adapter, scenario),
    ...checkLoad(plan.load),
    ...workerFaults(plan.generator, plan.workers),
  ];
  return early.length > 0 ? early : sendingFaults(plan, drawn(adapter, scenario));
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

function sendingFaults(
  { generator, load, others = [], workers }: BenchmarkPlan,
  deployment: Deployment,
): readonly Fault[] {
  const faults = unsupportedLoad(generator, load, deployment.requests);
  if (faults.length > 0) return faults.map((one) => withOthers(one, others, load, deployment));
  return orItsFaults(`generator ${generator.name} cannot plan this load`, () => {
    generator.plan(load, drawingTarget(deployment, generator, workers));
    return [];
  });
}

/** Names those that can send what this one cannot. */
function withOthers(of: Fault, others: readonly GeneratorAdapter[], load: Load, { requests }: Deployment): Fault {
  const able = others.filter((other) => unsupportedLoad(other, load, requests).length === 0);
  return able.length === 0 ? of : fault(of.code, `${of.message} These can: ${listed(able.map(({ name }) => name))}.`);
}

/** What the adapter renders for a scenario where nothing is going to be started. */
export function drawn(adapter: GatewayAdapter, scenario: Scenario): Deployment {
  const asked = resolveScenario(scenario);
  return adapter.render(asked, drawingSite(adapter, asked));
}

/** As many CPUs as no plan is refused for. */
const drawingCpus = 64;

function drawingTarget({ entry, requests }: Deployment, generator: GeneratorAdapter, workers = 0): Target {
  const { scheme, host, port } = entry;
  return { scheme, host, port, requests, cpus: drawingCpus, ports: drawingPorts(generator.ports), workers };
}

const drawingPorts = (names: readonly string[] = []): Ports =>
  Object.fromEntries(names.map((name, index) => [name, 8001 + index]));

/** The programs that gateways and generator of a plan start on a host without containers. */
export function programsOf({
  generator,
  targets,
  load,
  workers = 0,
}: Omit<BenchmarkPlan, "protocol">): readonly string[] {
  const deployments = targets.map(({ adapter, scenario }) => drawn(adapter, scenario));
  const started = deployments.flatMap((one) => (one.kind === "containers" ? one.workloads : []));
  const plans = deployments.map((one) => generator.plan(load, drawingTarget(one, generator, workers)));
  const jobs = plans.flatMap((one) => (one.kind === "containers" ? [one.job] : []));
  const site = { ports: drawingPorts(generator.ports), workers, cpus: drawingCpus };
  const crew = generator.crew?.(site) ?? {};
  const asks = targets.some(({ scenario }) => scenario.auth === "external");
  const all = [...started, ...jobs, ...(crew.services ?? []), ...(workers > 0 ? (crew.workers ?? []) : [])];
  const programs = all.flatMap((one) => one.programs ?? [one.command[0] as string]);
  return [...new Set([...programs, ...(asks ? authorizerPrograms : [])])];
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

const drawingServer = (machine: number, index: number): Address => ({
  host: `127.0.0.${machine}`,
  port: 9001 + 2 * index,
  securePort: 9002 + 2 * index,
});

/** A site of invented addresses and ports: what an adapter is rendered for where nothing is going to be started. */
export function drawingSite(
  { ports, supports }: Pick<GatewayAdapter, "ports"> & Partial<Pick<GatewayAdapter, "supports">>,
  scenario: ReturnType<typeof resolveScenario>,
  workers = 1,
): GatewaySite {
  const upstreams = Array.from({ length: scenario.upstream.count }, (_, index) =>
    supports?.onePort ? drawingServer(index + 1, 0) : drawingServer(1, index),
  );
  return {
    upstreams,
    consumers: consumers(scenario.consumers),
    ...(scenario.scheme === "https" ? { certificate } : {}),
    ...(scenario.auth === "external" ? { authorizer: { host: "127.0.0.1", port: 9100 } } : {}),
    ports: drawingPorts(ports),
    workers,
  };
}
