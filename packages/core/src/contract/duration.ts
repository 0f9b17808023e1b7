/** A length of time as people write it: "500ms", "30s", "5m", "1h". A bare number is never a duration. */
export type Duration = `${number}${"ms" | "s" | "m" | "h"}`;

const unitS = { ms: 0.001, s: 1, m: 60, h: 3600 } as const;
/** How a duration is written. */
export const durationPattern = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

/** Seconds in a duration. Throws where the unit is missing. */
export function secondsOf(duration: Duration): number {
  const [, amount, unit] = durationPattern.exec(duration) ?? [];
  if (amount === undefined) throw new RangeError(`${JSON.stringify(duration)} is not a duration`);
  return Number(amount) * unitS[unit as keyof typeof unitS];
}

/** A duration of so many seconds, in the shortest honest form. */
export function duration(seconds: number): Duration {
  return seconds < 1 ? `${Math.round(seconds * 1000)}ms` : `${Number(seconds.toFixed(3))}s`;
}
