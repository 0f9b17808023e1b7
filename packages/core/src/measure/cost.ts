/** What a machine costs, and who says so. */
export interface Price {
  /** US dollars an hour, on demand, with Linux. */
  readonly usd: number;
  readonly source: string;
  /** Of the source, YYYY-MM-DD: prices change. */
  readonly date: string;
}

/** What a rate costs on a machine of this price. */
export interface Cost {
  readonly usdPerMillion: number;
  /** Requests per second for each dollar an hour. */
  readonly perSForDollarHour: number;
  readonly usdPerMonth: number;
}

/** A year's hours over its months; what AWS's own calculator takes. */
export const hoursPerMonth = 730;

/** null of no rate: nothing divided by nothing is not free of charge. */
export function costOf(perS: number | null, { usd }: Price): Cost | null {
  if (perS === null || !(perS > 0)) return null;
  return {
    usdPerMillion: (usd / (perS * 3600)) * 1e6,
    perSForDollarHour: perS / usd,
    usdPerMonth: usd * hoursPerMonth,
  };
}
