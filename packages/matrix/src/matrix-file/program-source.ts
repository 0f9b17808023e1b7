import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { compileFunction } from "node:vm";
import { fault, FaultError } from "@gatebench/core";
import { buildSync, type BuildFailure } from "esbuild";
import { placed, type MatrixSource, type Position } from "./matrix-source";

/** A matrix that a TypeScript or JavaScript file exports, or why there is none. It is run to find out. */
export function programSource(path: string, file: string): MatrixSource {
  const exported = run(path, file, compiled(path, file));
  const value = matrixIn(exported);
  if (value === undefined)
    throw refusal(path, `it exports no matrix. Write "export default { name: …, gateways: … }".`);
  return { path, value, position: () => undefined };
}

/** Packages stay where they are; files beside it become part of it. */
function compiled(path: string, file: string): string {
  try {
    const options = { bundle: true, write: false, packages: "external", platform: "node", target: "node20" } as const;
    const { outputFiles } = buildSync({ ...options, entryPoints: [file], format: "cjs", logLevel: "silent" });
    return outputFiles[0]?.text ?? "";
  } catch (error) {
    const [first] = (error as BuildFailure).errors ?? [];
    const { file: within = file, line, column } = first?.location ?? {};
    const position = line === undefined ? undefined : { line, column: (column ?? 0) + 1 };
    throw refusal(
      resolve(within) === file ? path : within,
      `this cannot be compiled: ${first?.text ?? (error as Error).message}.`,
      position,
    );
  }
}

function run(path: string, file: string, code: string): Exported {
  const module: { exports: Exported } = { exports: {} };
  try {
    const inner = compileFunction(code, ["module", "exports", "require", "__filename", "__dirname"], {
      filename: file,
    }) as (...given: readonly unknown[]) => void;
    inner(module, module.exports, createRequire(file), file, dirname(file));
  } catch (error) {
    throw refusal(path, `it fails when it is run: ${firstLine(error)}.`);
  }
  return module.exports;
}

/** By its members: it may come from a realm of its own. */
const firstLine = (error: unknown): string =>
  String((error as Partial<Error> | undefined)?.message ?? error).split("\n")[0] as string;

type Exported = { readonly default?: unknown; readonly matrix?: unknown } | undefined;

/** `export default …`, `export const matrix = …`, or the same from plain JavaScript. */
function matrixIn(exported: Exported): unknown {
  const value = exported?.default ?? exported?.matrix;
  return typeof value === "object" && value !== null ? value : undefined;
}

function refusal(path: string, message: string, position?: Position): FaultError {
  const source = { path, value: undefined, position: () => position };
  return new FaultError(placed(source, [{ ...fault("invalid-matrix", message), at: [] }]));
}
