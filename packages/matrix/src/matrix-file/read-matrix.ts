import { dirname, resolve } from "node:path";
import { faultsBehind, FaultError, uniqueFaults, type Fault } from "@gatebench/core";
import { checked } from "./issue-faults";
import type { FileFault, Matrix } from "./matrix";
import { matrixFileSchema, type MatrixFile } from "./matrix-file";
import { placed, type MatrixSource } from "./matrix-source";
import { withPreset, type Given } from "./preset";
import { readSource } from "./read-source";
import { resolveMatrix } from "./resolve-matrix";

/** A matrix with the file it stands in. */
export interface ReadMatrix extends Matrix {
  /** As it was asked for. */
  readonly path: string;
  /** Faults of later steps as people see those of the file: each with its line. */
  withPositions(faults: readonly FileFault[]): readonly Fault[];
}

/** The matrix that a file asks for. Throws everything that is wrong with it at once, one line each; starts nothing. */
export async function readMatrix(path: string): Promise<ReadMatrix> {
  const source = readSource(path);
  const withPositions = (faults: readonly FileFault[]) => uniqueFaults(placed(atPreset(source), faults));
  const file = fileOf(source);
  if (isFaults(file)) throw new FaultError(withPositions(file));
  try {
    return { ...(await resolveMatrix(file, dirname(resolve(path)))), path, withPositions };
  } catch (error) {
    const faults = faultsBehind(error) as readonly FileFault[] | undefined;
    throw faults ? new FaultError(withPositions(faults)) : error;
  }
}

/** What the file and its preset say together, in the form of a matrix. */
function fileOf({ value }: MatrixSource): MatrixFile | readonly FileFault[] {
  const given = isMapping(value) ? withPreset(value) : value;
  return isFaults(given) ? given : checked(matrixFileSchema, given);
}

const isMapping = (value: unknown): value is Given =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isFaults = (found: unknown): found is readonly FileFault[] => Array.isArray(found) && found.every(hasPath);
const hasPath = (one: unknown): boolean => isMapping(one) && "code" in one && "at" in one;

/** What the file does not say itself stands where it names its preset. */
function atPreset(source: MatrixSource): MatrixSource {
  const { value } = source;
  if (!isMapping(value) || value.preset === undefined) return source;
  return {
    ...source,
    position: (at, what) =>
      source.position(at.length === 0 || Object.hasOwn(value, at[0] ?? "") ? at : ["preset"], what),
  };
}
