import type { Workload } from "@gatebench/core/contract";
import type { ContainerWorkload } from "./container-data";
import { noEntry } from "./faults";

/** A workload with its defaults; its ports are names yet. */
export type NamedWorkload = ContainerWorkload & Pick<Workload, "name" | "role"> & { readonly ports: readonly string[] };

interface Gateway {
  readonly name: string;
  readonly entry?: string;
  readonly ports: readonly string[];
}

/** The entry is the gateway, and has every port that the others do not claim. */
export function named(gateway: Gateway, given: readonly ContainerWorkload[]): readonly NamedWorkload[] {
  const called = given.map((one) => ({ ...one, name: one.name ?? gateway.name }));
  const entry = entryOf(gateway, called);
  const claimed = given.flatMap(({ ports = [] }) => ports);
  const free = gateway.ports.filter((port) => !claimed.includes(port));
  return called.map((one) =>
    one === entry ? { ports: free, readiness: {}, ...one, role: "gateway" } : { role: "support", ports: [], ...one },
  );
}

/** The workload that traffic enters. */
export function entryOf<W extends { readonly name: string }>(
  { name, entry }: Pick<Gateway, "name" | "entry">,
  workloads: readonly W[],
): W {
  const found = entry === undefined ? workloads.at(-1) : workloads.find((one) => one.name === entry);
  if (found !== undefined) return found;
  throw noEntry(
    name,
    entry,
    workloads.map((one) => one.name),
  );
}

/** The workload on the ports that the host gave. */
export function workloadOn(portOf: (name?: string) => number, { ports, readiness, ...rest }: NamedWorkload): Workload {
  return {
    ...rest,
    ports: Object.fromEntries(ports.map((name) => [name, portOf(name)])),
    ...(readiness ? { readiness: { ...readiness, port: portOf(readiness.port) } } : {}),
  };
}
