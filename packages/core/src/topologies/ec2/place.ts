import { mostUpstreams } from "../in-role";

/** EC2 keeps the first four addresses of a subnet for itself. */
export const firstOffset = 10;

/** Hosts of a /27 behind the addresses above. */
export const mostWorkers = 8;

const roles = ["upstream", "gateway", "generator"];

/** A role's own among the addresses, so that a machine more moves no other: workers, further upstreams, the observer. */
export function placeOf(role: string): number {
  if (roles.includes(role)) return roles.indexOf(role);
  if (role === "observer") return placeOf(`upstream-${mostUpstreams}`) + 1;
  const [kind, number] = role.split("-");
  const before = kind === "worker" ? roles.length - 1 : roles.length + mostWorkers - 2;
  return before + Number(number);
}
