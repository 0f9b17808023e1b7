import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parse } from "csv-parse";

/** What a region's price list says of machines with Linux that are rented by the hour. */
export interface PriceListFile {
  /** Of its publication: YYYY-MM-DD. */
  readonly date: string;
  /** US dollars an hour by instance type. */
  readonly usdPerHour: Readonly<Record<string, number>>;
}

/** Of some seventy columns, those that tell one price from another. */
const columns = [
  ...["TermType", "Unit", "PricePerUnit", "Currency", "Product Family", "Location Type", "Instance Type", "Tenancy"],
  ...["Operating System", "operation", "CapacityStatus", "MarketOption", "Pre Installed S/W"],
] as const;
type Column = (typeof columns)[number];
type Row = Readonly<Record<Column, string>>;

/**
 * Reads a price list of EC2 as AWS publishes it: hundreds of megabytes of CSV, of which a thousand lines matter. Nothing else
 * is kept. Throws where it is another file, or ends too early.
 */
export async function readPriceList(csv: Readable): Promise<PriceListFile> {
  const rows = new Rows();
  const parser = parse({
    relax_column_count: true,
    on_record: (record: string[]) => {
      rows.take(record);
      return null;
    },
  });
  await pipeline(csv, parser, async (records) => {
    for await (const record of records) throw new Error(`a record was handed on: ${String(record)}`);
  });
  return rows.found();
}

/** Five lines about the file, one of column names, then prices. */
class Rows {
  #indices: Readonly<Record<Column, number>> | undefined;
  #published: string | undefined;
  readonly #prices = new Map<string, Set<number>>();
  readonly #dedicated = new Map<string, Set<number>>();

  take(record: readonly string[]): void {
    if (this.#indices) return this.#price(rowOf(record, this.#indices));
    if (record[0] === "Publication Date") this.#published = record[1];
    if (record[0] === "SKU") this.#indices = indicesIn(record);
  }

  #price(row: Row): void {
    const usd = Number(row.PricePerUnit);
    if (!isRented(row) || !(usd > 0)) return;
    const kept = row.Tenancy === "Shared" ? this.#prices : this.#dedicated;
    kept.set(row["Instance Type"], (kept.get(row["Instance Type"]) ?? new Set()).add(usd));
  }

  found(): PriceListFile {
    const date = /^\d{4}-\d{2}-\d{2}/.exec(this.#published ?? "")?.[0];
    const only = [...new Map([...this.#dedicated, ...this.#prices])].filter(([, prices]) => prices.size === 1);
    const usdPerHour = Object.fromEntries(only.map(([type, [usd]]) => [type, usd as number]));
    if (date === undefined) throw new Error("it does not say when it was published");
    if (only.length === 0) throw new Error("no price of a machine with Linux is in it");
    return { date, usdPerHour };
  }
}

function indicesIn(header: readonly string[]): Readonly<Record<Column, number>> {
  const missing = columns.filter((column) => !header.includes(column));
  if (missing.length > 0) throw new Error(`it has no column ${missing.map((one) => `"${one}"`).join(", ")}`);
  return Object.fromEntries(columns.map((column) => [column, header.indexOf(column)])) as Record<Column, number>;
}

const rowOf = (record: readonly string[], indices: Readonly<Record<Column, number>>): Row =>
  Object.fromEntries(columns.map((column) => [column, record[indices[column]] ?? ""])) as Record<Column, string>;

const wanted: Readonly<Partial<Row>> = {
  TermType: "OnDemand",
  Unit: "Hrs",
  Currency: "USD",
  // Not local zones, wavelength zones and outposts, which have prices of their own.
  "Location Type": "AWS Region",
  "Operating System": "Linux",
  operation: "RunInstances",
  "Pre Installed S/W": "NA",
  // Not what reserved capacity costs while nobody uses it.
  CapacityStatus: "Used",
  // Not blocks of capacity.
  MarketOption: "OnDemand",
};
const bareMetal = "Compute Instance (bare metal)";

/** Bare metal is nobody else's anyway: some of it is listed as dedicated only. */
function isRented(row: Row): boolean {
  const asWanted = (Object.keys(wanted) as Column[]).every((column) => row[column] === wanted[column]);
  return asWanted && (row.Tenancy === "Shared" || (row.Tenancy === "Dedicated" && row["Product Family"] === bareMetal));
}
