import { FaultError, schemaFaults, type Fault } from "@gatebench/core";
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
  if (!parsed.success) throw new FaultError(schemaFaults("invalid-option", "-", parsed.error).map(asOption));
  return parsed.data;
}

/** "-.quick: …" is how a schema names an option; people write "--quick". */
const asOption = ({ code, message }: Fault): Fault => ({ code, message: message.replace(/^-\./, "--") });

/** How many pairs are taken of each load. */
export interface Effort {
  /** At a pace: so many that say something, of so many at most. */
  readonly paced: { readonly wanted: number; readonly atMost: number };
  /** At saturation: until more could only say the same. */
  readonly saturated: { readonly atMost: number };
}

export function effortOf({ quick }: Pick<FidelityOptions, "quick">): Effort {
  return quick
    ? { paced: { wanted: 3, atMost: 6 }, saturated: { atMost: 6 } }
    : { paced: { wanted: 5, atMost: 10 }, saturated: { atMost: 40 } };
}
