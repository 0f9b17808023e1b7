import { join } from "node:path";
import type { RequestSpec, SetupRequest, Workload } from "../../contract";
import { secondsOf } from "../../contract/duration";
import { referencesIn, substitute, type Values } from "../../contract/reference";
import { makeWorkFolder, readJson, remove, writeJson, writeTexts } from "./files";
import { ask, awaitReady } from "./http";
import { masking } from "./mask";
import { programVersion } from "./program-version";
import { workloadFolder } from "./paths";
import { refuseTakenPorts } from "./port-owner";
import { isAlive, refuseOrphan, type ProcessId } from "./process";
import { endBelow, lastWords, startProgram, type Program } from "./program";
import { loopback, setting } from "./setting";

export interface WorkloadOrder {
  readonly place: string;
  readonly name: string;
  readonly workload: Workload;
  readonly identity: string;
  readonly values: Values;
}

/** Starts a workload, or leaves it alone where it runs already; answers when it is ready. */
export async function startWorkload(order: WorkloadOrder): Promise<WorkloadRecord> {
  const folder = workloadFolder(order.place, order.name);
  if (!runs(folder, order.identity)) await restart(folder, order);
  return recordIn(folder) as WorkloadRecord;
}

/** What a started workload is, and which version of it really runs. */
export interface WorkloadRecord {
  readonly identity: string;
  readonly version?: string;
}

const recordIn = (folder: string): WorkloadRecord | undefined =>
  readJson<WorkloadRecord>(join(folder, "identity.json"));

export async function stopWorkload(place: string, name: string): Promise<void> {
  const folder = workloadFolder(place, name);
  await endBelow(folder);
  remove(folder);
}

function runs(folder: string, identity: string): boolean {
  const running = readJson<ProcessId>(join(folder, "process.json"));
  return running !== undefined && isAlive(running) && recordIn(folder)?.identity === identity;
}

async function restart(folder: string, order: WorkloadOrder): Promise<void> {
  await stopWorkload(order.place, order.name);
  refuseTakenPorts(order.workload);
  refuseOrphan("nothing is started for it");
  makeWorkFolder(folder);
  const program = programOf(folder, order);
  const started = await startProgram(program);
  await settle(folder, order, started, masking(order.values));
  const version = await programVersion(order.workload.versionCommand, program);
  writeJson(join(folder, "identity.json"), { identity: order.identity, version } satisfies WorkloadRecord);
}

/** The workload with every value in its place, its files written. */
function programOf(folder: string, { workload, values: given }: WorkloadOrder): Program {
  const values = { ...given, ...hostValues(folder, workload) };
  const filled = (text: string) => substitute(text, values);
  const { image, dockerfile, openFiles, cpuset, limits, hostEntries } = workload;
  writeTexts(folder, mapValues(workload.files ?? {}, filled));
  return {
    ...{ image, dockerfile, openFiles, cpuset, limits, folder },
    command: workload.command.map(filled),
    env: mapValues(workload.env ?? {}, filled),
    hostEntries: mapValues(hostEntries ?? {}, filled),
  };
}

/** Ready, or ended with its last words. */
async function settle(
  folder: string,
  { workload, place, name }: WorkloadOrder,
  started: ProcessId,
  mask: (text: string) => string,
): Promise<void> {
  if (workload.readiness === undefined) return;
  const within = secondsOf(workload.readiness.within ?? "15s");
  const reason = await awaitReady({ ...workload.readiness, name, host: loopback }, within, () => !isAlive(started));
  if (reason === undefined) return;
  const how = isAlive(started) ? `did not answer within ${within} s` : "ended before it answered";
  const words = lastLines(mask(await lastWords(folder)));
  await stopWorkload(place, name);
  throw new Error(`not-ready: ${name} ${how}: ${mask(reason)}. It said: ${words || "nothing"}`);
}

/** What this machine knows itself: where a workload's files lie, what it listens on, and that its siblings are here too. */
export function hostValues(
  folder: string,
  { command, env, files }: Pick<Workload, "command" | "env" | "files">,
  bind = setting.bind,
): Values {
  const texts = [...command, ...Object.values(env ?? {}), ...Object.values(files ?? {})];
  const names = texts.flatMap(referencesIn);
  const known = names.flatMap((name): [string, string][] => {
    if (name.startsWith("file.")) return [[name, join(folder, name.slice("file.".length))]];
    if (name.startsWith("address.")) return [[name, loopback]];
    if (name === "folder") return [[name, folder]];
    return name === "bind" ? [[name, bind]] : [];
  });
  return Object.fromEntries(known);
}

export function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** Of a text that is masked already: half a secret is not recognized as one. */
export function lastLines(text: string, count = 5): string {
  return text.trim().split("\n").slice(-count).join(" | ").slice(-1000);
}

/** `host`: where it does not stand on this very address. */
export interface SetupOrder extends SetupRequest {
  readonly host?: string;
}

/** Requests that set a started gateway up, in order; each must be answered with its status. */
export async function setUp(requests: readonly SetupOrder[], values: Values): Promise<void> {
  for (const { host = loopback, port, expect, scheme = "http", ...spec } of requests) {
    const filled = JSON.parse(substitute(JSON.stringify(spec), mapValues(values, escaped))) as RequestSpec;
    const { status, body } = await ask(scheme, host, port, filled);
    if (status !== expect)
      throw new Error(
        `job-failed: ${spec.method} ${spec.path} answered ${status} instead of ${expect}: ${lastLines(masking(values)(body))}`,
      );
  }
}

const escaped = (value: string): string => JSON.stringify(value).slice(1, -1);
