import { hoursPerMonth, type Price } from "@gatebench/core/measure";

/** What instance types cost. It never guesses: a type or a region it does not have has no price. */
export interface PriceTable {
  /** What it is and covers, as a fault names it. */
  readonly about: string;
  /** Where else a price may be had, as an advice. */
  readonly instead?: string;
  pricePerHour(instanceType: string, region: string): Price | undefined;
}

/** A machine that is never switched off, without disk and traffic. */
export const monthlyUsd = ({ usd }: Pick<Price, "usd">): number => usd * hoursPerMonth;
