import type { GeneratorAdapter } from "@gatebench/core/contract";
import * as adapters from "./all";

export * from "./all";
export { testRun, type TestRunOptions } from "./k6";

/** What every generator of ours may be given by name alone; the rest has defaults. */
export interface GeneratorOptions {
  /** A script of the user's own, where the generator `reports.scripts`. */
  readonly script?: string;
}
export type GeneratorFactory = (options?: GeneratorOptions) => GeneratorAdapter;

/** Every generator by the name that stacks and matrices call it. What one has no use for, it leaves alone. */
export const generators: Readonly<Record<string, GeneratorFactory>> = Object.fromEntries(
  Object.values(adapters).map((factory) => [factory().name, factory as GeneratorFactory]),
);

/** The same, each with these options. */
export const generatorsWith = (options: GeneratorOptions): typeof generators =>
  Object.fromEntries(Object.entries(generators).map(([name, make]) => [name, () => make(options)]));
