import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { setting } from "./setting";

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessId {
  readonly pid: number;
  /** Clock ticks after boot at which it started. */
  readonly startTicks: number;
}

/** One line of /proc/PID/stat; see proc(5). */
export interface ProcessStat extends ProcessId {
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly session: number;
  readonly cpuTicks: number;
  /** CPU of children that ended and were waited for. */
  readonly childrenCpuTicks: number;
  readonly residentPages: number;
}

/** USER_HZ, the unit of /proc's CPU times; 100 on every Linux architecture that runs Node. */
export const ticksPerS = 100;
export const pageBytes = 4096;

export function statOf(pid: number): ProcessStat | undefined {
  const text = readText(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(pid, text);
}

function parseStat(pid: number, text: string): ProcessStat {
  const nameEnd = text.lastIndexOf(")");
  const fields = text.slice(nameEnd + 2).split(" ");
  const number = (field: number) => Number(fields[field - 3]);
  return {
    pid,
    name: text.slice(text.indexOf("(") + 1, nameEnd),
    state: fields[0] as string,
    parent: number(4),
    session: number(6),
    cpuTicks: number(14) + number(15),
    childrenCpuTicks: number(16) + number(17),
    startTicks: number(22),
    residentPages: number(24),
  };
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

export function identify(pid: number): ProcessId {
  return { pid, startTicks: statOf(pid)?.startTicks ?? 0 };
}

export function isAlive({ pid, startTicks }: ProcessId): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.startTicks === startTicks && stat.state !== "Z";
}

export function allProcesses(): readonly ProcessStat[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
}

/**
 * The process and everything it started that did not leave its session. Nothing where the number belongs to a later
 * process: Linux gives it away only when the whole session has ended.
 */
export function sessionOf(leader: ProcessId): readonly ProcessStat[] {
  if (leader.pid < 1) return []; // A container that has ended. The kernel's own threads are of session 0.
  const now = statOf(leader.pid);
  if (now !== undefined && now.startTicks !== leader.startTicks) return [];
  return allProcesses().filter(
    ({ session, startTicks, state }) => session === leader.pid && startTicks >= leader.startTicks && state !== "Z",
  );
}

/** The process and its descendants, without a walk through all of /proc. */
export function treeOf(pid: number): readonly number[] {
  const children = (readText(`/proc/${pid}/task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number);
  return [pid, ...children.flatMap(treeOf)];
}

const parent = process.ppid;

/**
 * Stops where the one who started us is gone: what we were asked for is nobody's wish any more, and others may be at work.
 * In a container Docker starts us by a program that ends as soon as we run, whoever asked.
 */
export function refuseOrphan(then: string): void {
  if (!setting.isolated && process.ppid !== parent) throw new Error(`the engine that asked is gone; ${then}`);
}

/** The process and those above it, without the first of the machine. */
export function ancestorsOf(pid: number): readonly number[] {
  const stat = pid > 1 ? statOf(pid) : undefined;
  return stat === undefined ? [] : [pid, ...ancestorsOf(stat.parent)];
}

/** Ends at once what is left of our own session beside us. */
export function endOthersOfSession(): void {
  signal(
    allProcesses().filter(({ session, pid }) => session === process.pid && pid !== process.pid),
    "SIGKILL",
  );
}

/** Ends a whole session: asks first, insists after two seconds. */
export async function endSession(leader: ProcessId): Promise<void> {
  const deadline = Date.now() + 2000;
  signal(sessionOf(leader), "SIGTERM");
  while (sessionOf(leader).length > 0) {
    if (Date.now() > deadline) signal(sessionOf(leader), "SIGKILL");
    await sleep(20);
  }
}

function signal(processes: readonly ProcessId[], name: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, name);
    } catch {
      // It ended by itself.
    }
  }
}
