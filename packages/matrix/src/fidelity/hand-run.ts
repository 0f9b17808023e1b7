import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobOutput } from "@gatebench/core";
import { loadLock } from "@gatebench/core/local";
import { MachineUse } from "./machine-use";
import { readToolProcess, runs, type ToolProcess } from "./tool-process";

/** A tool's run as a person starts it: one command, nothing of gatebench beside it. */
export interface HandRun {
  readonly output: JobOutput;
  readonly tool: ToolProcess;
  /** Of all CPUs, what the rest of the machine used meanwhile. */
  readonly others: number;
}

/** What `env -i PATH="$PATH" HOME="$HOME" LANG="$LANG" TMPDIR="$TMPDIR"` leaves of a person's environment. */
export function handEnvironment(given: NodeJS.ProcessEnv = process.env): readonly string[] {
  const names = ["PATH", "HOME", "LANG", "TMPDIR"];
  return names.flatMap((name) => (given[name] === undefined ? [] : [`${name}=${given[name]}`]));
}

/**
 * Runs a command in a folder that keeps its output. It waits for the load lock, as every load on this machine does, so
 * that no other checkout's load falls into it; the command then takes the place of the program that waited.
 */
export async function handRun(command: readonly string[], folder: string, place: string): Promise<HandRun> {
  mkdirSync(folder, { recursive: true });
  const [program, ...argv] = ["flock", "--no-fork", loadLock(), "env", "-i", ...handEnvironment(), ...command];
  const outputs = ["stdout", "stderr"].map((name) => openSync(join(folder, name), "w"));
  const use = new MachineUse(place);
  const child = spawn(program as string, argv, { cwd: folder, stdio: ["ignore", ...outputs] });
  outputs.forEach(closeSync);
  const ended = once(child, "exit");
  const tool = await seen(child, command[0] as string);
  const [exitCode] = (await ended) as [number | null];
  const others = use.others();
  const [stdout, stderr] = ["stdout", "stderr"].map((name) => readFileSync(join(folder, name), "utf8"));
  return { tool, others, output: { stdout: stdout as string, stderr: stderr as string, files: {}, exitCode } };
}

const lookMs = 10;

async function seen(child: ChildProcess, program: string): Promise<ToolProcess> {
  while (child.exitCode === null && child.signalCode === null) {
    const tool = readToolProcess(child.pid as number);
    if (tool && runs(program, tool)) return tool;
    await sleep(lookMs);
  }
  throw new Error(`${program} ended before it was seen`);
}
