import { appendFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readJson } from "./files";
import { sample, workloadsOf } from "./sample";

/** The edges of a run are read by its supervisor; in between, a line a second shows its shape. */
const everyMs = 1000;

/** Writes a line a second while a job of its session runs, for as long as the session's folder is there. */
export async function runSampler(place: string, folder: string): Promise<void> {
  const lines = join(folder, "samples.jsonl");
  const ended = new Set<string>();
  const { places } = readJson<{ places: string[] }>(join(folder, "session.json")) ?? { places: [place] };
  while (existsSync(folder)) {
    if (jobRuns(folder, ended) && !append(lines, JSON.stringify(sample(workloadsOf(...places), [process.pid])))) return;
    await sleep(everyMs);
  }
}

/** Sessions that wait for their turn, or have had it, take nothing from the one that is measured. */
function jobRuns(folder: string, ended: Set<string>): boolean {
  const jobs = jobsIn(folder).filter((name) => !ended.has(name));
  const running = jobs.filter((name) => !existsSync(join(folder, "jobs", name, "record.json")));
  for (const name of jobs) if (!running.includes(name)) ended.add(name);
  return running.length > 0;
}

function jobsIn(folder: string): readonly string[] {
  try {
    return readdirSync(join(folder, "jobs"));
  } catch {
    return [];
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
