import type { CustomSeriesRenderItem, EChartsOption, SeriesOption } from "echarts";
import type { LineChart, Point } from "../report";
import { axis, text } from "./axes";
import { colour, look } from "./palette";

const plot = 236;
const perLegendLine = 20;
const widthOfLegend = 380;

export const lineHeight = (chart: LineChart): number => plot + legendHeight(chart) + 62;

/** Names flow in lines; about seven units of the drawing to a letter. */
function legendHeight({ lines }: LineChart): number {
  const widths = lines.map(({ name }) => name.length * 7 + 42);
  const { count } = widths.reduce(
    ({ count, used }, wide) =>
      used + wide > widthOfLegend ? { count: count + 1, used: wide } : { count, used: used + wide },
    { count: 1, used: 0 },
  );
  return count * perLegendLine + 8;
}

/** Points with their intervals, joined, or followed by the line of their law; what lies beyond it is broken. */
export function lineOption(chart: LineChart): EChartsOption {
  const { lines, across, up, boundary } = chart;
  const top = legendHeight(chart) + 20;
  return {
    animation: false,
    textStyle: text("ink"),
    legend: {
      top: 0,
      left: 0,
      data: lines.map(({ name }) => name),
      textStyle: text("ink"),
      itemWidth: 22,
      itemHeight: 9,
      itemGap: 12,
    },
    grid: { left: 4, right: 14, top, bottom: 30, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
    xAxis: { type: "value", min: 0, ...axis(across, 6) },
    yAxis: {
      type: isWide(chart) ? "log" : "value",
      ...(isWide(chart) ? {} : { min: 0 }),
      ...axis(up, 5),
      nameLocation: "end",
      nameGap: 8,
      nameTextStyle: { ...text("soft"), align: "left" },
    },
    series: [...lines.flatMap((line, index) => seriesOf(line, index)), ...(boundary ? [boundaryOf(boundary)] : [])],
  };
}

/** Past saturation a P99 is a hundred times what it was before; both are to be seen. */
function isWide({ lines }: LineChart): boolean {
  const ys = lines.flatMap(({ points }) => points.map(({ y }) => y)).filter((y) => y > 0);
  return Math.max(...ys) / Math.min(...ys) > 50 && ys.length > 0;
}

const pairs = (points: readonly Point[]) => points.map(({ x, y }) => [x, y]);

const plain = { type: "line", silent: true } as const;

function seriesOf({ name, points, law }: LineChart["lines"][number], index: number): readonly SeriesOption[] {
  const { colour: own, symbol } = look(index);
  const line = (data: readonly Point[], isBroken: boolean): SeriesOption => ({
    ...plain,
    showSymbol: false,
    data: pairs(data),
    lineStyle: { color: own, width: 2, type: isBroken ? [5, 4] : "solid" },
  });
  return [
    {
      ...plain,
      name,
      data: pairs(points),
      symbol,
      symbolSize: 8,
      itemStyle: { color: own },
      lineStyle: { color: own, width: law ? 0 : 2 },
    },
    ...(law ? [line(law.fitted, false), line(law.beyond, true)] : []),
    {
      type: "custom",
      silent: true,
      data: points.flatMap(({ x, interval }) => (interval ? [[x, ...interval]] : [])),
      renderItem: intervalIn(own),
    },
  ];
}

const intervalIn =
  (own: string): CustomSeriesRenderItem =>
  (_, api) => {
    const [at, lower, upper] = [0, 1, 2].map((index) => Number(api.value(index))) as [number, number, number];
    const [[x = 0, from = 0], [, to = 0]] = [api.coord([at, lower]), api.coord([at, upper])] as [number[], number[]];
    const ends = [from, to].map((y) => `M${x - 4} ${y}H${x + 4}`).join("");
    return {
      type: "path",
      shape: { pathData: `M${x} ${from}V${to}${ends}` },
      style: { stroke: own, fill: "none", lineWidth: 1.5 },
    };
  };

/** An upright line from foot to top, its words beside it at the foot, where curves that grow leave room. */
function boundaryOf({ x: at, text: words }: NonNullable<LineChart["boundary"]>): SeriesOption {
  return {
    type: "custom",
    silent: true,
    data: [[at]],
    renderItem: ({ coordSys }, api) => {
      const { y: top, x: left, width, height } = coordSys as unknown as Record<"x" | "y" | "width" | "height", number>;
      const foot = top + height;
      const x = api.coord([api.value(0), api.value(0)])[0] as number;
      const room = left + width - x - 12;
      const line = { pathData: `M${x} ${top}V${foot}` };
      return {
        type: "group",
        children: [
          {
            type: "path",
            shape: line,
            style: { stroke: colour("soft"), fill: "none", lineWidth: 1.5, lineDash: [2, 3] },
          },
          {
            type: "text",
            style: {
              ...text("soft"),
              ...{ x: x + 6, y: foot - 8, verticalAlign: "bottom", fill: colour("soft") },
              ...{ text: words, width: Math.max(90, room), overflow: "break" },
            },
          },
        ],
      };
    },
  };
}
