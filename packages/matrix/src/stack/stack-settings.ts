import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import {
  durationSchema,
  fault,
  loadWordFaults,
  loadWords,
  refuseFaults,
  schemaFaults,
  writtenCount,
  type Fault,
} from "@gatebench/core";
import { z } from "zod";
import { protocolNames } from "../protocol-named";

/** JSON in a stack file. */
const writtenJson = (example: string) =>
  z.string().transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: `this is no JSON; write it as ${example}` });
      return z.NEVER;
    }
  });

/** CPU and memory of a container, as Kubernetes writes them. */
export const writtenLimits = writtenJson('{"cpu":0.2,"memory":"128Mi"}').pipe(
  z.strictObject({
    cpu: z.number().positive().optional(),
    memory: z
      .string()
      .regex(/^[1-9]\d*(Ki|Mi|Gi)$/, 'memory is written with its unit, such as "128Mi"')
      .optional(),
  }),
);

export const writtenCredentials = writtenJson('{"gateway.licence":"…"}').pipe(z.record(z.string(), z.string()));

const writtenOptions = writtenJson('{"name":"value"}').pipe(z.record(z.string(), z.unknown()));

/** Keys every stack knows, with their defaults; a stack adds those of its topology. */
export const stackSettings = {
  /** A name (direct, nginx, envoy, kong, tyk), a package or a path. */
  gateway: z.string().default("nginx"),
  /** A name (wrk, hey, k6, locust, oha), a package or a path. */
  generator: z.string().default("wrk"),
  /** What the gateway's adapter takes, as JSON, such as {"accessLog":true}. */
  gatewayOptions: writtenOptions.optional(),
  /** What the generator's adapter takes, as JSON, such as {"client":"http"}. */
  generatorOptions: writtenOptions.optional(),
  /** A name from the list of scenarios, or a scenario in full. */
  scenario: z.string().default("plain"),
  duration: durationSchema.default("5s"),
  /**
   * connections, threads, pacePerConnection; ratePerS, maxInFlight; users, think, spawnPerS, startWithin, iterations;
   * spread. They stand in core's load-words.ts.
   */
  ...loadWords,
  /** A script of your own in the generator's language (k6, locust, wrk), by its path from the stack's folder. */
  script: z.string().optional(),
  /** Workers of a generator that shares its load among several, such as locust. */
  generatorWorkers: writtenCount(64, 0).default(0),
  protocol: z.enum(protocolNames).default("repeat"),
  /** Measured runs; the most of them with "until-stable". */
  repetitions: writtenCount(100).default(5),
  /** Workers of the gateway. All CPUs of its host without, half of them where it shares it. */
  workers: writtenCount(1024).optional(),
  /**
   * Raw output of every run is copied here before the next begins, by its path from the stack's folder, into a folder with
   * the stack's name. "" leaves it on the generator's host, with which it goes.
   */
  results: z.string().default("results"),
  /** Another text measures everything again. */
  runId: z.string().default("1"),
};

export type StackSettings = z.infer<z.ZodObject<typeof stackSettings>>;

/** Of the stack's own; undefined where raw output stays where it is. */
export const resultsOf = ({ results }: Pick<StackSettings, "results">): string | undefined =>
  results === "" ? undefined : join(results, pulumi.getStack());

/** "true" and "false", as a stack file's values arrive. */
export const writtenFlag = z.enum(["true", "false"]).transform((text) => text === "true");

/** The stack's configuration over a preset's, or one line for each thing wrong with it. */
export function readSettings<S extends z.ZodObject>(
  schema: S,
  preset: Readonly<Record<string, string>> = {},
): z.infer<S> {
  const parsed = schema.safeParse({ ...preset, ...ownConfig() });
  const faults = parsed.success
    ? loadWordFaults(parsed.data as StackSettings, (word) => word)
    : parsed.error.issues.flatMap((issue) => issueFaults(issue, schema));
  refuseFaults(faults);
  return parsed.data as z.infer<S>;
}

/** The project's own keys, without its name. */
export function ownConfig(): Readonly<Record<string, string>> {
  const prefix = `${pulumi.getProject()}:`;
  const all = Object.entries(pulumi.runtime.allConfig());
  return Object.fromEntries(
    all.filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key.slice(prefix.length), value]),
  );
}

function issueFaults(issue: z.core.$ZodIssue, { shape }: z.ZodObject): readonly Fault[] {
  if (issue.code !== "unrecognized_keys" || issue.path.length > 0)
    return schemaFaults("invalid-option", "config", new z.ZodError([issue]));
  const known = Object.keys(shape).join(", ");
  return issue.keys.map((key) =>
    fault("unknown-key", `config.${key} in the stack file is not known. Known: ${known}.`),
  );
}
