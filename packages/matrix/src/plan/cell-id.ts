import { createHash } from "node:crypto";
import type { Load, NamedScenario } from "@gatebench/core";
import { canonical } from "../canonical";
import { once } from "../once";
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
  const gatewayHash = hashedOnce(({ asked, adapter }: MatrixGateway) => ({ gateway: asked, version: adapter.version }));
  const scenarioHash = hashedOnce((scenario: CellContent["scenario"]) => scenario);
  const generatorHash = hashedOnce(({ asked, adapter, workers, script }: MatrixGenerator) => ({
    ...{ generator: asked, version: adapter.version, workers, script },
  }));
  const loadHash = hashedOnce((load: Load) => load);
  const placeHash = hashedOnce(({ topology, size }: Place) => ({ ...leftOut(topology), size }));
  return ({ gateway, scenario, generator, load, place }, loadName) => {
    const words = [gateway.adapter.name, scenario.scenario.name, generator.adapter.name, loadName, place.name].join(
      "_",
    );
    const all = [
      ...[common, gatewayHash(gateway), scenarioHash(scenario)],
      ...[generatorHash(generator), loadHash(load), placeHash(place)],
    ];
    return `${words}_${hashOf(all).slice(0, 8)}`;
  };
}

const measuredBy = ({ upstream, warmUp, coolDown, rounds }: Matrix["file"]) => ({ upstream, warmUp, coolDown, rounds });

const unmoving = ["sizes", "ttl", "sshFrom", "portBase", "privateKeyFile"];
/** Without other sizes, and what moves no figure: who may log in, when machines end themselves, where ports begin. */
const leftOut = (where: object): object =>
  Object.fromEntries(Object.entries(where).filter(([key]) => !unmoving.includes(key)));

const hashOf = (value: unknown): string => createHash("sha256").update(canonical(value)).digest("hex");

/** A matrix names the same few things in thousands of cells. */
const hashedOnce = <T>(said: (of: T) => unknown): ((of: T) => string) =>
  once(
    (of: T) => hashOf(said(of)),
    (of) => of,
  );
