import { z } from "zod";
import { durationPattern, type Duration } from "./duration";

const notDuration = {
  error: ({ input }: { readonly input?: unknown }) =>
    `${JSON.stringify(input)} is not a duration; write a number with a unit: "500ms", "30s", "5m", "1h"`,
};

/** The form of a duration in a file. */
export const durationSchema = z
  .string(notDuration)
  .regex(durationPattern, notDuration) as unknown as z.ZodType<Duration>;
