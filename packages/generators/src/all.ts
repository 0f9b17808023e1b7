import type { GeneratorAdapter } from "@gatebench/core/contract";
import { hey } from "./hey";
import { wrk } from "./wrk";

export { hey, type HeyOptions } from "./hey";
export { wrk, type WrkOptions } from "./wrk";

/** A generator by name alone: with its defaults. */
export type GeneratorFactory = () => GeneratorAdapter;

/** Every generator of this package. A new one is a folder and a line here. */
export const generators: Readonly<Record<string, GeneratorFactory>> = { hey, wrk };
