import { unparsed } from "../unparsed-output";

/** A number as text rounds it: the true one lies no further away than `within`. */
export interface Rounded {
  readonly value: number;
  readonly within: number;
}

/** Errors of one run, by wrk's own names. `status`: answers above 399. `timeout`: answers that came too late. */
export interface Errors {
  readonly connect: number;
  readonly read: number;
  readonly write: number;
  readonly status: number;
  readonly timeout: number;
}

const unitUs: Readonly<Record<string, number>> = { us: 1, ms: 1e3, s: 1e6, m: 60e6, h: 3600e6 };
// wrk counts bytes by 1024.
const unitBytes: Readonly<Record<string, number>> = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40 };

/** "4.57ms" in microseconds. */
export const roundedUs = (text: string): Rounded => rounded(text, unitUs);
/** "155.72MB" in bytes. */
export const roundedBytes = (text: string): Rounded => rounded(text, unitBytes);
/** "129182.23", without a unit. */
export const roundedNumber = (text: string): Rounded => rounded(text, { "": 1 });

function rounded(text: string, units: Readonly<Record<string, number>>): Rounded {
  const [, digits = "", unit = ""] = /^(\d+\.\d\d)([a-zA-Z]*)$/.exec(text) ?? [];
  const size = units[unit];
  if (digits === "" || size === undefined) unparsed("wrk", "not a number with a unit", text);
  // A little more than half a last digit, for the rounding of binary fractions.
  return { value: Number((Number(digits) * size).toPrecision(12)), within: 0.00501 * size };
}

/** Whether a number may be what the text rounds. */
export const agrees = ({ value, within }: Rounded, exact: number): boolean => Math.abs(value - exact) <= within;
