import type { Result } from "@gatebench/core";
import { detectableWith } from "@gatebench/core/measure";
import { noiseOfRig, type RigNoise } from "../noise/noise-file";
import { figureNames } from "../noise/noise-text";
import { loadInWords, nameOfRow } from "../rows";
import type { ComparedCell, ComparedResults } from "./compare-results";

/** Beside the noise that the repetitions show, that of the rig as it was measured: once for each load. */
export function noiseNotes(
  { cells }: ComparedResults,
  known: readonly RigNoise[],
  a: Result,
  b: Result,
): readonly string[] {
  return [...new Set(cells.flatMap((cell) => notesOf(cell, known, a, b)))];
}

function notesOf({ a: cell, b: other, figures }: ComparedCell, known: readonly RigNoise[], a: Result, b: Result) {
  const noise = noiseOfRig(known, cell, a);
  if (!noise || noise !== noiseOfRig(known, other, b)) return [];
  return figures.flatMap(({ figure, comparison }) => {
    const measured = noise.figures.find((one) => one.figure === figure);
    if (!measured || !comparison) return [];
    const units = Math.min(...comparison.units);
    const told = (detectableWith(measured.noise, units, false) * 100).toFixed(1);
    return [
      `as measured on ${noise.at.slice(0, 10)} with ${noise.gateway} against itself, this rig tells ± ${told} % of ${figureNames[figure]} with ${units} runs each (${noise.generator}, ${nameOfRow(cell)}, ${loadInWords(noise.load)}).`,
    ];
  });
}
