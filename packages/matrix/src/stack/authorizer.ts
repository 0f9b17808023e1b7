import {
  Authorizer,
  fault,
  isFault,
  resolveScenario,
  writtenCount,
  type Fault,
  type Scenario,
  type Topology,
} from "@gatebench/core";
import { z } from "zod";
import { scenarioIn } from "./stack-plan";
import { writtenLimits, type StackSettings } from "./stack-settings";

/** Keys of what a gateway asks about each request, where the scenario's auth is "external". */
export const authorizerSettings = {
  /** Of services/Dockerfile, in a registry that the hosts reach: no public one has it. */
  authorizerImage: z.string().optional(),
  /** Its connections to Redis, and so look-ups at once. */
  authorizerPool: writtenCount(10_000).default(20),
  /** CPU and memory it may have, such as {"cpu":0.2,"memory":"128Mi"}. All of its host's without. */
  authorizerLimits: writtenLimits.optional(),
  /** The same of the Redis with its blacklist. */
  redisLimits: writtenLimits.optional(),
  /** Hosts of their own: two for an authorizer and its Redis, one for both, none puts them beside the upstream. */
  serviceMachines: writtenCount(2, 0).default(0),
};

type Asked = z.infer<z.ZodObject<typeof authorizerSettings>>;

const asksAnybody = (scenario: Scenario): boolean => resolveScenario(scenario).auth === "external";

/** Whether a stack's scenario has its gateway ask an authorizer. */
export function asksAuthorizer(asked: StackSettings): boolean {
  const named = scenarioIn(asked);
  return !isFault(named) && asksAnybody(named.scenario);
}

/** Where the scenario has the gateway ask anybody. */
export function authorizerFor(site: Topology, asked: Asked, scenario: Scenario): Authorizer | undefined {
  if (!asksAnybody(scenario)) return undefined;
  const { authorizerImage: image, authorizerPool: poolSize, authorizerLimits: limits, redisLimits } = asked;
  const [host] = site.services;
  const redisHost = site.services.at(-1);
  return new Authorizer("authorizer", { host, redisHost, image, poolSize, limits, redisLimits });
}

export function authorizerFaults(asked: Asked, scenario: Scenario): readonly Fault[] {
  const { authorizerImage, serviceMachines } = asked;
  const option = (message: string) => fault("invalid-option", message);
  if (!asksAnybody(scenario))
    return serviceMachines === 0
      ? []
      : [
          option(
            `config.serviceMachines ${serviceMachines} would stand idle: scenario "${scenario.name}" asks no authorizer. Leave it out, or give the scenario auth "external".`,
          ),
        ];
  return authorizerImage === undefined
    ? [
        option(
          `config.authorizerImage is missing: scenario "${scenario.name}" asks an authorizer, and no public registry has one. Build it from services/Dockerfile for a registry of yours (services/README.md), and give its name.`,
        ),
      ]
    : [];
}
