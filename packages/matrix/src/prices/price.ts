/** What a machine costs while it exists, and who says so. */
export interface Price {
  /** US dollars an hour, on demand, with Linux. */
  readonly usd: number;
  readonly source: string;
  /** Of the source: YYYY-MM-DD. */
  readonly date: string;
}

/** What instance types cost. It never guesses: a type or a region it does not have has no price. */
export interface PriceTable {
  /** What it is and covers, as a fault names it. */
  readonly about: string;
  /** Where else a price may be had, as an advice. */
  readonly instead?: string;
  pricePerHour(instanceType: string, region: string): Price | undefined;
}

/** A year's hours over its months; what AWS's own calculator takes. */
export const hoursPerMonth = 730;

/** A machine that is never switched off, without disk and traffic. */
export const monthlyUsd = ({ usd }: Pick<Price, "usd">): number => usd * hoursPerMonth;
