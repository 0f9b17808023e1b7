import type * as pulumi from "@pulumi/pulumi";
import { referencesIn, type Load, type Protocol, type Purpose } from "../contract";
import type { Session, StartedWorkload } from "../hosts/host";
import type { CountedPages, JobOrder, Probed } from "../hosts/job-record";
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
  const servers = target.upstream.workloads;
  const probed = [...servers, ...target.workloads, ...crew];
  return {
    vault,
    probed: [
      ...servers.flatMap((server) => probedAs(server, servers.length > 1 ? { oneOf: servers.length } : {})),
      ...[...target.workloads, ...crew].flatMap((workload) => probedAs(workload)),
    ],
    counted: {
      gateway: countedAt(target),
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
const countedAt = ({
  host,
  address,
  deployment: { counters: pages = [] },
}: GatewayUnderTest): readonly CountedPages[] =>
  pages.slice(0, 1).map(({ port }) => ({ host: address ?? host.addressFor(port), pages }));
const probedAs = (
  { workload, name, address }: StartedWorkload,
  among: Pick<Probed, "oneOf"> = {},
): readonly Probed[] => (workload.readiness ? [{ ...workload.readiness, name, host: address, ...among }] : []);

/** Names of the values a target was given: its requests need some, and anything it prints may hold any of them. */
export const valuesGiven = ({ deployment }: GatewayUnderTest): readonly string[] =>
  referencesIn(JSON.stringify(deployment));
