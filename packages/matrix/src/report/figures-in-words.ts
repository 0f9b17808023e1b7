import type { Range } from "@gatebench/core/measure";
import { grouped } from "../counts-in-words";

export const nothing = "–";

/** As many digits as say something: "0.51", "12.3", "1,234". */
export function short(value: number): string {
  if (value === 0) return "0";
  const digits = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** "13.6 %". */
export const percent = (fraction: number): string => `${(fraction * 100).toFixed(Math.abs(fraction) < 0.1 ? 1 : 0)} %`;

/** "RPS (95 %)" where any of its values has an interval. */
export const headed = (name: string, intervals: readonly (Range | null)[]): string =>
  intervals.some((interval) => interval !== null) ? `${name} (95 %)` : name;

/** "+1.7 %", "−14 %". What rounds to nothing has no sign. */
export function signedPercent(fraction: number): string {
  const size = percent(Math.abs(fraction));
  return size === percent(0) ? size : `${fraction < 0 ? "−" : "+"}${size}`;
}

/** "13.6 %", for what is compared with its own interval. */
export const tenths = (fraction: number): string => `${(fraction * 100).toFixed(1)} %`;

/** "36,439 ± 3.2 %", as wide as its interval. */
export function rate(value: number | null, interval: Range | null): string {
  if (value === null) return nothing;
  return `${grouped(value)}${interval && value > 0 ? ` ± ${percent((interval[1] - interval[0]) / 2 / value)}` : ""}`;
}

/** "2.00 (1.91–2.20)". An interval of a median is not the same to both sides. */
export function milliseconds(value: number | null, interval: Range | null = null): string {
  if (value === null) return nothing;
  return `${value.toFixed(2)}${interval ? ` (${interval[0].toFixed(2)}–${interval[1].toFixed(2)})` : ""}`;
}

/** "a, b and c". */
export function together(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
