import * as pulumi from "@pulumi/pulumi";
import { fault, lineOf, type Fault } from "../../contract";
import { identityOf } from "../identity";
import { placeFolder } from "./agent/paths";
import { recordedProcesses } from "./agent/place";
import { listeners, ownerOf } from "./agent/port-owner";

const blockSize = 400;
/** Above the ports people use, below Linux's ephemeral range (32768), from which a client's own port could be taken. */
const range = { first: 20_000, last: 31_999 };

/**
 * The ports of one place. A name gets the same port each time the program runs, whatever else is in it, so that a
 * gateway added to a benchmark moves no other.
 */
export class PortBlock {
  readonly #base: number;
  readonly #taken = new Set<number>();

  /** Refuses a block in which something foreign listens, before anything is created. */
  constructor(place: string, base = derivedBase(place)) {
    const faults = portFaults(place, base);
    if (faults.length > 0) throw new pulumi.RunError(faults.map(lineOf).join("\n"));
    this.#base = base;
  }

  take(name: string): number {
    let slot = number(name) % blockSize;
    while (this.#taken.has(slot)) slot = (slot + 1) % blockSize;
    this.#taken.add(slot);
    return this.#base + slot;
  }
}

function derivedBase(place: string): number {
  const blocks = Math.floor((range.last - range.first + 1) / blockSize);
  return range.first + (number(place) % blocks) * blockSize;
}

const number = (text: string): number => parseInt(identityOf(text).slice(0, 8), 16);

/** Something foreign that listens where this place's workloads are to listen, one line each. */
export function portFaults(place: string, base = derivedBase(place)): readonly Fault[] {
  const inBlock = listeners().filter(({ port }) => port >= base && port < base + blockSize);
  if (inBlock.length === 0) return [];
  const ours = new Set(recordedProcesses(placeFolder(place)).map(({ pid }) => pid));
  return inBlock
    .map((listener) => ({ port: listener.port, owner: ownerOf(listener) }))
    .filter(({ owner }) => !owner || !ours.has(owner.session))
    .map(({ port, owner }) => portFault(port, base, owner));
}

function portFault(port: number, base: number, owner: { readonly name: string; readonly pid: number } | undefined) {
  const by = owner ? `${owner.name} (pid ${owner.pid})` : "a process of another user";
  return fault(
    "port-in-use",
    `port ${port} is used by ${by}, and the workloads here are to listen on ${base} to ${base + blockSize - 1}. Stop it, or give another port base.`,
  );
}
