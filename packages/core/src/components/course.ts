import type * as pulumi from "@pulumi/pulumi";
import {
  referencesIn,
  refusedTokens,
  withToken,
  type CounterPage,
  type Load,
  type Protocol,
  type Purpose,
} from "../contract";
import type { Host, Session, StartedWorkload } from "../hosts/host";
import type { CountedPages, JobOrder } from "../hosts/job-record";
import type { GatewayUnderTest } from "./gateway-under-test";
import type { LoadGenerator } from "./load-generator";
import type { Observatory } from "./observatory";

/** What every target of one benchmark has in common. */
export interface Course {
  readonly benchmark: string;
  /** What results call it. */
  readonly label: string;
  readonly generator: LoadGenerator;
  readonly load: Load;
  readonly protocol: Protocol;
  readonly purpose: Purpose | undefined;
  readonly session: Session;
  readonly parent: pulumi.Resource;
  /** Where raw output is copied to. */
  readonly results: string | undefined;
  readonly observatory: Observatory | undefined;
}

/** What is probed, counted and watched for a target, whatever runs against it. */
export function observedOrder(
  vault: string,
  target: GatewayUnderTest,
  crew: readonly StartedWorkload[] = [],
  beside: readonly StartedWorkload[] = [],
): Pick<JobOrder, "vault" | "probed" | "counted" | "watched"> {
  const all = [...target.upstream.workloads, ...(target.authorizer?.workloads ?? []), ...target.workloads];
  const probed = [...all, ...crew];
  return {
    vault,
    probed: probed.flatMap(({ workload, name, address }) =>
      workload.readiness ? [{ ...workload.readiness, name, host: address }] : [],
    ),
    counted: {
      gateway: countedOn(target.host, target.deployment.counters),
      upstream: target.upstream.counted,
    },
    watched: [...probed, ...beside].map(({ workload, name, host }) => ({
      name,
      host: host.name,
      role: workload.role,
      cores: workload.role === "gateway" ? target.workers : host.cpus,
    })),
  };
}

/** The pages of one deployment, all reached at the same address. */
const countedOn = (host: Host, pages: readonly CounterPage[] = []): readonly CountedPages[] =>
  pages.slice(0, 1).map(({ port }) => ({ host: host.addressFor(port), pages }));

/** Names of the values a target was given: its requests need some, and anything it prints may hold any of them. */
export function valuesGiven({ deployment, scenario }: GatewayUnderTest): readonly string[] {
  const text = JSON.stringify(deployment);
  const tried = scenario.auth === "external" ? refusedTokens.map((token) => withToken(text, token)) : [];
  return referencesIn([text, ...tried].join());
}
