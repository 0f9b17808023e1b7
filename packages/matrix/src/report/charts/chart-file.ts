import type { Report } from "../report";
import { chartSvg } from "./chart-svg";
import { paletteCss } from "./palette";

/** Each chart as a file of its own, in the reader's light or dark, for pages that show pictures. */
export function chartFiles({ sections }: Report): readonly (readonly [file: string, text: string])[] {
  const drawn = sections.flatMap(({ chart, chapter }) => (chart ? [{ chart, chapter }] : []));
  return drawn.map(({ chart, chapter }, index) => {
    const place = String(index + 1).padStart(2, "0");
    const [opening, ...rest] = chartSvg(chart, "chart").split("\n");
    const style = `<style>${paletteCss}\nsvg{background:var(--ground)}</style>`;
    return [`chart-${place}-${slug(chapter)}.svg`, [opening, style, ...rest, ""].join("\n")];
  });
}

const slug = (words: string): string => words.toLowerCase().replace(/[^a-z0-9]+/g, "-");
