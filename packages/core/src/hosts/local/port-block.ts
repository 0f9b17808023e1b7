import { fault, listed, type Fault } from "../../contract";
import { identityOf } from "../identity";
import { refuseFaults } from "../refuse-faults";
import { placeFolder } from "../agent/paths";
import { recordedProcesses } from "../agent/place";
import { listeners, ownerOf } from "../agent/port-owner";

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
  constructor(place: string, base = blockOf(place)) {
    refuseFaults(portFaults(place, base));
    this.#base = base;
  }

  take(name: string): number {
    let slot = number(name) % blockSize;
    while (this.#taken.has(slot)) slot = (slot + 1) % blockSize;
    this.#taken.add(slot);
    return this.#base + slot;
  }
}

/**
 * The block this place listens in already; else the one its name points to, or the first behind that in which nothing
 * listens: others may measure on this machine too.
 */
function blockOf(place: string): number {
  const blocks = Math.floor((range.last - range.first + 1) / blockSize);
  const bases = Array.from({ length: blocks }, (_, i) => range.first + ((number(place) + i) % blocks) * blockSize);
  const taken = takenPorts(place, range.first, range.last);
  const within = (base: number) => taken.filter(({ port }) => port >= base && port < base + blockSize);
  const own = bases.find((base) => within(base).some(({ isOurs }) => isOurs));
  return own ?? bases.find((base) => within(base).length === 0) ?? (bases[0] as number);
}

const number = (text: string): number => parseInt(identityOf(text).slice(0, 8), 16);

interface Taken {
  readonly port: number;
  readonly by: string;
  /** Whether a process of this place listens there. */
  readonly isOurs: boolean;
}

function takenPorts(place: string, first: number, last: number): readonly Taken[] {
  const ours = new Set(recordedProcesses(placeFolder(place)).map(({ pid }) => pid));
  return listeners()
    .filter(({ port }) => port >= first && port <= last)
    .map((listener) => {
      const owner = ownerOf(listener);
      const by = owner ? `${owner.name} (pid ${owner.pid})` : "a process of another user";
      return { port: listener.port, by, isOurs: owner !== undefined && ours.has(owner.session) };
    });
}

/** Foreign programs that listen where this place's workloads are to listen, one line each. */
export function portFaults(place: string, base = blockOf(place)): readonly Fault[] {
  const foreign = new Map<string, Set<number>>();
  for (const { port, by, isOurs } of takenPorts(place, base, base + blockSize - 1))
    if (!isOurs) foreign.set(by, (foreign.get(by) ?? new Set()).add(port));
  return [...foreign].map(([by, ports]) => portFault([...ports].sort(), by, base));
}

function portFault(ports: readonly number[], by: string, base: number): Fault {
  const which = ports.length === 1 ? `port ${ports[0]} is` : `ports ${listed(ports)} are`;
  return fault(
    "port-in-use",
    `${which} used by ${by}, and the workloads here are to listen on ${base} to ${base + blockSize - 1}. Stop it, or give another port base.`,
  );
}
