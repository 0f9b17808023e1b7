import { askedRatePerS, type Cell, type Figure, type Result } from "@gatebench/core";
import { answeringRuns, differenceTo } from "@gatebench/core/measure";
import { noPrices, pricedCell, type PricedCell, type PricePerHour } from "./costs";
import { isShown, latencyBasisOf } from "./cell-words";
import { areComparable } from "./ranking";

/** What a line of the CSV is made from. */
interface Line {
  readonly cell: Cell;
  readonly path: Cell | undefined;
  readonly priced: PricedCell | null;
}

type Value = string | number | null | undefined;
interface CsvColumn {
  readonly name: string;
  /** For the documentation. */
  readonly about: string;
  readonly of: (line: Line) => Value;
}

const interval = (figure: Figure, name: string, unit: string): readonly CsvColumn[] => [
  {
    name: `${name}_low`,
    about: `lower end of its 95 % interval, ${unit}`,
    of: ({ cell }) => cell.intervals[figure]?.[0],
  },
  {
    name: `${name}_high`,
    about: `upper end of its 95 % interval, ${unit}`,
    of: ({ cell }) => cell.intervals[figure]?.[1],
  },
  {
    name: `${name}_verdict`,
    about: "sound, indicative or invalid; never use an invalid one",
    of: ({ cell }) => cell.verdict[figure],
  },
];
const latencyBasis = ({ cell }: Line): Value => {
  const basis = latencyBasisOf(cell);
  if (basis === undefined) return null;
  const { includes, population, omission, client } = basis;
  const inside = Object.entries(includes).flatMap(([name, is]) => (is ? [name] : []));
  return [["request", ...inside].join("+"), population, omission, ...(client ? [client] : [])].join(" ");
};
/** Against the path without a gateway; nothing against what is wrong. */
function against({ cell, path }: Line) {
  if (path === undefined) return undefined;
  const comparability = areComparable(cell, path)
    ? ({ comparable: true } as const)
    : ({ comparable: false, reason: "" } as const);
  const { rpsRatio, tlsTpsRatio, addedP99Ms } = differenceTo(path, cell, comparability);
  const both = (figure: Figure) => isShown(cell, figure) && isShown(path, figure);
  return {
    rps: both("rps") ? rpsRatio : null,
    tlsTps: both("tlsTps") ? tlsTpsRatio : null,
    p99: both("p99Ms") ? addedP99Ms : null,
  };
}

/** Every column of the CSV, in its order. docs/report.md lists the same. */
export const csvColumns: readonly CsvColumn[] = [
  { name: "id", about: "of the cell in result.json; empty where it was not measured", of: ({ cell }) => cell.id },
  { name: "benchmark", about: "cells of one benchmark took turns", of: ({ cell }) => cell.benchmark },
  { name: "gateway", about: "its name", of: ({ cell }) => cell.gateway },
  { name: "gateway_version", about: "as it states it, else as pinned", of: ({ cell }) => cell.gatewayVersion },
  { name: "scenario", about: "what it was asked to do", of: ({ cell }) => cell.scenario },
  { name: "generator", about: "who sent the load", of: ({ cell }) => cell.generator },
  { name: "generator_version", about: "as it states it", of: ({ cell }) => cell.generatorVersion },
  { name: "topology", about: "where everything stood", of: ({ cell }) => cell.topology },
  { name: "upstream", about: "what answered behind it", of: ({ cell }) => cell.upstream },
  { name: "load", about: "in full, as JSON", of: ({ cell }) => JSON.stringify(cell.load) },
  {
    name: "offered_per_s",
    about: "requests per second asked for; empty: as fast as it can",
    of: ({ cell }) => askedRatePerS(cell.load),
  },
  { name: "size", about: "name of the gateway's machine", of: ({ cell }) => cell.size.name },
  {
    name: "instance_type",
    about: "of the gateway's machine, where it has one",
    of: ({ cell }) => cell.size.instanceType,
  },
  { name: "cpus", about: "of the gateway's machine", of: ({ cell }) => cell.size.cpus },
  { name: "workers", about: "CPUs the gateway may use", of: ({ cell }) => cell.size.workers },
  { name: "purpose", about: "ceiling: the path without a gateway", of: ({ cell }) => cell.purpose },
  { name: "protocol", about: "which run followed which", of: ({ cell }) => cell.protocol },
  { name: "runs", about: "the figures are taken from", of: ({ cell }) => answeringRuns(cell.runs).length },
  { name: "rps", about: "good answers per second, mean of the runs", of: ({ cell }) => cell.rps },
  ...interval("rps", "rps", "per second"),
  { name: "p99_ms", about: "median of the runs' P99, ms", of: ({ cell }) => cell.p99Ms },
  ...interval("p99Ms", "p99_ms", "ms"),
  { name: "merged_p99_ms", about: "P99 of all runs' latencies together, ms", of: ({ cell }) => cell.mergedP99Ms },
  { name: "latency_basis", about: "compare no latencies in which it differs", of: latencyBasis },
  { name: "tls_tps", about: "full handshakes with one request each, per second", of: ({ cell }) => cell.tlsTps },
  ...interval("tlsTps", "tls_tps", "per second"),
  {
    name: "cpu_us_per_request",
    about: "CPU of the gateway for a request, µs",
    of: ({ cell }) => cell.cpuMicrosPerRequest,
  },
  { name: "baseline", about: "id of the cell it is read against", of: ({ cell }) => cell.baseline },
  { name: "rps_of_baseline", about: "its rate as a fraction of the baseline's", of: (line) => against(line)?.rps },
  { name: "tls_tps_of_baseline", about: "the same of TLS transactions", of: (line) => against(line)?.tlsTps },
  {
    name: "added_p99_ms",
    about: "P99 more than the baseline's at an equal rate, ms",
    of: (line) => against(line)?.p99,
  },
  { name: "usd_per_hour", about: "price of the gateway's machine", of: ({ priced }) => priced?.price.usd },
  {
    name: "usd_per_million",
    about: "requests, or TLS transactions where these were counted",
    of: ({ priced }) => priced?.cost.usdPerMillion,
  },
  {
    name: "per_s_for_usd_hour",
    about: "rate for each dollar an hour",
    of: ({ priced }) => priced?.cost.perSForDollarHour,
  },
  { name: "usd_per_month", about: "730 hours of the machine", of: ({ priced }) => priced?.cost.usdPerMonth },
  {
    name: "price_source",
    about: "who states the price, and when",
    of: ({ priced }) => priced && `${priced.price.source}, ${priced.price.date}`,
  },
  {
    name: "warnings",
    about: "their codes, the same ones as in result.json",
    of: ({ cell }) => [...new Set(cell.verdict.warnings.map(({ code }) => code))].join(" "),
  },
];

/** Why a cell was not measured. */
const skippedColumn = "skipped";

/** One line for each cell, whole numbers and all digits; then one for each cell that was skipped, with its reason. */
export function csvReport(result: Result, pricePerHour: PricePerHour = noPrices): string {
  const byId = new Map(result.cells.map((cell) => [cell.id, cell]));
  const lines = result.cells.map((cell) => {
    const line = {
      cell,
      path: cell.baseline === null ? undefined : byId.get(cell.baseline),
      priced: pricedCell(cell, pricePerHour),
    };
    return [...csvColumns.map(({ of }) => of(line)), ""];
  });
  const names = [...csvColumns.map(({ name }) => name), skippedColumn];
  const skipped = result.skipped.map(({ reason, ...known }) =>
    names.map((name) =>
      name === skippedColumn ? reason : (known as Readonly<Record<string, string | undefined>>)[name],
    ),
  );
  return [names, ...lines, ...skipped].map((values) => `${values.map(written).join(",")}\r\n`).join("");
}

/** RFC 4180. */
function written(value: Value): string {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
