import {
  checkBenchmark,
  isFault,
  loadGateway,
  loadGenerator,
  programsOf,
  refuse,
  secondsOf,
  type ClosedLoad,
  type GatewayAdapter,
  type GeneratorAdapter,
  type Scenario,
} from "@gatebench/core";
import { steps } from "@gatebench/core/measure";
import { programOf, staticPayload } from "@gatebench/core/upstreams";
import { gateways } from "@gatebench/gateways";
import { generators, hey } from "@gatebench/generators";
import type { FidelityOptions } from "./fidelity-options";

/** What is run by both sides: one gateway, two generators that each have their own load. */
export interface FidelityPlan {
  readonly gateway: GatewayAdapter;
  /** Goes as fast as it can. */
  readonly saturating: GeneratorAdapter;
  /** Keeps to a pace. */
  readonly pacing: GeneratorAdapter;
}

/** Proxies and nothing else: a hand-run needs no secret. */
export const scenario: Scenario = { name: "plain" };

/** What the default bench sends. */
export const saturated: ClosedLoad = { model: "closed", connections: 32, duration: "1s" };

/** Of what the generator can send at most; far enough from it that neither side has to wait. */
const pacedFraction = 0.3;

/**
 * Few requests a second make a connection that is late keep its pace all the same; but all connections are due at once,
 * and the more there are, the later the last answer, which ends the run.
 */
const calmPerConnection = 100;
const mostConnections = 128;

/**
 * The load at a pace. The last request of each connection is due half a pause before the end: due at the end itself, it
 * would be sent or not by chance.
 */
export function pacedAt(capacityRps: number): ClosedLoad & { readonly pacePerConnection: number } {
  const duration = "2s";
  const offered = pacedFraction * capacityRps;
  const connections = Math.min(mostConnections, Math.max(1, Math.round(offered / calmPerConnection)));
  const requests = Math.max(1, Math.round((offered / connections) * secondsOf(duration))) + 0.5;
  return { model: "closed", connections, pacePerConnection: requests / secondsOf(duration), duration };
}

/** The adapters asked for; throws every fault at once. */
export async function planFidelity({ gateway, generator }: FidelityOptions): Promise<FidelityPlan> {
  const [chosen, saturating] = [await loadGateway(gateway, gateways), await loadGenerator(generator, generators)];
  if (isFault(chosen) || isFault(saturating)) {
    refuse([chosen, saturating].filter(isFault));
    throw new Error("unreachable");
  }
  const plan = { gateway: chosen, saturating, pacing: saturating.reports.pace ? saturating : hey() };
  refuse(benchmarksOf(plan).flatMap((one) => checkBenchmark({ ...one, protocol: steps([{ load: one.load }]) })));
  return plan;
}

/** Programs both sides start on this machine. */
export function binariesOf(plan: FidelityPlan): readonly string[] {
  return [...new Set(["env", programOf(staticPayload()), ...benchmarksOf(plan).flatMap(programsOf)])];
}

function benchmarksOf({ gateway, saturating, pacing }: FidelityPlan) {
  const targets = [{ adapter: gateway, scenario }];
  return [
    { generator: saturating, targets, load: saturated },
    { generator: pacing, targets, load: pacedAt(10_000) },
  ];
}
