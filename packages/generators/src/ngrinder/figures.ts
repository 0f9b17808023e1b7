import { z } from "zod";
import { unparsed } from "../unparsed-output";

const count = z.int().nonnegative();
const number = z.number().nonnegative();
const counts = z.record(z.string(), count);

/** What the scripts counted, all processes together. */
const recordedSchema = z.strictObject({
  reported: z.int().positive(),
  durationUs: z.number().positive(),
  /** Of the process that sent for the shortest time. */
  shortestUs: number,
  statuses: z.record(z.string().regex(/^\d{3}$/), count),
  errors: counts,
  minUs: count.nullable(),
  maxUs: count.nullable(),
  sumUs: number,
  squaresUs: number,
  histogram: z.array(z.tuple([count, z.int().positive()])),
  seconds: z.array(z.tuple([count, count, count])),
});
export type Recorded = z.infer<typeof recordedSchema>;

/** What our client prints: the controller's own figures, and those of the scripts. */
const figuresSchema = z.strictObject({
  state: z.enum(["FINISHED", "FINISHED_WITH_WARNING"]),
  expect: z.array(z.int()).min(1).nullable(),
  lastedMs: z.int().positive(),
  /** Good ones: nGrinder leaves errors out of its tests. */
  tests: count,
  errors: count,
  tps: number,
  peakTps: number,
  meanTestTimeMs: number,
  processes: z.int().positive(),
  samples: z
    .strictObject({
      intervalS: z.number().positive(),
      tests: z.array(number.nullable()),
      errors: z.array(number.nullable()),
    })
    .nullable(),
  recorded: recordedSchema.nullable(),
});
export type Figures = z.infer<typeof figuresSchema>;

export function readFigures(value: unknown): Figures {
  const parsed = figuresSchema.safeParse(value);
  return parsed.success
    ? parsed.data
    : unparsed("ngrinder", "figures of another form", parsed.error.issues[0]?.message ?? "");
}

/** The parts of the controller's own description of a test (`GET /perftest/api/{id}`) that figures are made from. */
const perfTestSchema = z.object({
  id: count,
  status: z.object({ name: z.string(), category: z.string() }),
  startTime: z.int().positive(),
  finishTime: z.int().positive(),
  runtime: z.string().regex(/^\d\d:\d\d:\d\d$/),
  agentCount: z.int().positive(),
  processes: z.int().positive(),
  threads: z.int().positive(),
  vuserPerAgent: z.int().positive(),
  threshold: z.enum(["D", "R"]),
  duration: count,
  runCount: count,
  tests: count,
  errors: count,
  tps: number,
  peakTps: number,
  meanTestTime: number,
});
export type PerfTest = z.infer<typeof perfTestSchema>;

export function readPerfTest(text: string): PerfTest {
  const parsed = perfTestSchema.safeParse(jsonOf(text));
  return parsed.success
    ? parsed.data
    : unparsed("ngrinder", "neither our client's figures nor a finished test as the controller describes it", text);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
