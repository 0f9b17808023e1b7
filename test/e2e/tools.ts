import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fault, FaultError, unstatedLatency, type GeneratorAdapter, type Load, type LoadResult } from "@gatebench/core";

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
export function curl({ waitS = 0 }: { readonly waitS?: number } = {}): GeneratorAdapter {
  const script = `sleep ${waitS}; exec curl -gsS -w '%{http_code} %{time_total}\\n' "$@"`;
  return {
    name: "curl",
    version: "8.0.0",
    models: ["closed"],
    reports: {
      connections: ["keep-alive"],
      pace: false,
      bodies: false,
      requests: "one",
      spreads: ["uniform"],
      percentiles: [],
      statuses: "codes",
      histogram: false,
      series: false,
      distributed: false,
    },
    plan: (load, { scheme, host, port, requests: [request] }) => {
      const url = `${scheme}://${host}:${port}${request?.path}`;
      const urls = Array.from({ length: connectionsOf(load) }, () => ["-o", "/dev/null", url]).flat();
      const command = ["sh", "-c", script, "sh", ...urls];
      return { kind: "containers", job: { image: "curlimages/curl:8.0.0", command, killAfterS: 20 } };
    },
    parse: ({ stdout }, asked) => parsedCurl(stdout, connectionsOf(asked?.load)),
  };
}

const connectionsOf = (load: Load | undefined): number => (load?.model === "closed" ? load.connections : 0);

function parsedCurl(stdout: string, requests: number): LoadResult {
  const answers = stdout.trim().split("\n");
  const good = answers.filter((line) => line.startsWith("200 ")).length;
  if (good !== requests) throw new FaultError([fault("unparsed-output", `curl answered ${stdout}`)]);
  const durationS = answers.reduce((sum, line) => sum + Number(line.split(" ")[1]), 0);
  return {
    tool: { name: "curl" },
    durationS,
    responses: good,
    statuses: { "200": good },
    errors: {},
    rps: good / durationS,
    attemptsPerS: good / durationS,
    latencyMs: unstatedLatency,
    latencyBasis: {
      includes: { queue: false, connect: true, tls: true },
      population: "all",
      omission: "none",
      resolutionMs: 1,
      samples: good,
    },
    caveats: [],
  };
}

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
