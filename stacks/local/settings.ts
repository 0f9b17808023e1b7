import * as pulumi from "@pulumi/pulumi";
import {
  durationSchema,
  fault,
  lineOf,
  loadWordFaults,
  loadWords,
  schemaFaults,
  writtenCount,
  type Fault,
} from "@gatebench/core";
import { z } from "zod";

/** Every key a stack file may set, with its default. */
export const settingsSchema = z.strictObject({
  /** A name (direct, nginx, envoy, tyk), a package or a path. */
  gateway: z.string().default("nginx"),
  /** A name (wrk, hey, k6, locust, oha), a package or a path. */
  generator: z.string().default("wrk"),
  /** A name from the list of scenarios. */
  scenario: z.string().default("plain"),
  duration: durationSchema.default("5s"),
  /**
   * connections, threads, pacePerConnection; ratePerS, maxInFlight; users, think, spawnPerS, startWithin, iterations;
   * spread. They stand in core's load-words.ts.
   */
  ...loadWords,
  /** A script of your own in the generator's language (k6, locust, wrk), by its path from this folder. */
  script: z.string().optional(),
  /** Workers of a generator that shares its load among several, such as locust. */
  generatorWorkers: writtenCount(64, 0).default(0),
  protocol: z.enum(["repeat", "until-stable", "saturate"]).default("repeat"),
  /** Measured runs; the most of them with "until-stable". */
  repetitions: writtenCount(100).default(5),
  /** Workers of the gateway. Half of the machine's CPUs without. */
  workers: writtenCount(1024).optional(),
  /** Another text measures everything again. */
  runId: z.string().default("1"),
  /** The first of 400 ports. Derived from project, stack and folder without. */
  portBase: writtenCount(32_000, 1024).optional(),
});
export type Settings = z.infer<typeof settingsSchema>;

/** The stack's configuration, or one line for each thing wrong with it. */
export function readSettings(): Settings {
  const parsed = settingsSchema.safeParse(ownConfig());
  const faults = parsed.success
    ? loadWordFaults(parsed.data, (word) => word)
    : parsed.error.issues.flatMap(issueFaults);
  if (faults.length > 0) throw new pulumi.RunError(faults.map(lineOf).join("\n"));
  return parsed.data as Settings;
}

function ownConfig(): Record<string, string> {
  const prefix = `${pulumi.getProject()}:`;
  const all = Object.entries(pulumi.runtime.allConfig());
  return Object.fromEntries(
    all.filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key.slice(prefix.length), value]),
  );
}

function issueFaults(issue: z.core.$ZodIssue): readonly Fault[] {
  if (issue.code !== "unrecognized_keys") return schemaFaults("invalid-option", "config", new z.ZodError([issue]));
  const known = Object.keys(settingsSchema.shape).join(", ");
  return issue.keys.map((key) =>
    fault("unknown-key", `config.${key} in the stack file is not known. Known: ${known}.`),
  );
}
