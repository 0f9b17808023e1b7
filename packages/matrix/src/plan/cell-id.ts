import { createHash } from "node:crypto";
import type { Load, NamedScenario } from "@gatebench/core";
import type { Matrix, MatrixGateway, MatrixGenerator, Place } from "../matrix-file/matrix";

/** Everything that makes a cell what it is: change any of it, and it is another cell. */
export interface CellContent {
  readonly gateway: MatrixGateway;
  readonly scenario: Pick<NamedScenario, "scenario" | "connection">;
  readonly generator: MatrixGenerator;
  readonly load: Load;
  readonly place: Place;
}

/** Ids of a matrix's cells: words that tell the cell, and a hash of all that was asked for. */
export function cellIds({ file, protocol }: Matrix): (content: CellContent, loadName: string) => string {
  const common = hashOf({ protocol: protocol.name, ...measuredBy(file) });
  const parts = remembered(hashOf);
  return ({ gateway, scenario, generator, load, place }, loadName) => {
    const words = [gateway.adapter.name, scenario.scenario.name, generator.adapter.name, loadName, place.name].join(
      "_",
    );
    const said = { gateway: gateway.asked, version: gateway.adapter.version };
    const sent = { generator: generator.asked, version: generator.adapter.version, workers: generator.workers };
    const all = [common, parts(said, gateway), parts(scenario), parts(sent, generator), parts(load), stands(place)];
    return `${words}_${hashOf(all).slice(0, 8)}`;
  };

  function stands({ topology, size }: Place): string {
    return parts({ ...leftOut(topology), size }, topology, size.name);
  }
}

const measuredBy = ({ upstream, warmUp, coolDown, rounds }: Matrix["file"]) => ({ upstream, warmUp, coolDown, rounds });

const unmoving = ["sizes", "ttl", "sshFrom", "portBase", "privateKeyFile"];
/** Without other sizes, and what moves no figure: who may log in, when machines end themselves, where ports begin. */
const leftOut = (where: object): object =>
  Object.fromEntries(Object.entries(where).filter(([key]) => !unmoving.includes(key)));

const hashOf = (value: unknown): string => createHash("sha256").update(JSON.stringify(value, inOrder)).digest("hex");

/** The same things said in another order are the same. */
function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** A matrix names the same few things in thousands of cells. */
function remembered(hash: (value: unknown) => string) {
  const known = new Map<object, Map<string, string>>();
  return (value: object, owner: object = value, also = ""): string => {
    const its = known.get(owner) ?? new Map<string, string>();
    known.set(owner, its);
    const found = its.get(also) ?? hash(value);
    its.set(also, found);
    return found;
  };
}
