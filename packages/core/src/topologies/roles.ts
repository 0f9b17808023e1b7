import { fault, type Fault } from "../contract";
import type { Host } from "../hosts/host";
import type { Topology } from "./topology";

/** What a topology is asked for, by role. `M` is what it has to know of a machine, or of a pool of nodes. */
export interface Roles<M> {
  /** One for all upstreams, or several on which they stand in turn. */
  readonly upstream: M | readonly M[];
  /** Left out for a baseline without a gateway: then there is none. */
  readonly gateway?: M;
  readonly generator: M;
  /** For the workers of a generator that shares its load among several. @default none */
  readonly workers?: readonly M[];
  /** For an observatory's Prometheus and Grafana. @default the generator's */
  readonly observer?: M;
  /** For what a gateway asks while it decides: an authorizer, then its store. @default the upstream's */
  readonly services?: readonly M[];
}

/** The machines of a topology by their names: worker-1, upstream-2. */
export function byRole<M extends object>(roles: Roles<M>): readonly (readonly [role: string, machine: M])[] {
  const { upstream, gateway, generator, workers = [], observer, services = [] } = roles;
  return [
    ...upstreamsOf(upstream),
    ...(gateway ? [["gateway", gateway] as const] : []),
    ["generator", generator],
    ...numbered("worker", workers),
    ...(observer ? [["observer", observer] as const] : []),
    ...numbered("service", services),
  ];
}

/** The same roles, of what each machine is made into. */
export function mapRoles<M extends object, N extends object>(
  roles: Roles<M>,
  made: (role: string, machine: M) => N,
): Roles<N> {
  const all = Object.fromEntries(byRole(roles).map(([role, machine]) => [role, made(role, machine)]));
  const each = (pairs: readonly (readonly [string, M])[]) => pairs.map(([role]) => all[role] as N);
  return {
    upstream: each(upstreamsOf(roles.upstream)),
    ...(roles.gateway ? { gateway: all.gateway } : {}),
    generator: all.generator as N,
    ...(roles.observer ? { observer: all.observer } : {}),
    workers: each(numbered("worker", roles.workers ?? [])),
    services: each(numbered("service", roles.services ?? [])),
  };
}

/** The hosts of a topology, with one for each role that was left out. */
export function hostsInRoles({
  upstream,
  generator,
  workers = [],
  services = [],
  ...others
}: Roles<Host>): Omit<Topology, "topology"> {
  const upstreams = listOf(upstream);
  const [first] = upstreams as readonly [Host];
  const { gateway = first, observer = generator } = others;
  const [service = first, ...more] = services;
  return { upstream: first, upstreams, gateway, generator, observer, workers, services: [service, ...more] };
}

/** The first is called as if it were alone, so that another one beside it is no reason to make it anew. */
const upstreamsOf = <M extends object>(given: M | readonly M[]) =>
  listOf(given).map((machine, index) => [index === 0 ? "upstream" : `upstream-${index + 1}`, machine] as const);

const numbered = <M>(role: string, given: readonly M[]) =>
  given.map((machine, index) => [`${role}-${index + 1}`, machine] as const);

const listOf = <M extends object>(given: M | readonly M[]): readonly M[] =>
  Array.isArray(given) ? (given as readonly M[]) : [given as M];

/** As many as a scenario can have. */
export const mostUpstreams = 16;

/** An authorizer and its store. */
export const mostServices = 2;

/** Roles that were given a list of no machines, or of more than there is room for. */
export function roleFaults({ upstream, services = [] }: Roles<object>): readonly Fault[] {
  return [
    ...listFaults("upstream", listOf(upstream), 1, mostUpstreams),
    ...listFaults("services", services, 0, mostServices),
  ];
}

function listFaults(role: string, { length }: readonly object[], least: number, most: number): readonly Fault[] {
  if (length >= least && length <= most) return [];
  const message = `${role} is a list of ${length} machines; give one machine, or a list of ${least} to ${most}.`;
  return [fault("invalid-option", message)];
}
