import type { Figure } from "@gatebench/core";
import { detectableWith } from "@gatebench/core/measure";
import { wrapped, type Look } from "../look";
import { loadInWords } from "../rows";
import { fewRuns, type FigureNoise, type RigNoise } from "./noise-file";

/** What a rig can tell apart, in sentences. */
export function noiseText(noise: RigNoise, { columns }: Look): string {
  const { gateway, generator, scenario, load } = noise;
  return [
    `${gateway} against itself: ${generator}, ${scenario}, ${loadInWords(load)}`,
    ...noise.figures.flatMap((one) => [toldApart(one, noise), ...doubts(one)]),
  ]
    .flatMap((text) => wrapped(text, columns))
    .join("\n");
}

export const figureNames: Readonly<Record<Figure, string>> = { rps: "RPS", p99Ms: "P99", tlsTps: "TLS TPS" };

/** "with 5 runs of 10s, differences of ± 2.1 % in RPS can be told" */
export function toldApart({ figure, noise }: FigureNoise, { load }: RigNoise): string {
  const told = (units: number, inTurns: boolean) => percent(detectableWith(noise, units, inTurns));
  const more = [2 * fewRuns, 4 * fewRuns].map((units) => `${units}: ± ${told(units, true)}`).join(", ");
  return `${figureNames[figure]}: with ${fewRuns} runs of ${load.duration ?? "their own length"}, differences of ± ${told(fewRuns, true)} can be told between gateways measured in turns (${more}), and of ± ${told(fewRuns, false)} between two results.`;
}

/** One that is found by chance once in a thousand is more likely there. */
const hardlyChance = 0.001;

function doubts({ figure, chance, power }: FigureNoise): readonly string[] {
  const name = figureNames[figure];
  return [
    ...(chance < hardlyChance
      ? [
          `${name}: the two differ, though they are the same: what differs is the deployment, or its place. Deploy each gateway several times before comparing.`,
        ]
      : []),
    ...(Math.abs(power - 0.8) > 0.1
      ? [`${name}: this noise is not normal: of such differences ${percent(power)} are found, not 80 %.`]
      : []),
  ];
}

const percent = (fraction: number): string => `${Number((fraction * 100).toFixed(fraction < 0.1 ? 1 : 0))} %`;
