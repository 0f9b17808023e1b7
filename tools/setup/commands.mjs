/** Other programs that set-up runs. None of them may ask a question: their stdin is closed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, statSync } from "node:fs";
import { constants as os } from "node:os";
import { delimiter, join } from "node:path";
import { fault } from "./messages.mjs";

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

/** @param {NodeJS.Signals} signal  Passed on to every program that runs now. */
export const signalCommands = (signal) => running.forEach((child) => child.kill(signal));

export const commandsEnded = () => Promise.all([...running].map((child) => once(child, "close")));

/**
 * Runs a program and keeps what it prints.
 * @param {string} program @param {string[]} args @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>} code 127 when there is no such program
 */
export function output(program, args, options = {}) {
  const child = started(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const kept = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (kept[name] += text));
  return ended(child).then((code) => ({ code, ...kept }));
}

/** Like `output`, but a failure is a fault that shows the end of what the program said. */
export async function must(code, what, program, args, options) {
  const result = await output(program, args, options);
  if (result.code === 0) return result;
  throw fault(code, `${what} failed (exit code ${result.code}). It said:\n${tail(result.stderr || result.stdout)}`);
}

/** Runs a program with its output on our stderr. */
export function shown(program, args, options = {}) {
  return ended(started(program, args, { ...options, stdio: ["ignore", 2, 2] }));
}

/** Runs a program that has the terminal to itself. */
export function interactive(program, args, options = {}) {
  return ended(started(program, args, { ...options, stdio: "inherit" }));
}

/** @param {string} name @param {string} [path] @returns {string | undefined} the executable the shell would run */
export function onPath(name, path = process.env.PATH ?? "") {
  const files = path.split(delimiter).map((directory) => join(directory || ".", name));
  return files.find(isExecutable);
}

export function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function started(program, args, options) {
  const child = spawn(program, args, options);
  running.add(child);
  return child;
}

function ended(child) {
  return new Promise((resolve) => {
    child.on("error", () => resolve(127));
    child.on("close", (code, signal) => resolve(code ?? 128 + os.signals[signal]));
  }).finally(() => running.delete(child));
}

const tail = (text) => text.trim().split("\n").slice(-15).join("\n");
