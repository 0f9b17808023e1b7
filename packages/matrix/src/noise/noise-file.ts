import { existsSync, readFileSync } from "node:fs";
import { askedRatePerS, figures, resultSchema, sizeSchema, type Cell, type Figure, type Result } from "@gatebench/core";
import {
  answeringRuns,
  compared,
  detectableWith,
  noiseOf,
  powerIn,
  randomFrom,
  sampleOf,
} from "@gatebench/core/measure";
import { z } from "zod";
import { writeJsonFile } from "../results-folder";

const { machine, cells } = resultSchema.shape;
const { load, scenario, generator, topology, gateway } = cells.element.shape;

const figureNoise = z.strictObject({
  figure: z.enum(figures),
  /** Runs of the one and of the other, round by round. */
  left: z.array(z.number()),
  right: z.array(z.number()),
  /** Deviation of one run, on the scale of logarithms. */
  noise: z.strictObject({ inTurns: z.number(), apart: z.number() }),
  /** How often chance alone gives two alike that differ by as much as these did. */
  chance: z.number(),
  /** Of the smallest detectable difference that is computed for five runs in turns: how often it is found in this very noise. */
  power: z.number(),
});
export type FigureNoise = z.infer<typeof figureNoise>;

const noiseSchema = z.strictObject({
  at: z.string(),
  ...{ machine, load, scenario, generator, topology, gateway },
  size: sizeSchema,
  figures: z.array(figureNoise),
});
/** What one gateway against itself showed of a rig. */
export type RigNoise = z.infer<typeof noiseSchema>;

/** What is known of rigs, newest last; nothing where there is no such file, or one of another version. */
export function storedNoise(file: string): readonly RigNoise[] {
  if (!existsSync(file)) return [];
  return noiseFile.safeParse(JSON.parse(readFileSync(file, "utf8"))).data?.measured ?? [];
}

const noiseFile = z.strictObject({ schema: z.literal("gatebench/noise/v1"), measured: z.array(noiseSchema) });

/** Adds to the file, in place of what was known of the same rig and load. */
export function storeNoise(file: string, noise: RigNoise): void {
  const others = storedNoise(file).filter((known) => rigOf(known) !== rigOf(noise));
  writeJsonFile(file, { schema: "gatebench/noise/v1", measured: [...others, noise] } satisfies z.infer<
    typeof noiseFile
  >);
}

/** The machine, and what it was put under. */
const rigOf = ({ machine: { cpu, cpus, memoryBytes }, load, generator, scenario, topology, size }: Rig): string =>
  JSON.stringify([cpu, cpus, memoryBytes, Object.entries(load).toSorted(), generator, scenario, topology, size.name]);
type Rig = Pick<RigNoise, "machine" | "load" | "generator" | "scenario" | "topology" | "size">;

/** What is known of the rig that a cell was measured on; undefined: nothing. */
export const noiseOfRig = (known: readonly RigNoise[], cell: Cell, { machine }: Result): RigNoise | undefined =>
  known.findLast((noise) => rigOf(noise) === rigOf({ ...cell, machine }));

/** From a result of one gateway under two names: of the figures that `gatebench compare` compares. */
export function rigNoise({ machine, cells: [one, other], startedAt }: Result): RigNoise {
  const { load, scenario, generator, topology, gateway, size } = one as Cell;
  const known = comparedFigures(one as Cell).flatMap((figure) => noiseIn(figure, one as Cell, other as Cell) ?? []);
  return { at: startedAt, machine, load, scenario, generator, topology, gateway, size, figures: known };
}

/** Where each request has a handshake of its own, its rate is that of the handshakes; P99 ranks at an offered rate only. */
export function comparedFigures({ verdict, load }: Pick<Cell, "verdict" | "load">): readonly Figure[] {
  const rate: Figure = verdict.tlsTps === null ? "rps" : "tlsTps";
  return askedRatePerS(load) === undefined ? [rate] : [rate, "p99Ms"];
}

function noiseIn(figure: Figure, one: Cell, other: Cell): FigureNoise | undefined {
  const [left, right] = [one, other].map(({ runs }) => sampleOf(answeringRuns(runs), figure)) as [Sample, Sample];
  const record = { left: [...left.values], right: [...right.values] };
  const [noise, comparison] = [noiseOf(record), compared(left, right, { inTurns: true })];
  if (noise === null || comparison === null) return undefined;
  const asked = {
    units: fewRuns,
    difference: detectableWith(noise, fewRuns, true),
    draws: 2000,
    options: { inTurns: true },
  };
  return { figure, ...record, noise, chance: comparison.chance, power: powerIn(record, asked, randomFrom(1)) };
}

type Sample = ReturnType<typeof sampleOf>;

/** The default number of repetitions. */
export const fewRuns = 5;
