import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { join } from "node:path";
import { openOutput } from "./files";
import { launch, onCpus, plainEnvironment, withFiles } from "./launch";
import { readText } from "./process";
import type { Ended, Outputs, Program, Runtime, Started } from "./program";

/** Programs as processes of this machine: what they are is on its PATH. Their sessions are on record, and end with it. */
export const processes: Runtime = {
  prepare: (program, outputs) =>
    Promise.resolve({
      run: (killAfterS, started) => run(program, outputs, killAfterS, started),
      discard: () => Promise.resolve(),
    }),
  start: (program) => launch({ command: argvOf(program), env: environmentOf(program), folder: program.folder }),
  endIn: () => Promise.resolve(),
  wordsOf: (folder) => Promise.resolve(readText(join(folder, "stderr")) ?? ""),
};

async function run(program: Program, outputs: Outputs, killAfterS: number, started: Started): Promise<Ended> {
  const [name, ...argv] = argvOf(program) as [string, ...string[]];
  const files = [outputs.stdout, outputs.stderr].map(openOutput) as [number, number];
  const child = spawn(name, argv, { cwd: program.folder, env: environmentOf(program), stdio: ["ignore", ...files] });
  for (const file of files) closeSync(file);
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
const environmentOf = ({ env }: Program) => ({ ...plainEnvironment(), ...env });
