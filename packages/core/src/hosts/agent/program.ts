import { join } from "node:path";
import { containers } from "./container";
import { writeJson } from "./files";
import type { Image } from "./image";
import { isJobFolder } from "./paths";
import { recordedProcesses } from "./place";
import { pods } from "./pod";
import { endSession, type ProcessId } from "./process";
import { processes } from "./processes";
import { setting } from "./setting";

/** What to run: as a process of this machine, a container of it, or a pod. Values are put in already. */
export interface Program extends Image {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where it starts, and the only folder of the machine it has. Everything below a folder ends with it. */
  readonly folder: string;
  readonly openFiles?: number;
  readonly ports?: Readonly<Record<string, number>>;
  readonly cpuset?: string;
  readonly limits?: { readonly cpu?: number; readonly memory?: string };
  readonly hostEntries?: Readonly<Record<string, string>>;
}

/** Files, by their paths. */
export interface Outputs {
  readonly stdout: string;
  readonly stderr: string;
}

/** How a program ended. */
export interface Ended {
  /** null: by a signal. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** It could not be started, or its place was taken from it, and why. */
  readonly error?: string;
}

/** Told of a program's first process. */
export type Started = (process: Pick<ProcessId, "pid">) => void;

/** A program that begins the moment it is told to: what it runs in is there. */
export interface Prepared {
  /** Runs it to its end, or kills it. */
  run(killAfterS: number, started: Started): Promise<Ended>;
  /** Removes what it ran in, or was to. */
  discard(): Promise<void>;
}

/** How programs run in a place. */
export interface Runtime {
  prepare(program: Program, outputs: Outputs): Promise<Prepared>;
  /** Starts one that outlives us. */
  start(program: Program): Promise<ProcessId>;
  /** Ends what works in such a folder, on record or not. */
  endIn(belongs: (folder: string) => boolean): Promise<void>;
  /** What one said last that was started in this folder. */
  wordsOf(folder: string): Promise<string>;
}

const runtime: Runtime = { processes, containers, pods }[setting.programs];

/** Starts a program that outlives us, on record in its folder. */
export async function startProgram(program: Program): Promise<ProcessId> {
  const started = await runtime.start(program);
  writeJson(join(program.folder, "process.json"), started);
  return started;
}

/** What keeps a program from being prepared is how it ends. */
export async function prepareProgram(program: Program, outputs: Outputs): Promise<Prepared> {
  try {
    const prepared = await runtime.prepare(program, outputs);
    return { ...prepared, run: (...how) => prepared.run(...how).catch(failed) };
  } catch (error) {
    const ended = failed(error as Error);
    return { run: () => Promise.resolve(ended), discard: () => Promise.resolve() };
  }
}

const failed = ({ message }: Error): Ended => ({ exitCode: null, timedOut: false, error: message });

/** Runs a program to its end, or kills it. */
export async function runProgram(program: Program, outputs: Outputs, killAfterS: number): Promise<Ended> {
  const prepared = await prepareProgram(program, outputs);
  try {
    return await prepared.run(killAfterS, () => undefined);
  } finally {
    await prepared.discard();
  }
}

/** Ends everything that was started in a folder or below it, on record or not. */
export async function endBelow(folder: string): Promise<void> {
  await Promise.all(recordedProcesses(folder).map(endSession));
  await runtime.endIn((of) => `${of}/`.startsWith(`${folder}/`));
}

/** Ends a load whose supervisor is gone: a container does not end with who started it. Whoever holds the load lock may. */
export const endStrayLoads = (): Promise<void> => runtime.endIn(isJobFolder);

export const lastWords = (folder: string): Promise<string> => runtime.wordsOf(folder);
