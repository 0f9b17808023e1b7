import { z } from "zod";
import { durationPattern, type Duration } from "./duration";

/** The form of a duration in a file. */
export const durationSchema = z.custom<Duration>((value) => typeof value === "string" && durationPattern.test(value), {
  error: ({ input }) =>
    `${JSON.stringify(input)} is not a duration; write a number with a unit: "500ms", "30s", "5m", "1h"`,
});
