import type { GeneratorAdapter } from "@gatebench/core/contract";
import * as adapters from "./all";

export * from "./all";

/** A generator by name alone: with its defaults. */
export type GeneratorFactory = () => GeneratorAdapter;

/** Every generator by the name that stacks and matrices call it. */
export const generators: Readonly<Record<string, GeneratorFactory>> = Object.fromEntries(
  Object.values(adapters).map((factory) => [factory().name, factory]),
);
