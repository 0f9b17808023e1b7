import { readdirSync } from "node:fs";
import { fieldsAfterName, harness, processes, read } from "./processes";

/** CPU of one process of ours since it began. */
export interface Reading {
  readonly part: string;
  readonly cpuS: number;
  /** Of children that ended and were waited for. */
  readonly endedS: number;
}
export type Readings = ReadonlyMap<number, Reading>;

/** CPU seconds by what of ours used them. */
export type Parts = Readonly<Record<string, number>>;

/** USER_HZ, the unit of /proc's CPU times; 100 on every Linux architecture that runs Node. */
const ticksPerS = 100;

/** Everything of ours as a window begins: the runner, who looks, is read last, so that the look itself falls before it. */
export function readBefore(place: string, tool: number): Readings {
  return readAll([...membersNow(place, tool)].reverse());
}

/** The same and whatever came since, as the window ends: the runner first. */
export function readAfter(before: Readings, place: string, tool: number): Readings {
  const known = readAll([...before].map(([pid, { part }]) => [pid, part] as const).reverse());
  const come = [...membersNow(place, tool)].filter(([pid]) => !before.has(pid));
  return new Map([...readAll(come), ...known]);
}

const membersNow = (place: string, tool: number) => harness(processes(), { runner: process.pid, place, tool });

function readAll(members: readonly (readonly [pid: number, part: string])[]): Readings {
  return new Map(
    members.flatMap(([pid, part]) => {
      const reading = readingOf(pid, part);
      return reading ? [[pid, reading] as const] : [];
    }),
  );
}

function readingOf(pid: number, part: string): Reading | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = fieldsAfterName(stat);
  const ticks = (from: number) => (Number(fields[from - 3]) + Number(fields[from - 2])) / ticksPerS;
  return { part, cpuS: Math.max(ticks(14), onCpuS(pid)), endedS: ticks(16) };
}

/**
 * To the nanosecond, of all threads there are (schedstat); the ticks of stat round down, and know threads that have
 * ended. Neither says too much, so the larger is nearer to the truth.
 */
function onCpuS(pid: number): number {
  const threads = namesIn(`/proc/${pid}/task`);
  return threads.reduce((total, thread) => total + onCpuNs(read(`/proc/${pid}/task/${thread}/schedstat`)), 0) / 1e9;
}

const onCpuNs = (schedstat: string | undefined): number => Number(schedstat?.split(" ")[0] ?? 0);

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * What was used between two readings. A process that came in between counts whole; one that ended counts through the
 * parent that waited for it. The supervisor's ended child is the tool itself.
 */
export function used(before: Readings, after: Readings): Parts {
  const parts: Record<string, number> = {};
  for (const [pid, { part, cpuS, endedS }] of after) {
    const since = before.get(pid);
    const ended = part === "supervisor" ? 0 : endedS - (since?.endedS ?? 0);
    parts[part] = (parts[part] ?? 0) + cpuS - (since?.cpuS ?? 0) + ended;
  }
  return parts;
}

export const total = (parts: Parts): number => Object.values(parts).reduce((sum, cpuS) => sum + cpuS, 0);

export function added(all: readonly Parts[]): Parts {
  const names = [...new Set(all.flatMap((parts) => Object.keys(parts)))];
  return Object.fromEntries(names.map((name) => [name, all.reduce((sum, parts) => sum + (parts[name] ?? 0), 0)]));
}
