import { FaultError, schemaFaults } from "@gatebench/core";
import { z } from "zod";

/** What `gatebench fidelity` may be given. */
export const fidelityOptionsSchema = z.strictObject({
  gateway: z.string().default("nginx"),
  generator: z.string().default("wrk"),
  quick: z.boolean().default(false),
  json: z.string().optional(),
  results: z.string().default("results/fidelity"),
});
export type FidelityOptions = z.infer<typeof fidelityOptionsSchema>;

/** The options, or one line for each thing wrong with them. */
export function readFidelityOptions(given: Readonly<Record<string, unknown>>): FidelityOptions {
  const parsed = fidelityOptionsSchema.safeParse(given);
  if (!parsed.success) throw new FaultError(schemaFaults("invalid-option", "fidelity", parsed.error));
  return parsed.data;
}

/** How many pairs are taken of each load. */
export interface Effort {
  readonly paced: Pairs;
  readonly saturated: Pairs;
}

interface Pairs {
  /** As many that the rest of the machine left alone are enough. */
  readonly wanted: number;
  readonly atMost: number;
}

export function effortOf({ quick }: Pick<FidelityOptions, "quick">): Effort {
  return quick
    ? { paced: { wanted: 3, atMost: 6 }, saturated: { wanted: 6, atMost: 9 } }
    : { paced: { wanted: 5, atMost: 10 }, saturated: { wanted: 40, atMost: 40 } };
}
