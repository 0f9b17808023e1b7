import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { writeJson } from "./files";
import { identify, type ProcessId } from "./process";

/** The argv that keeps a command to some CPUs; the command itself where it may use all. */
export function onCpus(cpuset: string | undefined, command: readonly string[]): readonly string[] {
  return cpuset === undefined ? command : ["taskset", "--cpu-list", cpuset, ...command];
}

export interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Holds stdout, stderr and the record of the process. */
  readonly folder: string;
}

/** What a workload or a tool gets of our own environment: enough to run, nothing that would change what it does. */
export function plainEnvironment(): Record<string, string> {
  const passed = ["PATH", "HOME", "LANG", "TMPDIR"].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name] as string]],
  );
  return Object.fromEntries(passed) as Record<string, string>;
}

/** Starts a process that outlives us, in a session of its own, its output in files, and puts it on record. */
export async function launch({ command, env, folder }: Launch): Promise<ProcessId> {
  const stdout = openSync(join(folder, "stdout"), "a", 0o600);
  const stderr = openSync(join(folder, "stderr"), "a", 0o600);
  const [program, ...argv] = command as [string, ...string[]];
  const child = spawn(program, argv, { cwd: folder, env, detached: true, stdio: ["ignore", stdout, stderr] });
  closeSync(stdout);
  closeSync(stderr);
  await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  child.unref();
  const id = identify(child.pid as number);
  writeJson(join(folder, "process.json"), id);
  return id;
}
