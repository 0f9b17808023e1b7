import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileOf } from "@gatebench/core";

/** What a process was given to run with, as the kernel tells it while it runs. */
export interface ToolProcess {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The CPUs it may use, such as "0-3". */
  readonly cpus: string;
  readonly nice: number;
}

/** undefined: it is no longer there. */
export function readToolProcess(pid: number): ToolProcess | undefined {
  try {
    const [argv, environment, status, stat] = ["cmdline", "environ", "status", "stat"].map((file) =>
      readFileSync(`/proc/${pid}/${file}`, "utf8"),
    ) as [string, string, string, string];
    return { argv: parts(argv), environment: variables(environment), cpus: cpusIn(status), nice: niceIn(stat) };
  } catch {
    return undefined;
  }
}

const parts = (text: string): readonly string[] => text.replace(/\0$/, "").split("\0");

export function variables(text: string): Readonly<Record<string, string>> {
  const entries = parts(text).filter(Boolean);
  return Object.fromEntries(entries.map((entry) => [entry.split("=")[0], entry.slice(entry.indexOf("=") + 1)]));
}

export const cpusIn = (status: string): string => /^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1] ?? "";

/** Field 19 of proc(5)'s stat; the second, a name in brackets, may hold spaces. */
export const niceIn = (stat: string): number => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);

/** Whether a process is the tool already, and not the program that is about to become it. */
export const runs = (program: string, seen: ToolProcess | undefined): boolean =>
  seen !== undefined && basename(seen.argv[0] as string) === basename(program);

/** The same with its files named by reference: they lie in another folder for every run. */
export function withoutFolder(seen: ToolProcess, folder: string): ToolProcess {
  const argv = seen.argv.map((word) => (word.startsWith(`${folder}/`) ? fileOf(word.slice(folder.length + 1)) : word));
  return { ...seen, argv };
}

/** Everything in which two processes were not given the same, one line each. */
export function differences(gatebench: ToolProcess, byHand: ToolProcess): readonly string[] {
  const names = [...new Set([...Object.keys(gatebench.environment), ...Object.keys(byHand.environment)])].sort();
  return [
    ...differing("arguments", JSON.stringify(gatebench.argv), JSON.stringify(byHand.argv)),
    ...names.flatMap((name) => differing(`variable ${name}`, gatebench.environment[name], byHand.environment[name])),
    ...differing("CPU set", gatebench.cpus, byHand.cpus),
    ...differing("nice level", `${gatebench.nice}`, `${byHand.nice}`),
  ];
}

function differing(what: string, gatebench = "none", byHand = "none"): readonly string[] {
  return gatebench === byHand ? [] : [`${what}: ${gatebench} under gatebench, ${byHand} by hand`];
}
