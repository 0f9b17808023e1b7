import { closeSync, writeSync } from "node:fs";
import type { Readable } from "node:stream";
import { docker, DockerError, dockerStream } from "./docker-api";
import { openOutput } from "./files";
import { provideImage } from "./image";
import { folderLabel, placeLabel } from "./labels";
import { fileLimits } from "./launch";
import { placeOf } from "./paths";
import { identify, type ProcessId } from "./process";
import type { Ended, Outputs, Prepared, Program, Runtime, Started } from "./program";

/** The last 20 MB of what a workload says; a job's output goes to its files. */
const boundedLog = { Type: "json-file", Config: { "max-size": "10m", "max-file": "2" } };
const noLog = { Type: "none" };

/** Programs in containers of this machine's Docker: on its own network, their folder under the same path. */
export const containers: Runtime = { prepare, start, endIn, wordsOf };

async function start(of: Program): Promise<ProcessId> {
  const id = await create(of, boundedLog);
  await docker("POST", `/containers/${id}/start`);
  return processOf(id);
}

/** A container that is made and not started; its output goes straight into files once it is. */
async function prepare(of: Program, outputs: Outputs): Promise<Prepared> {
  const id = await create(of, noLog);
  return {
    run: (killAfterS, started) => run(id, outputs, killAfterS, started),
    discard: () => remove(id),
  };
}

async function run(id: string, outputs: Outputs, killAfterS: number, started: Started): Promise<Ended> {
  const query = { stream: "1", stdout: "1", stderr: "1" };
  const output = written(await dockerStream("POST", `/containers/${id}/attach`, { query }), outputs);
  let timedOut = false;
  const kill = () => void docker("POST", `/containers/${id}/kill`).then(() => (timedOut = true), ignored);
  const timer = setTimeout(kill, killAfterS * 1000);
  try {
    const ended = docker<{ StatusCode: number }>("POST", `/containers/${id}/wait`, {
      query: { condition: "next-exit" },
    });
    await docker("POST", `/containers/${id}/start`);
    started(await processOf(id));
    const [{ StatusCode }] = await Promise.all([ended, output]);
    return { exitCode: StatusCode > 128 ? null : StatusCode, timedOut };
  } finally {
    clearTimeout(timer);
  }
}

async function create(of: Program, log: object): Promise<string> {
  await provideImage(of);
  const [entry, ...argv] = of.command;
  const body = {
    Image: of.image,
    Entrypoint: [entry],
    Cmd: argv,
    Env: Object.entries(of.env).map(([name, value]) => `${name}=${value}`),
    WorkingDir: of.folder,
    Labels: { [folderLabel]: of.folder, [placeLabel]: placeOf(of.folder) },
    HostConfig: {
      NetworkMode: "host",
      Binds: [`${of.folder}:${of.folder}`],
      LogConfig: log,
      ...limitsOf(of),
    },
  };
  return (await docker<{ Id: string }>("POST", "/containers/create", { body })).Id;
}

function limitsOf({ openFiles, cpuset, limits, hostEntries }: Program): object {
  const files = openFiles === undefined ? [] : [Math.min(openFiles, fileLimits().hard)];
  return {
    Ulimits: files.map((count) => ({ Name: "nofile", Soft: count, Hard: count })),
    ...(cpuset === undefined ? {} : { CpusetCpus: cpuset }),
    ...(limits?.cpu === undefined ? {} : { NanoCpus: Math.round(limits.cpu * 1e9) }),
    ...(limits?.memory === undefined ? {} : { Memory: bytesOf(limits.memory) }),
    ExtraHosts: Object.entries(hostEntries ?? {}).map(([name, address]) => `${name}:${address}`),
  };
}

const units: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
};

/** "512Mi", "1G": as Kubernetes writes them. */
function bytesOf(memory: string): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)(k|M|G|Ki|Mi|Gi)?$/.exec(memory) ?? [];
  if (number === "") throw new Error(`invalid-option: memory "${memory}" is none; write 512Mi or 1G.`);
  return Math.round(Number(number) * (units[unit] as number));
}

async function processOf(id: string): Promise<ProcessId> {
  const { State } = await docker<{ State: { Pid: number } }>("GET", `/containers/${id}/json`);
  return identify(State.Pid);
}

async function written(stream: Readable, { stdout, stderr }: Outputs): Promise<void> {
  const files: Readonly<Record<number, number>> = { 1: openOutput(stdout), 2: openOutput(stderr) };
  try {
    for await (const { output, text } of partsOf(stream))
      if (files[output] !== undefined) writeSync(files[output], text);
  } finally {
    for (const file of Object.values(files)) closeSync(file);
  }
}

interface Part {
  /** 1: standard output, 2: standard error. */
  readonly output: number;
  readonly text: Buffer;
}

/** Docker sends both outputs in one stream: a byte that says which, three zeros, the length, then the text. */
async function* partsOf(stream: Readable): AsyncGenerator<Part> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    while (rest.length >= 8 && rest.length >= 8 + rest.readUInt32BE(4)) {
      const end = 8 + rest.readUInt32BE(4);
      yield { output: rest[0] as number, text: rest.subarray(8, end) };
      rest = rest.subarray(end);
    }
  }
}

interface Listed {
  readonly Id: string;
  readonly Labels: Readonly<Record<string, string>>;
}

/** Ends and removes every container that works in such a folder, on record or not. */
async function endIn(belongs: (folder: string) => boolean): Promise<void> {
  const filters = JSON.stringify({ label: [folderLabel] });
  const all = await docker<readonly Listed[]>("GET", "/containers/json", { query: { all: "true", filters } });
  const chosen = all.filter(({ Labels }) => belongs(Labels[folderLabel] ?? ""));
  await Promise.all(chosen.map(({ Id }) => end(Id)));
}

async function end(id: string): Promise<void> {
  await docker("POST", `/containers/${id}/stop`, { query: { t: "2" } }).catch(ignored);
  await remove(id);
}

async function remove(id: string): Promise<void> {
  await docker("DELETE", `/containers/${id}`, { query: { force: "true", v: "true" } }).catch(goneIsWell);
}

function goneIsWell(error: unknown): void {
  // 409: somebody else is removing it.
  if (!(error instanceof DockerError && [404, 409].includes(error.status))) throw error;
}

const ignored = (): void => undefined;

/** The last lines a running or ended container of this folder said. */
async function wordsOf(folder: string): Promise<string> {
  const filters = JSON.stringify({ label: [`${folderLabel}=${folder}`] });
  const [found] = await docker<readonly Listed[]>("GET", "/containers/json", { query: { all: "true", filters } });
  if (!found) return "";
  const query = { stdout: "1", stderr: "1", tail: "20" };
  let words = "";
  for await (const { text } of partsOf(await dockerStream("GET", `/containers/${found.Id}/logs`, { query })))
    words += text.toString("utf8");
  return words;
}
