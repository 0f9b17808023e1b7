import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readJson } from "./files";
import { settingNames } from "./setting";
import { identify, isAlive, readText, refuseOrphan, type ProcessId } from "./process";

/** The argv that keeps a command to some CPUs; the command itself where it may use all. */
export function onCpus(cpuset: string | undefined, command: readonly string[]): readonly string[] {
  return cpuset === undefined ? command : ["taskset", "--cpu-list", cpuset, ...command];
}

/** The argv that lets a command open so many files, or as many as this machine allows; the command itself where it may already. */
export function withFiles(wanted: number | undefined, command: readonly string[]): readonly string[] {
  const { soft, hard } = fileLimits();
  return wanted === undefined || wanted <= soft
    ? command
    : ["prlimit", `--nofile=${Math.min(wanted, hard)}:${hard}`, ...command];
}

/** "Max open files  1024  524288  files", proc(5). */
export function fileLimits(): { readonly soft: number; readonly hard: number } {
  const [, soft, hard] = /^Max open files +(\d+) +(\d+)/m.exec(readText("/proc/self/limits") ?? "") ?? [];
  return { soft: Number(soft ?? Infinity), hard: Number(hard ?? Infinity) };
}

export interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Holds stdout, stderr and the record of the process. */
  readonly folder: string;
}

/** What a workload or a tool gets of our own environment: enough to run, nothing that would change what it does. */
export function plainEnvironment(): Record<string, string> {
  return passed(["PATH", "HOME", "LANG", "TMPDIR"]);
}

function passed(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Where a pod's cluster has its API. */
const clusterNames = ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"];

/** What a service of our own gets: it has to find the same state as we do, and to work as we do. */
export function ownEnvironment(): Record<string, string> {
  return { ...plainEnvironment(), ...passed(["XDG_STATE_HOME", ...Object.values(settingNames), ...clusterNames]) };
}

/**
 * Puts the process on record, then becomes the program: at no moment does it run unrecorded, whenever we are killed.
 * The 22nd field of /proc/PID/stat, proc(5), is its start; "(sh)" has no blanks.
 */
const recorded = `read -r a b c d e f g h i j k l m n o p q r s t u start rest < /proc/$$/stat &&
printf '{"pid":%s,"startTicks":%s}' $$ "$start" > process.json && exec "$@"`;

/** Starts a process that outlives us, in a session of its own, its output in files, and on record in its folder. */
export async function launch({ command, env, folder }: Launch): Promise<ProcessId> {
  refuseOrphan("nothing is started for it");
  const stdout = openSync(join(folder, "stdout"), "a", 0o600);
  const stderr = openSync(join(folder, "stderr"), "a", 0o600);
  const child = spawn("/bin/sh", ["-c", recorded, "sh", ...command], {
    cwd: folder,
    env,
    detached: true,
    stdio: ["ignore", stdout, stderr],
  });
  closeSync(stdout);
  closeSync(stderr);
  await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  child.unref();
  return onRecord(folder, identify(child.pid as number));
}

async function onRecord(folder: string, started: ProcessId): Promise<ProcessId> {
  while (isAlive(started) && readJson<ProcessId>(join(folder, "process.json"))?.pid !== started.pid) await sleep(1);
  return started;
}
