import type { Finding } from "../../contract";

export const held: Finding = { verdict: "held" };
export const breaks = (reason: string): Finding => ({ verdict: "broken", reason });
export const untested = (reason: string): Finding => ({ verdict: "untested", reason });

/** "1 answer", "3 answers". */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** "200 (12 times), 429 (3 times)": how often each value was seen. */
export function tally(values: readonly (string | number)[]): string {
  const counts = new Map<string | number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => `${value} (${counted(count, "time")})`).join(", ") || "nothing";
}
