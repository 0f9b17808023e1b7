import { fault, type Fault } from "@gatebench/core";
import type { FileFault, FilePath } from "./matrix";

/** Line and column in a file, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** What a matrix file says, and where it says it. */
export interface MatrixSource {
  /** As its reader knows it: what lines begin with. */
  readonly path: string;
  readonly value: unknown;
  /** Where something stands, or the nearest thing around it; undefined where a program says it. `key`: of its key. */
  position(at: FilePath, what: "key" | "value"): Position | undefined;
}

/** Each fault with its place before it: `matrix.yaml:12:5: gateways[1].as: …`. In the order of the file. */
export function placed(source: MatrixSource, faults: readonly FileFault[]): readonly Fault[] {
  return faults
    .map((one) => ({ one, position: source.position(one.at, one.code === "unknown-key" ? "key" : "value") }))
    .sort((a, b) => order(a.position) - order(b.position))
    .map(({ one: { code, message, at }, position }) =>
      fault(code, [placeText(source.path, position), ...(at.length > 0 ? [pathText(at)] : []), message].join(": ")),
    );
}

const order = (position: Position | undefined): number => (position ? position.line * 100_000 + position.column : 0);

const placeText = (path: string, position: Position | undefined): string =>
  position ? `${path}:${position.line}:${position.column}` : path;

/** `gateways[1].as` */
export const pathText = (at: FilePath): string =>
  at.map((step, index) => (typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${step}`)).join("");
