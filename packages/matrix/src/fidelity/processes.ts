import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** A process as one look into /proc shows it. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Of its program, at most 15 letters. */
  readonly name: string;
}

/** Every process of the machine, from one short file each: a look must cost little where hundreds run. */
export function processes(): readonly Process[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    const stat = read(`/proc/${pid}/stat`);
    return stat === undefined ? [] : [processIn(stat)];
  });
}

export function processIn(stat: string): Process {
  const [, parent, group] = fieldsAfterName(stat);
  const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
  return { pid: parseInt(stat), parent: Number(parent), group: Number(group), name };
}

/** Fields of proc(5)'s stat from the third on: the second, a name in brackets, may hold spaces. */
export const fieldsAfterName = (stat: string): readonly string[] => stat.slice(stat.lastIndexOf(")") + 2).split(" ");

export const argvOf = (pid: number): readonly string[] =>
  (read(`/proc/${pid}/cmdline`) ?? "").replace(/\0$/, "").split("\0");

export function childrenOf(pid: number): readonly number[] {
  return (read(`/proc/${pid}/task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number);
}

export function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * Everything of ours on this machine, with what it is: the runner and what it started (engine, plug-ins, waiter), the
 * set-up that started it, and what stands apart in sessions of its own (supervisor, samplers), told by its place. The
 * tool that sends the load is not ours, nor are upstream and gateway. The runner stands first.
 */
export function harness(
  all: readonly Process[],
  { runner, place, tool }: { readonly runner: number; readonly place: string; readonly tool: number },
  argv: (pid: number) => readonly string[] = argvOf,
): ReadonlyMap<number, string> {
  const byPid = new Map(all.map((one) => [one.pid, one]));
  // What stands apart runs the same program as the runner: only there are arguments looked at.
  const isApart = ({ pid, name }: Process) => name === byPid.get(runner)?.name && argv(pid).includes(place);
  const members = all.filter((one) => {
    const above = ancestors(byPid, one);
    return (above.includes(runner) || isApart(one)) && !above.includes(tool);
  });
  return new Map([
    [runner, "runner"],
    ...setUp(byPid, runner).map(({ pid }) => [pid, "set-up"] as const),
    ...members.filter(({ pid }) => pid !== runner).map(({ pid }) => [pid, partOf(argv(pid))] as const),
  ]);
}

/** The process itself and those above it. */
function ancestors(byPid: ReadonlyMap<number, Process>, { pid, parent }: Process): readonly number[] {
  const above = byPid.get(parent);
  return above ? [pid, ...ancestors(byPid, above)] : [pid];
}

/** npm and our set-up script: those above the runner in the group of processes that a shell started together. */
function setUp(byPid: ReadonlyMap<number, Process>, pid: number): readonly Process[] {
  const one = byPid.get(pid);
  const above = one && byPid.get(one.parent);
  return above && above.group === one.group ? [above, ...setUp(byPid, above.pid)] : [];
}

const agentVerbs: Readonly<Record<string, string>> = {
  "run-job": "waiter",
  supervise: "supervisor",
  sampler: "sampler",
};

/** What of ours a command line is. */
export function partOf(argv: readonly string[]): string {
  const [program = "", script = "", verb = ""] = argv;
  const plugin = [program, script].map((path) => basename(path)).find((name) => name.startsWith("pulumi-"));
  return plugin ?? (script.endsWith("/agent/main.js") ? agentVerbs[verb] : undefined) ?? engineOr(basename(program));
}

const engineOr = (name: string): string => (name === "pulumi" ? "engine" : name);
