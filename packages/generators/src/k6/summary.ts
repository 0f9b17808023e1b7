import { z } from "zod";
import { loadSchema, type Load } from "@gatebench/core/contract";
import { isSealed, unseal } from "../sealed";
import { unparsed } from "../unparsed-output";

/** One of k6's metrics: its statistics by k6's names, times in ms. */
export type Metric = Readonly<Record<string, number>>;

/** What k6 says of a run, in whichever form. */
export interface Summary {
  /** By k6's name, sub-metrics as in `http_reqs{status:200}`. */
  readonly metrics: Readonly<Record<string, Metric>>;
  /** By which k6 divides its counts. Nanoseconds. */
  readonly runNs: number;
  /** Of it, spent in setup and teardown. */
  readonly asideS: number;
  /** The machine-readable summary: no count has a rate that holds it. */
  readonly lacksRates?: true;
  /** Where our script printed it. */
  readonly own?: { readonly load: Load; readonly isUsers: boolean };
}

/** Reads our script's figures, the data k6 hands to `handleSummary`, the file of `--summary-export`, or the machine-readable one. */
export function readSummary(stdout: string): Summary {
  if (isSealed(stdout)) return fromScript(stdout);
  const json = jsonOf(stdout);
  const handled = handledSchema.safeParse(json);
  if (handled.success) return fromHandled(handled.data);
  const exported = exportedSchema.safeParse(json);
  if (exported.success) return fromExport(exported.data);
  const machine = machineSchema.safeParse(json);
  if (machine.success) return fromMachine(machine.data);
  const isMachine = typeof json === "object" && json !== null && "results" in json && "version" in json;
  const form = isMachine ? `a machine-readable summary other than 1.0.0; ${instead}` : "a summary of another form";
  return unparsed("k6", form, stdout.trim());
}

const instead = "give the file of --summary-export";

const metricSchema = z.record(z.string(), z.number());

const scriptSchema = z.strictObject({
  load: loadSchema,
  isUsers: z.boolean(),
  runMs: z.number().positive(),
  asideMs: z.number().nonnegative(),
  metrics: z.record(z.string(), metricSchema),
});

function fromScript(stdout: string): Summary {
  const { figures, others } = unseal("k6", stdout);
  if (others.length > 0) unparsed("k6", "words that are not its own", others[0] as string);
  const read = scriptSchema.safeParse(figures);
  if (!read.success) return unparsed("k6", "figures of another form", read.error.issues[0]?.message ?? "");
  const { load, isUsers, runMs, asideMs, metrics } = read.data;
  return { metrics, runNs: Math.round(runMs * 1e6), asideS: asideMs / 1e3, own: { load: load as Load, isUsers } };
}

const groups = z.unknown();

/** What `handleSummary(data)` is given, as JSON. */
const handledSchema = z.strictObject({
  metrics: z.record(
    z.string(),
    z.strictObject({
      type: z.enum(["counter", "gauge", "rate", "trend"]),
      contains: z.enum(["default", "time", "data"]),
      values: metricSchema,
      thresholds: z.record(z.string(), z.strictObject({ ok: z.boolean() })).optional(),
    }),
  ),
  state: z.strictObject({
    isStdOutTTY: z.boolean(),
    isStdErrTTY: z.boolean(),
    testRunDurationMs: z.number().positive(),
  }),
  options: z.unknown(),
  root_group: groups,
  setup_data: z.unknown().optional(),
});

function fromHandled({ metrics, state }: z.infer<typeof handledSchema>): Summary {
  const values = Object.entries(metrics).map(([name, metric]) => [name, metric.values] as const);
  return { metrics: Object.fromEntries(values), runNs: Math.round(state.testRunDurationMs * 1e6), asideS: 0 };
}

/** `--summary-export`. Its thresholds say true where they were crossed, so they say nothing here. */
const exportedSchema = z.strictObject({
  metrics: z.record(
    z.string(),
    z.object({ thresholds: z.record(z.string(), z.boolean()).optional() }).catchall(z.number()),
  ),
  root_group: groups,
  setup_data: z.unknown().optional(),
});

function fromExport({ metrics: exported }: z.infer<typeof exportedSchema>): Summary {
  const metrics = Object.fromEntries(Object.entries(exported).map(([name, metric]) => [name, statistics(metric)]));
  return { metrics, runNs: runNsOf(metrics), asideS: 0 };
}

const counter = z.strictObject({ count: z.int().nonnegative() });
const share = z.strictObject({ matches: z.int().nonnegative(), rate: z.number(), total: z.int().nonnegative() });
const gauge = z.strictObject({ max: z.number(), min: z.number(), value: z.number() });
const trend = z.partialRecord(z.enum(["avg", "max", "med", "min", "p90", "p95", "p(90)", "p(95)"]), z.number());
const ofType = <Type extends string, Values extends z.ZodType>(type: Type, values: Values) =>
  z.strictObject({ type: z.literal(type), name: z.string(), contains: z.enum(["default", "time", "data"]), values });

/** `--new-machine-readable-summary`, its schema 1.0.0: no P99, and no rates, so that time and bytes stand there once. */
const machineSchema = z.strictObject({
  config: z.strictObject({ duration: z.number().positive(), execution: z.enum(["local"]), script: z.string() }),
  metadata: z.strictObject({ generated_at: z.string(), k6_version: z.string() }),
  results: z.strictObject({
    checks: z.unknown(),
    metrics: z.array(
      z.discriminatedUnion("type", [
        ofType("counter", counter),
        ofType("rate", share),
        ofType("gauge", gauge),
        ofType("trend", trend),
      ]),
    ),
  }),
  version: z.literal("1.0.0"),
});
type Machine = z.infer<typeof machineSchema>;

function fromMachine({ config, results }: Machine): Summary {
  const runNs = Math.round(config.duration * 1e9);
  const named = results.metrics.map((metric) => [metric.name, inWords(metric, runNs)] as const);
  const metrics = Object.fromEntries(named);
  if (Object.keys(metrics).length !== named.length)
    unparsed("k6", "a metric twice", named.map(([name]) => name).join(" "));
  const busyNs = (metrics["iterations"]?.["count"] ?? 0) * (metrics["iteration_duration"]?.["avg"] ?? 0) * 1e6;
  const mostNs = (metrics["vus_max"]?.["max"] ?? Infinity) * runNs;
  if (busyNs > mostNs) unparsed("k6", "users busy for longer than the run", `${config.duration} s`);
  return { metrics, runNs, asideS: 0, lacksRates: true };
}

/** By the names k6 has for it everywhere else. */
function inWords(metric: Machine["results"]["metrics"][number], runNs: number): Metric {
  switch (metric.type) {
    case "counter":
      return { count: metric.values.count, rate: metric.values.count / (runNs / 1e9) };
    case "rate":
      return {
        passes: metric.values.matches,
        fails: metric.values.total - metric.values.matches,
        rate: metric.values.rate,
      };
    case "gauge":
      return metric.values;
    case "trend":
      return Object.fromEntries(
        Object.entries(metric.values).map(([name, ms]) => [name.replace(/^p(\d+)$/, "p($1)"), ms]),
      );
  }
}

const statistics = (metric: Readonly<Record<string, unknown>>): Metric =>
  Object.fromEntries(
    Object.entries(metric).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
  );

/** The export states no time, but each count and its rate; of the nanoseconds that round to it one fits exactly. */
function runNsOf(metrics: Summary["metrics"]): number {
  const counters = Object.values(metrics).filter(isCounter);
  const counted = counters.find(({ count }) => (count as number) > 0);
  if (counted === undefined)
    return unparsed("k6", "nothing counted, so that the time of the run is not known", "count 0");
  const about = Math.round(((counted["count"] as number) / (counted["rate"] as number)) * 1e9);
  const fits = [about, about - 1, about + 1].find((ns) => counters.every((counter) => agrees(counter, ns)));
  return fits ?? unparsed("k6", "counts and rates that are not of one time", JSON.stringify(counted));
}

export const isCounter = (metric: Metric): boolean =>
  Object.keys(metric).length === 2 && "count" in metric && "rate" in metric;

/** Whether a counter's rate is its count by the time, to the last digit (`CounterSink.Format`). */
export const agrees = ({ count = 0, rate }: Metric, ns: number): boolean => rate === count / (ns / 1e9);

function jsonOf(stdout: string): unknown {
  const json = parsed(stdout);
  // Two metrics run into one where lines between them are lost; JSON would quietly keep the last of each key.
  const written = stdout.match(/(?<!\\)"\s*:/g)?.length ?? 0;
  if (written !== keysIn(json)) unparsed("k6", "lines missing, so that names stand twice", stdout.trim());
  return json;
}

function keysIn(json: unknown): number {
  if (typeof json !== "object" || json === null) return 0;
  const within = Object.values(json).reduce<number>((sum, value) => sum + keysIn(value), 0);
  return within + (Array.isArray(json) ? 0 : Object.keys(json).length);
}

function parsed(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return unparsed("k6", notSummary(stdout), stdout.trim());
  }
}

/** Other outputs of k6 that people have at hand. */
function notSummary(stdout: string): string {
  if (/http_req_duration\.{2,}|TOTAL RESULTS/.test(stdout)) return `its text, which is rounded; ${instead}`;
  if (stdout.trimStart().startsWith("metric_name,timestamp,")) return `single points as CSV; ${instead}`;
  if (/^\s*\{"type":"(Metric|Point)"|^\s*\{"metric":"/.test(stdout)) return `single points as JSON; ${instead}`;
  return "output cut off or mixed";
}
