import { spawn } from "node:child_process";
import { join } from "node:path";
import { removeContainersIn, runContainer, startContainer, wordsOf } from "./container";
import { writeJson } from "./files";
import { provideImage, type Image } from "./image";
import { launch, onCpus, plainEnvironment, withFiles } from "./launch";
import { isJobFolder } from "./paths";
import { recordedProcesses } from "./place";
import { endSession, readText, type ProcessId } from "./process";
import { setting } from "./setting";

/** What to run: as a process of this machine, or as a container where machines run those. Values are put in already. */
export interface Program extends Image {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where it starts, and the only folder of the machine it has. Everything below a folder ends with it. */
  readonly folder: string;
  readonly openFiles?: number;
  readonly cpuset?: string;
  readonly limits?: { readonly cpu?: number; readonly memory?: string };
  readonly hostEntries?: Readonly<Record<string, string>>;
}

/** File descriptors. */
export interface Outputs {
  readonly stdout: number;
  readonly stderr: number;
}

/** How a program ended. */
export interface Ended {
  /** null: by a signal. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** It could not be started, and why. */
  readonly error?: string;
}

/** Starts a program that outlives us, on record in its folder. */
export async function startProgram(program: Program): Promise<ProcessId> {
  if (!setting.containers)
    return launch({ command: argvOf(program), env: { ...plainEnvironment(), ...program.env }, folder: program.folder });
  const started = await startContainer(program);
  writeJson(join(program.folder, "process.json"), started);
  return started;
}

/** Fetches what a program runs in, so that this takes no time of a run. Where it cannot be had, the start says so. */
export async function fetchImage(image: Image): Promise<void> {
  if (setting.containers) await provideImage(image).catch(() => undefined);
}

/** Runs a program to its end, or kills it. `started` is told of its first process. */
export async function runProgram(
  program: Program,
  outputs: Outputs,
  killAfterS: number,
  started?: (process: Pick<ProcessId, "pid">) => void,
): Promise<Ended> {
  try {
    return await (setting.containers ? runContainer : runProcess)(program, outputs, killAfterS, started);
  } catch (error) {
    return { exitCode: null, timedOut: false, error: (error as Error).message };
  }
}

function runProcess(
  program: Program,
  { stdout, stderr }: Outputs,
  killAfterS: number,
  started: (process: Pick<ProcessId, "pid">) => void = () => undefined,
): Promise<Ended> {
  const [name, ...argv] = argvOf(program) as [string, ...string[]];
  const env = { ...plainEnvironment(), ...program.env };
  const child = spawn(name, argv, { cwd: program.folder, env, stdio: ["ignore", stdout, stderr] });
  child.once("spawn", () => started({ pid: child.pid as number }));
  return new Promise((resolve, reject) => {
    let timedOut = false;
    const timer = setTimeout(() => (timedOut = child.kill("SIGKILL")), killAfterS * 1000);
    child.once("error", reject);
    child.once("exit", (exitCode) => resolve({ exitCode, timedOut }));
    child.once("close", () => clearTimeout(timer));
  });
}

const argvOf = ({ command, cpuset, openFiles }: Program): readonly string[] =>
  withFiles(openFiles, onCpus(cpuset, command));

/** Ends everything that was started in a folder or below it, on record or not. */
export async function endBelow(folder: string): Promise<void> {
  await Promise.all(recordedProcesses(folder).map(endSession));
  if (setting.containers) await removeContainersIn((of) => `${of}/`.startsWith(`${folder}/`));
}

/** Ends a load whose supervisor is gone: a container does not end with who started it. Whoever holds the load lock may. */
export async function endStrayLoads(): Promise<void> {
  if (setting.containers) await removeContainersIn(isJobFolder);
}

/** What a program said last, of what it was started with in this folder. */
export async function lastWords(folder: string): Promise<string> {
  return setting.containers ? wordsOf(folder) : (readText(join(folder, "stderr")) ?? "");
}
