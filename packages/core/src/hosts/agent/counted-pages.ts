import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Counters } from "../../contract";
import { addCounters, countersBetween } from "../../measure/counters";
import type { CountedPages, JobOrder, JobRecord } from "../job-record";
import { readPage } from "./http";
import type { Supervision } from "./supervision";

/** A gateway finishes what was in flight when the generator stopped; counters are read when they stand still. */
const settleTries = 20;
const settleMs = 10;

type Pages = readonly (readonly string[])[];

export async function readCounted({
  counted,
}: JobOrder): Promise<{ readonly gateway: Pages; readonly upstream: Pages }> {
  return { gateway: await pagesOf(counted.gateway), upstream: await pagesOf(counted.upstream) };
}

async function pagesOf(counted: readonly CountedPages[]): Promise<Pages> {
  const read: string[][] = [];
  for (const { host, pages } of counted) {
    const texts: string[] = [];
    for (const { port, path } of pages) texts.push(await readPage(host, port, path).catch(() => ""));
    read.push(texts);
  }
  return read;
}

/** Every reading, and the last that equals the one before it but for what reading adds. */
export async function settled(
  order: JobOrder,
): Promise<{ readonly pages: Awaited<ReturnType<typeof readCounted>>; readonly readings: number }> {
  let last = await readCounted(order);
  for (let readings = 1; readings < settleTries; readings++) {
    const next = await readCounted(order);
    if (stoodStill(order, last, next)) return { pages: next, readings: readings + 1 };
    last = next;
    await sleep(settleMs);
  }
  return { pages: last, readings: settleTries };
}

export type Reading = Awaited<ReturnType<typeof readCounted>>;

function stoodStill({ counted }: JobOrder, before: Reading, after: Reading): boolean {
  const still = (which: "gateway" | "upstream") =>
    (sumOf(counted[which], before[which], after[which], 1)?.requests ?? 0) === 0;
  return still("gateway") && still("upstream");
}

/** Counters of all pages of all instances, added up. */
function sumOf(...counted: Parameters<typeof eachOf>): Counters | undefined {
  return addCounters(eachOf(...counted));
}

/** Counters of each instance. Readings in between have added to them too. */
function eachOf(
  counted: readonly CountedPages[],
  before: Pages,
  after: Pages,
  readings: number,
): readonly (Counters | undefined)[] {
  return counted.map(({ pages }, index) => countersBetween(pages, before[index] ?? [], after[index] ?? [], readings));
}

export function countersOf(
  { folder, order, mask }: Supervision,
  before: Reading,
  after: { readonly pages: Reading; readonly readings: number },
): JobRecord["counters"] {
  writeFileSync(
    join(folder, "counters.json"),
    // A gateway may print its configuration on the page that counts.
    mask(JSON.stringify({ before, after: after.pages, readings: after.readings }, null, 1)),
    { mode: 0o600 },
  );
  const gateway = sumOf(order.counted.gateway, before.gateway, after.pages.gateway, after.readings);
  const upstreams = eachOf(order.counted.upstream, before.upstream, after.pages.upstream, after.readings);
  const upstream = addCounters(upstreams);
  return {
    ...(gateway ? { gateway } : {}),
    ...(upstream ? { upstream } : {}),
    ...(upstreams.length > 1 ? { upstreams: upstreams.map((counters) => counters ?? null) } : {}),
  };
}
