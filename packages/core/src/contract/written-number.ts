import { z } from "zod";

/**
 * Numbers as people write them: on a command line and in a stack's configuration every value is a text. One sentence
 * says what was given and everything that is possible. For editors, which see files, they are numbers.
 */
export function writtenCount(most: number, least = 1) {
  const fits = (value: number) => Number.isInteger(value) && value >= least && value <= most;
  return written(`a whole number from ${least} to ${most}`, fits).meta({
    type: "integer",
    minimum: least,
    maximum: most,
  });
}

/** Any number above 0, fractions too. */
export function writtenRate(most: number) {
  const fits = (value: number) => value > 0 && value <= most;
  return written(`a number above 0 and up to ${most}`, fits).meta({
    type: "number",
    exclusiveMinimum: 0,
    maximum: most,
  });
}

function written(wanted: string, fits: (value: number) => boolean) {
  return z.unknown().transform((given, { issues }) => {
    const value = numberIn(given);
    if (fits(value)) return value;
    issues.push({ code: "custom", input: given, message: `${JSON.stringify(given)} is not ${wanted}` });
    return z.NEVER;
  });
}

function numberIn(given: unknown): number {
  if (typeof given === "number") return given;
  return typeof given === "string" && given.trim() !== "" ? Number(given) : NaN;
}
