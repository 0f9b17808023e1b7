import { unparsed } from "../unparsed-output";
import { meanBounds } from "./mean-bounds";
import type { HeyText } from "./text";

/** Latencies are rounded to 0.1 ms, and the edges made of two of them. */
const withinS = 0.0002;
/** Edges are printed to the millisecond. */
const markWithinS = 0.0007;

/** Throws where latencies contradict the bars, which are eleven of equal width from the fastest to the slowest. */
export function checkBars({ bars, fastestS, slowestS, percentilesS, again }: HeyText): void {
  const samples = samplesOf(bars);
  if (samples === 0) return;
  const edges = edgesOf({ bars, fastestS, slowestS });
  const fits = bars.every(([mark], index) => Math.abs(mark - (edges[index] as number)) <= markWithinS);
  insist(bars.length === 11 && fits, "bars that do not lie from the fastest to the slowest", `${fastestS} ${slowestS}`);
  if (again !== undefined)
    insist(again[0] === fastestS && again[1] === slowestS, "two different ends", again.join(" "));
  for (const [percent, seconds] of percentilesS.filter(([percent]) => percent > 0)) {
    const bar = barOf(bars, Math.ceil((percent * samples) / 100));
    const isIn = seconds <= (edges[bar] ?? 0) + withinS && seconds >= (edges[bar - 1] ?? fastestS) - withinS;
    insist(isIn || samples < 10, `bars without the percentile ${percent}`, `${seconds} s`);
  }
}

/** Whether a mean can be that of these bars and percentiles. */
export function isMeanOf(text: HeyText, meanS: number): boolean {
  const { bars, percentilesS, fastestS, slowestS } = text;
  const samples = samplesOf(bars);
  const ranks = meanBounds({ samples, percentilesS, fastestS, slowestS });
  return [barBounds(text, samples), ranks].every(
    ([least, most]) => meanS >= least - withinS && meanS <= most + withinS,
  );
}

const samplesOf = (bars: HeyText["bars"]) => bars.reduce((sum, [, count]) => sum + count, 0);

const edgesOf = ({ bars, fastestS, slowestS }: Pick<HeyText, "bars" | "fastestS" | "slowestS">) =>
  bars.map((_, index) => fastestS + ((slowestS - fastestS) / 10) * index);

/** The bar of the latency of this rank, from 0. */
function barOf(bars: HeyText["bars"], rank: number): number {
  let seen = 0;
  return bars.findIndex(([, count]) => (seen += count) > rank);
}

/** Each latency is at most its bar's edge, and more than the edge before. */
function barBounds(text: HeyText, samples: number): readonly [leastS: number, mostS: number] {
  const edges = edgesOf(text);
  const mean = (edgeOf: (bar: number) => number) =>
    text.bars.reduce((sum, [, count], bar) => sum + edgeOf(bar) * count, 0) / samples;
  return [mean((bar) => edges[Math.max(0, bar - 1)] as number), mean((bar) => edges[bar] as number)];
}

function insist(holds: boolean, why: string, excerpt: string): void {
  if (!holds) unparsed("hey", why, excerpt);
}
