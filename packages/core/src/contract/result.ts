import { z } from "zod";
import { observatoryNoteSchema } from "./queried-figure";
import { loadSchema } from "./load";
import { purposes } from "./protocol";
import { runSchema, type Run } from "./run";
import { scenarioSchema } from "./scenario";
import { gradeSchema, warningSchema, type Grade, type Warning } from "./warning";

const figure = z.number().nonnegative().nullable();
const range = z.tuple([z.number(), z.number()]).nullable();

/** A grade per figure; null where the figure was not asked for. */
export const verdictSchema = z.strictObject({
  rps: gradeSchema.nullable(),
  p99Ms: gradeSchema.nullable(),
  tlsTps: gradeSchema.nullable(),
  warnings: z.array(warningSchema),
});
export interface Verdict {
  readonly rps: Grade | null;
  readonly p99Ms: Grade | null;
  readonly tlsTps: Grade | null;
  readonly warnings: readonly Warning[];
}

/** What stood where: enough to set the same thing up again. */
export const sizeSchema = z.strictObject({
  name: z.string(),
  cpus: z.number(),
  workers: z.number(),
  /** Of the gateway's machine, where it has one; prices go by it. */
  instanceType: z.string().optional(),
});
export type Size = z.infer<typeof sizeSchema>;

/** One point of a matrix, with its figures and everything they come from. */
export const cellSchema = z.strictObject({
  id: z.string(),
  /** Cells of one benchmark took turns on the same hosts, under the same load. */
  benchmark: z.string(),
  gateway: z.string(),
  /** As the program states it where it does, else as pinned; null where nothing is started. */
  gatewayVersion: z.string().nullable(),
  scenario: z.string(),
  scenarioAsked: scenarioSchema,
  generator: z.string(),
  generatorVersion: z.string(),
  topology: z.string(),
  upstream: z.string(),
  load: loadSchema,
  size: sizeSchema,
  purpose: z.enum(purposes),
  protocol: z.string(),
  /** Beside which its runs were measured, as scraping costs; none where it is left out. */
  observatory: observatoryNoteSchema.optional(),
  /** Mean of the answering runs, requests with an expected status per second. */
  rps: figure,
  /** Median of the runs' P99 in milliseconds. */
  p99Ms: figure,
  /** TLS transactions (full handshake, one request) per second. */
  tlsTps: figure,
  intervals: z.strictObject({
    /** 95 % t-interval of the mean. */
    rps: range,
    /** 95 % order-statistic interval of the median; null below six runs. */
    p99Ms: range,
    tlsTps: range,
  }),
  /** P99 of all runs' latencies together; null where the tool gives no histogram. */
  mergedP99Ms: figure,
  /** Mean over the answering runs: gateway CPU per request. */
  cpuMicrosPerRequest: figure,
  verdict: verdictSchema,
  /** The cell this one is read against, by id; null for the baseline itself. */
  baseline: z.string().nullable(),
  /** What the gateway was given, with references where values stood. */
  configuration: z.record(z.string(), z.string()),
  verification: z.array(
    z.strictObject({ law: z.string(), verdict: z.enum(["held", "broken", "untested"]), reason: z.string().optional() }),
  ),
  /** A command that repeats one run by hand. */
  byHand: z.string(),
  runs: z.array(runSchema),
});
type Checked = z.infer<typeof cellSchema>;
export type Cell = Readonly<Omit<Checked, "runs" | "verdict">> & {
  readonly runs: readonly Run[];
  readonly verdict: Verdict;
};

const stated = z.number().nonnegative().optional();

/** Figures of a test that somebody published, beside the cells that measure the same. */
export const publishedSchema = z.strictObject({
  source: z.string(),
  figures: z.array(
    z.strictObject({
      /** What was measured: the words of its cells. */
      name: z.string(),
      /** By id; those of them that were measured stand in the result. */
      cells: z.array(z.string()),
      rps: stated,
      tlsTps: stated,
      p99Ms: stated,
      p95Ms: stated,
      meanMs: stated,
      note: z.string().optional(),
    }),
  ),
  /** In what ours differs from the published test. */
  differsIn: z.array(z.string()),
});
export type Published = z.infer<typeof publishedSchema>;

export const resultSchemaName = "gatebench/result/v1";

/** Everything one invocation measured. */
export const resultSchema = z.strictObject({
  schema: z.literal(resultSchemaName),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  gatebench: z.string(),
  engine: z.string(),
  machine: z.strictObject({ os: z.string(), cpu: z.string(), cpus: z.number(), memoryBytes: z.number() }),
  /** The seed of the order in which targets took turns. */
  seed: z.number(),
  cells: z.array(cellSchema),
  skipped: z.array(
    z.strictObject({
      gateway: z.string(),
      scenario: z.string(),
      generator: z.string(),
      /** Where there are several. */
      size: z.string().optional(),
      reason: z.string(),
    }),
  ),
  published: publishedSchema.optional(),
});
export type Result = Readonly<Omit<z.infer<typeof resultSchema>, "cells">> & { readonly cells: readonly Cell[] };

/** The JSON Schema of `gatebench/result/v1`, for people who read results with other tools. */
export function resultJsonSchema(): Record<string, unknown> {
  return { $id: resultSchemaName, title: "gatebench result", ...z.toJSONSchema(resultSchema, { io: "output" }) };
}
