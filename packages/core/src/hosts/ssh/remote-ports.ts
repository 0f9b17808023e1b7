import { identityOf } from "../identity";

/** Below Linux's ephemeral range, above the ports that services of a machine use. */
const range = { first: 20_000, count: 4_000 };

/**
 * Ports of a machine that is ours alone. A name gets the same port each time the program runs, whatever else is in it,
 * so that a gateway added to a benchmark moves no other.
 */
export class RemotePorts {
  readonly #taken = new Set<number>();

  take(name: string): number {
    let slot = parseInt(identityOf(name).slice(0, 8), 16) % range.count;
    while (this.#taken.has(slot)) slot = (slot + 1) % range.count;
    this.#taken.add(slot);
    return range.first + slot;
  }
}
