import type { EChartsOption, CustomSeriesRenderItem } from "echarts";
import type { BarChart } from "../report";
import { axis, text } from "./axes";
import { colour } from "./palette";

const perBar = 26;
/** Of the bars, which stand at 2. */
const inFront = 3;

export const barHeight = ({ bars }: BarChart): number => bars.length * perBar + 52;

/** Lying bars, the name before each, its value behind the end of its interval. */
export function barOption({ bars, measures }: BarChart): EChartsOption {
  const most = Math.max(...bars.map(({ value, interval }) => Math.max(value, interval?.[1] ?? 0)));
  const widest = Math.max(...bars.map(({ text: words }) => words.length));
  return {
    animation: false,
    textStyle: text("ink"),
    grid: {
      left: 4,
      right: widest * 7 + 14,
      top: 4,
      bottom: 30,
      outerBoundsMode: "same",
      outerBoundsContain: "axisLabel",
    },
    xAxis: {
      type: "value",
      min: 0,
      max: most,
      ...axis(measures, 4),
      axisLabel: { ...text("soft"), hideOverlap: true, showMaxLabel: false },
    },
    yAxis: {
      type: "category",
      inverse: true,
      data: bars.map(({ name }) => name),
      axisLine: { lineStyle: { color: colour("soft") } },
      axisTick: { show: false },
      axisLabel: { ...text("ink"), width: 150, overflow: "break" },
    },
    series: [
      {
        type: "bar",
        silent: true,
        barWidth: "62%",
        data: bars.map(({ value, isBaseline }) => ({
          value,
          itemStyle: { color: colour(isBaseline ? "path" : "bar") },
        })),
      },
      {
        type: "custom",
        silent: true,
        z: inFront,
        data: bars.map(({ value, interval }, index) => [...(interval ?? [value, value]), index]),
        renderItem: interval,
      },
      {
        type: "custom",
        silent: true,
        z: inFront,
        data: bars.map((bar, index) => [Math.max(bar.value, bar.interval?.[1] ?? 0), index]),
        renderItem: label(bars),
      },
    ],
  };
}

/** From the lower to the upper end, a stroke across each. */
const interval: CustomSeriesRenderItem = (_, api) => {
  const [lower, upper, row] = [0, 1, 2].map((at) => Number(api.value(at))) as [number, number, number];
  if (lower === upper) return undefined;
  const [[from = 0, y = 0], [to = 0]] = [api.coord([Math.max(0, lower), row]), api.coord([upper, row])] as [
    number[],
    number[],
  ];
  const ends = [from, to].map((x) => `M${x} ${y - 4}V${y + 4}`).join("");
  return {
    type: "path",
    shape: { pathData: `M${from} ${y}H${to}${ends}` },
    style: { stroke: colour("ink"), fill: "none", lineWidth: 1.5 },
  };
};

const label =
  (bars: BarChart["bars"]): CustomSeriesRenderItem =>
  (_, api) => {
    const [end, row] = [Number(api.value(0)), Number(api.value(1))];
    const [x = 0, y = 0] = api.coord([end, row]);
    return {
      type: "text",
      style: { ...text("ink"), x: x + 6, y, text: bars[row]?.text, verticalAlign: "middle", fill: colour("ink") },
    };
  };
