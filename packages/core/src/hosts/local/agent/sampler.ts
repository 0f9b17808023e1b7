import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sample, workloadsOf } from "./sample";

/** Often enough to see a second's shape, seldom enough to cost well below 1 % of one CPU. */
const everyMs = 250;

/** Writes a line four times a second for as long as its session's folder is there. */
export async function runSampler(place: string, folder: string): Promise<void> {
  const lines = join(folder, "samples.jsonl");
  while (existsSync(folder)) {
    if (!append(lines, JSON.stringify(sample(workloadsOf(place), [process.pid])))) return;
    await sleep(everyMs);
  }
}

function append(path: string, line: string): boolean {
  try {
    appendFileSync(path, `${line}\n`);
    return true;
  } catch {
    return false;
  }
}
