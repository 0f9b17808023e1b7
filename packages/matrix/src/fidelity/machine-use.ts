import type { HostUsage, Run } from "@gatebench/core";
import { sample, workloadsOf } from "@gatebench/core/local";
import type { HostSample } from "@gatebench/core/measure";
import { fieldsAfterName, read } from "./processes";

/**
 * Of all CPUs, what neither the benchmark's workloads, nor the tool, nor gatebench used: a mail program, a build.
 */
export function othersIn({ startedAt, endedAt, hosts }: Pick<Run, "startedAt" | "endedAt" | "hosts">): number {
  const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
  const others = ({ cpuFraction, cpus, workloads, harnessCpuS }: HostUsage) =>
    cpuFraction - (sum(workloads.map(({ cpuS }) => cpuS)) + harnessCpuS) / (cpus * seconds);
  return Math.max(0, ...hosts.map(others));
}

/** The same for a run by hand: between two readings, with the tool as a child of ours that has ended. */
export class MachineUse {
  readonly #before: Reading;

  constructor(private readonly place: string) {
    this.#before = this.#read();
  }

  /** Of all CPUs, what others used since. */
  others(): number {
    const [from, to] = [this.#before, this.#read()];
    const busyS = sum(to.machine.cpus.map(({ busyS: now }, cpu) => now - (from.machine.cpus[cpu]?.busyS ?? now)));
    const workloads = Object.entries(to.machine.workloads);
    const workloadsS = sum(workloads.map(([name, { cpuS }]) => cpuS - (from.machine.workloads[name]?.cpuS ?? cpuS)));
    const seconds = (to.machine.atMs - from.machine.atMs) / 1000;
    return Math.max(0, (busyS - workloadsS - (to.toolCpuS - from.toolCpuS)) / (seconds * to.machine.cpus.length));
  }

  #read(): Reading {
    return { machine: sample(workloadsOf(this.place), []), toolCpuS: endedChildrenS() };
  }
}

interface Reading {
  readonly machine: HostSample;
  readonly toolCpuS: number;
}

/** Ticks of 10 ms, fields 16 and 17 of proc(5)'s stat. */
function endedChildrenS(): number {
  const [user, system] = fieldsAfterName(read("/proc/self/stat") as string).slice(13, 15);
  return (Number(user) + Number(system)) / 100;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
