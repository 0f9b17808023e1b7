import { existsSync, mkdirSync, mkdtempSync, renameSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { packRecord, type JobOrder, type JobRecord } from "../job-record";
import { makeWorkFolder, readJson, remove, writeJson, writeTexts } from "./files";
import { launch, ownEnvironment } from "./launch";
import { jobFolder, loadLock, sessionFolder } from "./paths";
import { ancestorsOf, endSession, isAlive, readText, refuseOrphan, type ProcessId } from "./process";
import { endBelow } from "./program";

/** What the supervisor does at the moment, for whoever waits. */
export interface Progress {
  readonly phase: "waits for another load to end" | "cools down" | "waits for a scrape" | "runs" | "settles";
  readonly sinceMs: number;
}

const heartbeatMs = 5000;
/** Looks again by itself now and then: a missed file event must not cost more than this. */
const lookMs = 1000;

/**
 * Carries out a job once, whoever asks how often: starts it, attaches to it while it runs, or returns what it left.
 * The load itself is a process session of its own and does not notice when the one who waits is killed.
 */
export async function runJob(place: string, order: JobOrder, agent: string): Promise<string> {
  const folder = jobFolder(place, order.session, order.id);
  if (!existsSync(sessionFolder(place, order.session)))
    throw new Error(
      `job-lost: session ${order.session} is gone from this machine; run destroy and up, or up with a new runId.`,
    );
  await claim(folder, place, order, agent);
  return packRecord(await recordOf(folder, order.label));
}

/**
 * Makes the job's folder appear with everything in it, its supervisor included, or finds that somebody else did. Whoever
 * is killed before that moment has claimed nothing: its supervisor finds that the job is not its own, and ends.
 */
async function claim(folder: string, place: string, order: JobOrder, agent: string): Promise<void> {
  if (existsSync(folder)) return;
  const jobs = join(sessionFolder(place, order.session), "jobs");
  mkdirSync(jobs, { recursive: true });
  const prepared = mkdtempSync(join(jobs, ".new-"));
  makeWorkFolder(prepared);
  writeJson(join(prepared, "order.json"), order);
  writeJson(join(prepared, "waiter.json"), { pids: ancestorsOf(process.pid) });
  const supervisor = await launchSupervisor(prepared, folder, place, agent);
  try {
    renameSync(prepared, folder);
  } catch {
    await endSession(supervisor);
    remove(prepared);
  }
}

/** The load lock is held by the supervisor's own process, so it is free again however the supervisor ends. */
async function launchSupervisor(prepared: string, folder: string, place: string, agent: string): Promise<ProcessId> {
  mkdirSync(join(prepared, "supervisor"));
  const command = ["flock", "--no-fork", loadLock(), process.execPath, agent, "supervise", place, folder];
  return launch({ command, env: ownEnvironment(), folder: join(prepared, "supervisor") });
}

/** How long the one who launched a supervisor may take to claim the job for it. */
const claimWithinMs = 2000;

/** Whether the job in this folder is ours to carry out. */
export async function isOurs(folder: string): Promise<boolean> {
  const deadline = Date.now() + claimWithinMs;
  for (;;) {
    const supervisor = readJson<ProcessId>(join(folder, "supervisor", "process.json"));
    if (supervisor) return supervisor.pid === process.pid;
    if (Date.now() > deadline) return false;
    await sleep(5);
  }
}

async function recordOf(folder: string, label: string): Promise<JobRecord> {
  let spoken = Date.now();
  for (;;) {
    const record = readJson<JobRecord>(join(folder, "record.json"));
    if (record) return record;
    refuseOrphan("the job goes on");
    if (await lost(folder)) return lostRecord(folder);
    if (Date.now() - spoken >= heartbeatMs) spoken = speak(folder, label);
    await change(folder);
  }
}

/** The supervisor ended without a record: looked at twice, since it may just have written it. */
async function lost(folder: string): Promise<boolean> {
  const supervisor = readJson<ProcessId>(join(folder, "supervisor", "process.json"));
  const gone = supervisor !== undefined && !isAlive(supervisor) && !existsSync(join(folder, "record.json"));
  if (gone) await endBelow(folder);
  return gone;
}

function lostRecord(folder: string): JobRecord {
  withoutValues(folder);
  const now = new Date().toISOString();
  const said = readText(join(folder, "supervisor", "stderr")) ?? "";
  const failure = {
    code: "job-lost" as const,
    message: `the process that watched the load was killed. ${said.trim().slice(-300)}`.trim(),
  };
  const record: JobRecord = {
    execution: `lost-${Date.now()}`,
    startedAt: now,
    endedAt: now,
    outcome: { failure },
    counters: {},
    hosts: [],
    artifacts: [],
    folder,
  };
  writeJson(join(folder, "record.json"), record);
  return record;
}

/** A job that was cut off leaves values in clear: its texts go back to reference form, its unread output goes. */
function withoutValues(folder: string): void {
  const { job } = readJson<JobOrder>(join(folder, "order.json")) as JobOrder;
  for (const path of ["stdout", "stderr", ...(job.collect ?? [])]) remove(join(folder, path));
  writeTexts(folder, job.files ?? {});
}

function speak(folder: string, label: string): number {
  const progress = readJson<Progress>(join(folder, "progress.json"));
  const seconds = progress ? Math.round((Date.now() - progress.sinceMs) / 1000) : 0;
  process.stderr.write(`${label}: ${progress ? `${progress.phase}, ${seconds} s` : "waits for another load to end"}\n`);
  return Date.now();
}

/** Resolves when the record is there, or after a while. Other files of the job appear while the load runs: they wake nobody. */
function change(folder: string): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, lookMs);
    const watcher = watching(folder, done);
    if (existsSync(join(folder, "record.json"))) done(); // It came before the watch began.
    function done() {
      clearTimeout(timer);
      watcher?.close();
      resolve();
    }
  });
}

/** A machine has a number of watches for each of its users; where others took them all, looking now and then must do. */
function watching(folder: string, done: () => void): FSWatcher | undefined {
  try {
    return watch(folder, (_, name) => name === "record.json" && done()).on("error", done);
  } catch {
    return undefined;
  }
}

/** Ends the job if it runs and forgets it: the next order with the same id is carried out anew. */
export async function forgetJob(place: string, session: string, id: string): Promise<void> {
  const folder = jobFolder(place, session, id);
  await endBelow(folder);
  remove(folder);
}
