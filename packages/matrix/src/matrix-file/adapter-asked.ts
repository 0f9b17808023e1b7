import { writtenCount, type GatewayAdapter, type GeneratorAdapter } from "@gatebench/core";
import { z } from "zod";
import { kebab, named, not, options } from "./words";

/** A program may give an adapter itself in place of its name. */
const madeGateway = z.custom<GatewayAdapter>((given) => has(given, "render"));
const madeGenerator = z.custom<GeneratorAdapter>((given) => has(given, "parse"));
const has = (given: unknown, member: string): boolean =>
  typeof given === "object" && given !== null && typeof (given as Record<string, unknown>)[member] === "function";

const label = (what: string) => kebab.describe(`What tables call it. Default: ${what}.`).optional();

export const gatewaySchema = z.union(
  [
    named,
    z.strictObject({
      gateway: z
        .union([named, madeGateway], not("the name of a gateway"))
        .describe("One of ours by name, anybody's by package or path (./mine.js, their-package#export)."),
      as: label("the adapter's own name"),
      options: options.describe("As the adapter's own documentation names them.").optional(),
    }),
    madeGateway,
  ],
  not('a gateway; write its name, such as nginx, or "gateway: nginx" with what else is to be said of it'),
);

export const generatorSchema = z.union(
  [
    named,
    z.strictObject({
      generator: z
        .union([named, madeGenerator], not("the name of a generator"))
        .describe("One of ours by name, anybody's by package or path."),
      as: label("the adapter's own name"),
      options: options.describe("As the adapter's own documentation names them.").optional(),
      script: named
        .describe("Your own script in the generator's language, in place of ours; a path from the file's folder.")
        .optional(),
      workers: writtenCount(64, 0).describe("Hosts that share its load, for one that can. Default: 0.").default(0),
    }),
    madeGenerator,
  ],
  not('a generator; write its name, such as wrk, or "generator: wrk" with what else is to be said of it'),
);
