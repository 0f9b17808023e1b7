import {
  fault,
  loadSchema,
  refuse,
  resultSchemaName,
  scenarioNamed,
  isFault,
  warning,
  type Cell,
  type Figure,
  type Load,
  type NamedScenario,
  type Result,
} from "@gatebench/core";
import { hoursPerMonth, type Price } from "@gatebench/core/measure";
import { z } from "zod";
import { version } from "../version";
import type { ReportOptions } from "./report-of";

export const publishedFormat = "gatebench/published/v1";

const figure = z.number().positive().optional();
const rowSchema = z.strictObject({
  /** Default: the file's. */
  gateway: z.string().optional(),
  /** One of gatebench's scenarios. Default: plain for rps, tls-transactions for tlsTps. */
  scenario: z.string().optional(),
  instanceType: z.string().optional(),
  /** CPUs the gateway could use. */
  cpus: z.int().positive(),
  rps: figure,
  p99Ms: figure,
  tlsTps: figure,
  usdPerMonth: figure,
});
type Row = z.infer<typeof rowSchema>;

/** Figures somebody published, as a file: examples/published/ has one. */
export const publishedSchema = z.strictObject({
  format: z.literal(publishedFormat),
  /** Who published it, and under which title. */
  by: z.string(),
  source: z.string(),
  date: z.iso.date(),
  /** What else is to be known of it. */
  notes: z.array(z.string()).default([]),
  gateway: z.string(),
  generator: z.string(),
  /** What was sent to carry as much as possible. */
  load: loadSchema,
  /** Up to where scaling is fitted, and what lies beyond. */
  fit: z.strictObject({ cpus: z.int().positive(), beyond: z.string() }).optional(),
  rows: z.array(rowSchema).min(1),
});
export type Published = z.infer<typeof publishedSchema>;

/** Published figures as a result: nothing of it was measured here, and every cell says so. */
export function publishedResult(published: Published): Result {
  const at = `${published.date}T00:00:00.000Z`;
  return {
    schema: resultSchemaName,
    startedAt: at,
    endedAt: at,
    gatebench: version,
    engine: "none",
    machine: { os: "not stated", cpu: "not stated", cpus: 0, memoryBytes: 0 },
    seed: 0,
    cells: published.rows.flatMap((row, index) => cellsOf(row, index, published)),
    skipped: [],
  };
}

/** How they are to be reported: with their own prices, and who says all this. */
export function publishedOptions(published: Published): ReportOptions {
  const { by, source, date, notes, fit } = published;
  const prices = pricesOf(published);
  return {
    title: by,
    about: [`As published on ${date} (${source}). Nothing here was measured by gatebench.`, ...notes],
    pricePerHour: (instanceType) => prices.get(instanceType),
    ...(fit ? { fitLimit: fit } : {}),
  };
}

/** What is published of a month, for an hour; one type cannot have two prices. */
function pricesOf({ rows, by, date }: Published): ReadonlyMap<string, Price> {
  const prices = new Map<string, Price>();
  for (const { instanceType, usdPerMonth } of rows) {
    if (instanceType === undefined || usdPerMonth === undefined) continue;
    const price = { usd: usdPerMonth / hoursPerMonth, source: `a month as published by ${by}`, date };
    if ((prices.get(instanceType)?.usd ?? price.usd) !== price.usd)
      refuse([
        fault("unreadable-result", `${instanceType} has two prices in the figures of ${by}. Give it one usdPerMonth.`),
      ]);
    prices.set(instanceType, price);
  }
  return prices;
}

/** A cell for each rate: requests and handshakes come from different loads. */
function cellsOf(row: Row, index: number, published: Published): readonly Cell[] {
  return [
    ...(row.rps === undefined ? [] : [cellOf(row, "rps", index, published)]),
    ...(row.tlsTps === undefined ? [] : [cellOf(row, "tlsTps", index, published)]),
  ];
}

const benchmarks = { rps: "published-requests", tlsTps: "published-tls-transactions" } as const;

function cellOf(row: Row, rate: "rps" | "tlsTps", index: number, published: Published): Cell {
  const { scenario, connection } = scenarioOf(row.scenario ?? (rate === "rps" ? "plain" : "tls-transactions"));
  const p99Ms = rate === "rps" ? (row.p99Ms ?? null) : null;
  const figures: readonly Figure[] = [rate, ...(p99Ms === null ? [] : (["p99Ms"] as const))];
  return {
    id: `${benchmarks[rate]}/${index + 1}`,
    benchmark: benchmarks[rate],
    gateway: row.gateway ?? published.gateway,
    gatewayVersion: null,
    scenario: scenario.name,
    scenarioAsked: scenario,
    generator: published.generator,
    generatorVersion: "not stated",
    topology: "published",
    upstream: "published",
    load: { ...published.load, connection } as Load,
    size: sizeOf(row),
    purpose: "capacity",
    protocol: "published",
    rps: null,
    tlsTps: null,
    [rate]: row[rate],
    p99Ms,
    intervals: { rps: null, p99Ms: null, tlsTps: null },
    mergedP99Ms: null,
    cpuMicrosPerRequest: null,
    verdict: {
      ...{ rps: null, tlsTps: null, [rate]: "indicative", p99Ms: p99Ms === null ? null : "indicative" },
      warnings: [warning("published", "indicative", figures, { by: published.by })],
    },
    baseline: null,
    configuration: {},
    verification: [],
    byHand: "",
    runs: [],
  };
}

const sizeOf = ({ instanceType, cpus }: Row): Cell["size"] => ({
  name: instanceType ?? `${cpus}-cpus`,
  cpus,
  workers: cpus,
  ...(instanceType === undefined ? {} : { instanceType }),
});

function scenarioOf(name: string): NamedScenario {
  const found = scenarioNamed(name);
  if (isFault(found)) refuse([found]);
  return found as NamedScenario;
}
