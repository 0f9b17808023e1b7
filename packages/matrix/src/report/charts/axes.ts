import { colour } from "./palette";

export const fontFamily = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

export const text = (shade: "ink" | "soft") => ({ color: colour(shade), fontFamily, fontSize: 12 });

/** An axis of values with its unit in the middle. */
export const axis = (name: string, splitNumber: number, gap = 22) => ({
  name,
  nameLocation: "middle" as const,
  nameGap: gap,
  nameTextStyle: text("soft"),
  splitNumber,
  axisLine: { show: true, lineStyle: { color: colour("soft") } },
  axisTick: { show: false },
  axisLabel: { ...text("soft"), hideOverlap: true, formatter: compact },
  splitLine: { lineStyle: { color: colour("line") } },
});

/** "250k": axis labels are for orientation, figures stand in the table. */
export function compact(value: number): string {
  const [size, sign] = Math.abs(value) >= 1e6 ? [1e6, "M"] : Math.abs(value) >= 1e4 ? [1e3, "k"] : [1, ""];
  return `${Number((value / size).toPrecision(6)).toLocaleString("en-US")}${sign}`;
}
