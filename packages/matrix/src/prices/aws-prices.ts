import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fault, FaultError } from "@gatebench/core";
import { z } from "zod";
import type { PriceTable } from "./price";
import { readPriceList, type PriceListFile } from "./price-list-file";

export interface AwsPricesOptions {
  /** Where AWS publishes its lists, for every region; needs no account. @default AWS's own address */
  readonly at?: string;
  /** Where lists that were read before are kept. @default ~/.cache/gatebench/prices */
  readonly cache?: string;
}

/** As "Getting price list files manually" of AWS's billing documentation names it. */
const awsAddress = "https://pricing.us-east-1.amazonaws.com";
const regionIndex = "/offers/v1.0/aws/AmazonEC2/current/region_index.json";
const indexSchema = z.object({ regions: z.record(z.string(), z.object({ currentVersionUrl: z.string() })) });

/** A list is a quarter of a gigabyte: long enough for a slow line, not for ever. */
const patienceMs = 15 * 60_000;

const cacheFolder = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "gatebench", "prices");

/**
 * On-demand prices as AWS publishes them today, of these regions. The index is asked every time; a list that was read
 * before and is still the current one is not fetched again. Throws where they cannot be had: asked is asked.
 */
export async function awsPrices(
  regions: readonly string[],
  { at = awsAddress, cache = cacheFolder() }: AwsPricesOptions = {},
): Promise<PriceTable> {
  const index = await told(`${at}${regionIndex}`, indexOf);
  const lists = new Map<string, PriceListFile>();
  for (const region of new Set(regions)) lists.set(region, await listOf(region, index, at, cache));
  return {
    about: "AWS's price list",
    pricePerHour: (instanceType, region) => {
      const { usdPerHour = {}, date = "" } = lists.get(region) ?? {};
      const usd = Object.hasOwn(usdPerHour, instanceType) ? usdPerHour[instanceType] : undefined;
      return usd === undefined ? undefined : { usd, source: "AWS's price list", date };
    },
  };
}

type Index = z.infer<typeof indexSchema>;

async function indexOf(response: Response): Promise<Index> {
  const parsed = indexSchema.safeParse(await response.json());
  if (!parsed.success) throw new Error("it is no index of regions");
  return parsed.data;
}

async function listOf(region: string, { regions }: Index, at: string, cache: string): Promise<PriceListFile> {
  const version = Object.hasOwn(regions, region) ? regions[region]?.currentVersionUrl : undefined;
  if (version === undefined)
    throw unavailable(`AWS publishes no prices for the region "${region}". Known: ${Object.keys(regions).join(", ")}.`);
  const kept = read(cache, region);
  if (kept?.version === version) return kept;
  const list = await told(`${at}${version.replace(/\.json$/, ".csv")}`, ({ body }) =>
    readPriceList(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])),
  );
  keep(cache, region, { version, ...list });
  return list;
}

/** What an answer says, or one line why it does not. */
async function told<T>(url: string, say: (response: Response) => Promise<T>): Promise<T> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await say(response);
  } catch (error) {
    throw unavailable(
      `${url}: ${reasonOf(error as Error)}. Look at the connection, or leave out "--prices aws": the table kept with gatebench needs none.`,
    );
  }
}

/** What fetch failed at stands in the error's cause. */
const reasonOf = ({ message, cause }: Error): string => (cause as Error | undefined)?.message || message;

const unavailable = (message: string) => new FaultError([fault("prices-unavailable", message)]);

type Kept = PriceListFile & { readonly version: string };

const keptSchema = z.object({ version: z.string(), date: z.string(), usdPerHour: z.record(z.string(), z.number()) });

/** Undefined where there is none, or none that can be read: then it is fetched. */
function read(cache: string, region: string): Kept | undefined {
  try {
    return keptSchema.parse(JSON.parse(readFileSync(fileOf(cache, region), "utf8")));
  } catch {
    return undefined;
  }
}

/** Whole or not at all. A cache that cannot be written is none. */
function keep(cache: string, region: string, kept: Kept): void {
  const unfinished = `${fileOf(cache, region)}.${process.pid}`;
  try {
    mkdirSync(cache, { recursive: true });
    writeFileSync(unfinished, JSON.stringify(kept));
    renameSync(unfinished, fileOf(cache, region));
  } catch {
    return;
  }
}

const fileOf = (cache: string, region: string): string => join(cache, `${region}.json`);
