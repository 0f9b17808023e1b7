import { fault, type Fault } from "@gatebench/core";
import type { FileFault, FilePath } from "./matrix";

/** What was found, and what is wrong with the rest. */
export interface Resolved<T> {
  readonly found: readonly T[];
  readonly faults: readonly FileFault[];
}

/** Of entries that were looked up one by one. */
export const together = <T>(parts: readonly Resolved<T>[]): Resolved<T> => ({
  found: parts.flatMap(({ found }) => found),
  faults: parts.flatMap(({ faults }) => faults),
});

export const invalid = (at: FilePath, message: string): FileFault => ({ ...fault("invalid-matrix", message), at });

/** A fault of the core, and what of the file it is about. */
export const atPath =
  (at: FilePath) =>
  ({ code, message }: Fault): FileFault => ({ code, message, at });

/** What is named twice could not be told apart in tables and files. */
export function twins(
  names: readonly string[],
  pathOf: (at: number) => FilePath,
  advice: string,
): readonly FileFault[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [invalid(pathOf(index), `"${name}" stands here a second time. ${advice}`)] : [],
  );
}
