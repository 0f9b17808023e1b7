import { mostUpstreams } from "../roles";

/** EC2 keeps the first four addresses of a subnet for itself. */
export const firstOffset = 10;

/** Hosts of a /27 behind the addresses above. */
export const mostWorkers = 8;

const roles = ["upstream", "gateway", "generator"];

/** Workers are counted from 1, further upstreams from 2. */
const before: Readonly<Record<string, number>> = {
  worker: roles.length - 1,
  upstream: roles.length + mostWorkers - 2,
  service: roles.length + mostWorkers + mostUpstreams - 1,
};

/** A role's own among the addresses, so that a machine more moves no other: workers, further upstreams, the observer, services. */
export function placeOf(role: string): number {
  if (roles.includes(role)) return roles.indexOf(role);
  if (role === "observer") return placeOf(`upstream-${mostUpstreams}`) + 1;
  const [kind = "", number] = role.split("-");
  return (before[kind] as number) + Number(number);
}
