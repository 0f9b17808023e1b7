import { fault, FaultError, listed, type Ports } from "@gatebench/core/contract";

/** The number of a port by its name; without a name, of the first. */
export function portIn(gateway: string, ports: Ports): (name?: string) => number {
  const names = Object.keys(ports);
  return (name = names[0] as string) => {
    const port = ports[name];
    if (port !== undefined) return port;
    throw wrong(`${gateway} names the port "${name}", which it has not. It has: ${listed(names)}. Add it to "ports".`);
  };
}

/** What stands behind the last colon of an image, but for a registry's port. */
export function tagOf(gateway: string, image: string): string {
  const [, tag] = /:([^:/]+)$/.exec(image) ?? [];
  if (tag !== undefined) return tag;
  throw wrong(`${gateway} runs the image ${image}, which names no version. Give it a tag, as in ${image}:1.2.3.`);
}

/** Why there is nothing that traffic could enter. */
export function noEntry(gateway: string, entry: string | undefined, names: readonly string[]): FaultError {
  const asked = entry === undefined ? "no workload" : `no workload "${entry}" that traffic could enter`;
  return wrong(`${gateway} has ${asked}. It has: ${listed(names)}. Name one of its workloads, or give one.`);
}

const wrong = (message: string) => new FaultError([fault("invalid-option", message)]);
