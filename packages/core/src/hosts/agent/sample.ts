import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { HostSample } from "../../measure";
import { adoptedIn } from "./adopted-workload";
import { allowance } from "./allowance";
import { readJson } from "./files";
import { placeFolder } from "./paths";
import { pageBytes, readText, statOf, ticksPerS, treeOf, type ProcessId } from "./process";

/** Everything this machine can say of itself at one moment; all of it counted since some beginning. */
export function sample(workloads: ReadonlyMap<string, ProcessId>, harness: readonly number[]): HostSample {
  const held = allowance();
  return {
    atMs: performance.timeOrigin + performance.now(),
    cpus: cpuTimes(),
    memoryUsedBytes: memoryUsed(),
    network: network(),
    tcp: tcp(),
    workloads: Object.fromEntries([...workloads].map(([name, { pid }]) => [name, treeUsage(pid)])),
    ...(held ? { allowance: held } : {}),
    harnessCpuS: harness.reduce((total, pid) => total + (statOf(pid)?.cpuTicks ?? 0), 0) / ticksPerS,
  };
}

/** The workloads of some places that are on record, by name; a stack gives no name twice. */
export function workloadsOf(...places: readonly string[]): ReadonlyMap<string, ProcessId> {
  const folders = places.map((place) => join(placeFolder(place), "workloads"));
  return new Map(folders.flatMap(recordedIn));
}

function recordedIn(folder: string): readonly (readonly [string, ProcessId])[] {
  return readdirOrNone(folder).flatMap((name) => {
    const id = readJson<ProcessId>(join(folder, name, "process.json")) ?? adoptedIn(join(folder, name));
    return id ? [[name, id] as const] : [];
  });
}

function readdirOrNone(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** CPU and memory of a process and all it started. */
export function treeUsage(pid: number): { cpuS: number; memoryBytes: number } {
  const stats = treeOf(pid).flatMap((member) => statOf(member) ?? []);
  const ticks = stats.reduce((total, { cpuTicks, childrenCpuTicks }) => total + cpuTicks + childrenCpuTicks, 0);
  const pages = stats.reduce((total, { residentPages }) => total + residentPages, 0);
  return { cpuS: ticks / ticksPerS, memoryBytes: pages * pageBytes };
}

/** /proc/stat, proc(5): user nice system idle iowait irq softirq steal, in ticks. */
function cpuTimes(): HostSample["cpus"] {
  const lines = (readText("/proc/stat") ?? "").split("\n").filter((line) => /^cpu\d/.test(line));
  return lines.map((line) => {
    const ticks = line.split(/\s+/).slice(1, 9).map(Number);
    const [, , , idle = 0, iowait = 0, , softirq = 0, steal = 0] = ticks;
    const total = ticks.reduce((sum, value) => sum + value, 0);
    return {
      busyS: (total - idle - iowait - steal) / ticksPerS,
      totalS: total / ticksPerS,
      softirqS: softirq / ticksPerS,
      stealS: steal / ticksPerS,
    };
  });
}

function memoryUsed(): number {
  const text = readText("/proc/meminfo") ?? "";
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
  return (kilobytes("MemTotal") - kilobytes("MemAvailable")) * 1024;
}

function network(): HostSample["network"] {
  const lines = (readText("/proc/net/dev") ?? "").split("\n").slice(2).filter(Boolean);
  const fields = lines.map((line) => line.split(":")[1]?.trim().split(/\s+/).map(Number) ?? []);
  const sum = (index: number) => fields.reduce((total, values) => total + (values[index] ?? 0), 0);
  return { receivedBytes: sum(0), sentBytes: sum(8) };
}

function tcp(): HostSample["tcp"] {
  const snmp = table("/proc/net/snmp", "Tcp");
  const netstat = table("/proc/net/netstat", "TcpExt");
  return {
    sentSegments: snmp.OutSegs ?? 0,
    retransmittedSegments: snmp.RetransSegs ?? 0,
    listenOverflows: netstat.ListenOverflows ?? 0,
  };
}

/** Two lines of a /proc/net table: names, then values. */
function table(path: string, prefix: string): Readonly<Record<string, number>> {
  const [names = [], values = []] = (readText(path) ?? "")
    .split("\n")
    .filter((line) => line.startsWith(`${prefix}:`))
    .map((line) => line.split(/\s+/).slice(1));
  return Object.fromEntries(names.map((name, index) => [name, Number(values[index])]));
}
