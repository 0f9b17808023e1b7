import { createRequire } from "node:module";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { GeneratorAdapter } from "@gatebench/core";

/** The generator, with the moment of each of its starts written down: one line for each process. */
export function noted(generator: GeneratorAdapter, file: string): GeneratorAdapter {
  return {
    ...generator,
    plan: (load, target) => {
      const plan = generator.plan(load, target);
      if (plan.kind !== "containers") throw new Error("not a command");
      const command = ["sh", "-c", `date +%s%N >> ${file}; exec "$@"`, "sh", ...plan.job.command];
      return { ...plan, job: { ...plan.job, command } };
    },
  };
}

/** How often a noted generator was started. */
export function starts(file: string): number {
  return (textOf(file) ?? "").split("\n").filter(Boolean).length;
}

/** A generator that is done in a moment: a request for each connection, one after another; waits first for so long. */
export const curl = (
  createRequire(__filename)("./small-project/curl.cjs") as {
    curl: (options?: { readonly waitS?: number }) => GeneratorAdapter;
  }
).curl;

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

interface Process {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
}

/** Every process but this one and those that have ended; /proc/PID/stat is "PID (NAME) STATE PARENT …". */
function alive(): readonly Process[] {
  const numbers = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== `${process.pid}`);
  return numbers.flatMap((number) => {
    const [, name = "", state, parent] = /\((.*)\) (\S) (\d+)/.exec(textOf(`/proc/${number}/stat`) ?? "") ?? [];
    return state === undefined || state === "Z" ? [] : [{ pid: Number(number), name, parent: Number(parent) }];
  });
}

/** What runs because of a folder: it stands in its environment, on its command line, or it works there. */
export function processesOf(folder: string): readonly string[] {
  return alive()
    .filter(({ pid }) =>
      [textOf(`/proc/${pid}/environ`), textOf(`/proc/${pid}/cmdline`), folderOf(pid)].join("\0").includes(folder),
    )
    .map(({ pid, name }) => `${name} ${pid}: ${(textOf(`/proc/${pid}/cmdline`) ?? "").replaceAll("\0", " ")}`);
}

/** Processes that work below a folder and whose command line has these words. */
export function pidsIn(folder: string, words: RegExp): readonly number[] {
  return alive()
    .filter(({ pid }) => folderOf(pid).startsWith(folder))
    .filter(({ pid }) => words.test((textOf(`/proc/${pid}/cmdline`) ?? "").replaceAll("\0", " ")))
    .map(({ pid }) => pid);
}

/** Everything below a process. */
function descendantsOf(pid: number, all = alive()): readonly Process[] {
  const children = all.filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child.pid, all)]);
}

/** Ports of a block something listens on; /proc/net/tcp has them in hexadecimal, and 0A for a listener. */
export function listening(base: number, count = 400): readonly number[] {
  const lines = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((path) => (textOf(path) ?? "").split("\n").slice(1));
  return lines
    .map((line) => /:([0-9A-F]{4}) \S+ 0A /.exec(line)?.[1])
    .flatMap((port) => (port === undefined ? [] : [parseInt(port, 16)]))
    .filter((port) => port >= base && port < base + count);
}

/** The engine that runs for this process or for one below it. */
export function enginePid(of = process.pid): number | undefined {
  return descendantsOf(of).find(
    ({ pid, name }) => name === "pulumi" && /\0(up|destroy)\0/.test(textOf(`/proc/${pid}/cmdline`) ?? ""),
  )?.pid;
}

export async function until<T>(what: () => T | undefined | false, withinS = 30): Promise<T> {
  const deadline = Date.now() + withinS * 1000;
  for (;;) {
    const found = what();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`not within ${withinS} s: ${what.toString()}`);
    await sleep(5);
  }
}
