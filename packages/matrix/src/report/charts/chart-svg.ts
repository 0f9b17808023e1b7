import * as echarts from "echarts";
import type { Chart } from "../report";
import { fontFamily } from "./axes";
import { barOption, barHeight } from "./bar-option";
import { lineHeight, lineOption } from "./line-option";

/**
 * Drawn narrow and shown at most so much wider, so that its text can be read on a telephone and does not shout on a
 * screen. Units of the drawing, about CSS pixels.
 */
const width = 400;

/** The chart as an SVG element whose colours are the page's (`palette`), with a title and a description in words. */
export function chartSvg(chart: Chart, id: string): string {
  const height = chart.kind === "bars" ? barHeight(chart) : lineHeight(chart);
  const drawing = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
  drawing.setOption(chart.kind === "bars" ? barOption(chart) : lineOption(chart));
  const drawn = drawing.renderToSVGString();
  drawing.dispose();
  return named(stripped(drawn), chart, id, height);
}

/** Only what is drawn: no size of its own, no marks and styles of a living chart. */
function stripped(svg: string): string {
  return (
    svg
      .replace(/^<svg[^>]*>/, "")
      .replace(/<\/svg>\s*$/, "")
      .replace(/<style[\s\S]*?<\/style>/g, "")
      .replace(/ style="font-size:12px;font-family:[^"]*"/g, "")
      .replace(/ (?:xml:space="preserve"|class="zr[^"]*"|ecmeta_\w+="[^"]*"|pointer-events="\w+")/g, "")
      .replace(/<rect[^>]* fill="none"><\/rect>/, "")
      // Nothing lies outside of the axes; what clips it would need a name of its own in the page.
      .replace(/ clip-path="[^"]*"/g, "")
      .replace(/<defs[\s\S]*?<\/defs>\n?/g, "")
      // The legend's ground, and strokes that have no inside.
      .replace(/<path[^>]* fill-opacity="0"[^>]*><\/path>\n?/g, "")
      .replaceAll('fill="#000"', 'fill="none"')
      .trim()
  );
}

function named(drawn: string, { title, inWords }: Chart, id: string, height: number): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="${fontFamily}" font-size="12" role="img" aria-labelledby="${id}-title ${id}-words">`,
    `<title id="${id}-title">${escaped(title)}</title>`,
    `<desc id="${id}-words">${escaped(inWords)}</desc>`,
    drawn,
    "</svg>",
  ].join("\n");
}

const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => signs[sign] as string);
