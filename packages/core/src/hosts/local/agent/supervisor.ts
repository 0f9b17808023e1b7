import { randomBytes } from "node:crypto";
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Artifact, Counters, Failure, JobOutput, Values } from "../../../contract";
import { substitute } from "../../../contract/reference";
import { addCounters, countersBetween } from "../../../measure/counters";
import { usageOver, type HostSample } from "../../../measure/usage";
import type { CountedPages, JobOrder, JobRecord } from "../../job-record";
import { artifact, readJson, writeJson, writeTexts } from "./files";
import { readPage, unready } from "./http";
import { isOurs, type Progress } from "./job";
import { onCpus, plainEnvironment } from "./launch";
import { programVersion } from "./program-version";
import { masking } from "./mask";
import { sessionFolder } from "./paths";
import { endOthersOfSession, readText, statOf, ticksPerS } from "./process";
import { sample, workloadsOf } from "./sample";
import { keptValues } from "./session";
import { hostValues, lastLines, mapValues } from "./workload";

/** Output beyond this stays on the host as an artifact; what `parse` needs is far smaller. */
const outputLimit = 4 * 1024 * 1024;
/** A gateway finishes what was in flight when the generator stopped; counters are read when they stand still. */
const settleTries = 20;
const settleMs = 10;

/** Everything one job needs while it is carried out. */
interface Supervision {
  readonly place: string;
  readonly folder: string;
  readonly order: JobOrder;
  readonly values: Values;
  readonly mask: (text: string) => string;
}

/** Carries out the order in a folder and leaves its record there. Runs under the load lock. */
export async function supervise(place: string, folder: string): Promise<void> {
  if (!(await isOurs(folder))) return;
  const order = readJson<JobOrder>(join(folder, "order.json")) as JobOrder;
  const secrets = keptValues(place, order.session, order.vault);
  const values = {
    ...secrets,
    ...hostValues(folder, { command: order.job.command, env: order.job.env ?? {}, files: order.job.files ?? {} }),
  };
  const supervision: Supervision = { place, folder, order, values, mask: masking(secrets) };
  progress(folder, "cools down");
  await sleep(order.coolDownS * 1000);
  writeJson(join(folder, "record.json"), await carriedOut(supervision));
}

function progress(folder: string, phase: Progress["phase"]): void {
  writeJson(join(folder, "progress.json"), { phase, sinceMs: Date.now() });
}

async function carriedOut(supervision: Supervision): Promise<JobRecord> {
  const gone = await firstUnready(supervision.order);
  if (gone) return recordOf(supervision, moment(), moment(), { failure: gone }, {});
  writeTexts(
    supervision.folder,
    mapValues(supervision.order.job.files ?? {}, (text) => substitute(text, supervision.values)),
  );
  const before = await readCounted(supervision.order);
  const harness = harnessOf(supervision);
  const started = observe(supervision, harness);
  progress(supervision.folder, "runs");
  const ended = await runTool(supervision);
  const stopped = observe(supervision, harness);
  endOthersOfSession();
  progress(supervision.folder, "settles");
  const after = await settled(supervision.order);
  const outcome = outcomeOf(supervision, ended);
  // What died under the load left figures of a load on nothing; the tool itself may count only a few errors.
  const died = await firstUnready(supervision.order);
  const counters = countersOf(supervision, before, after);
  const record = recordOf(supervision, started, stopped, died ? { failure: died } : outcome, counters);
  return { ...record, toolVersion: programVersion(supervision.order.job.versionCommand) };
}

async function firstUnready({ probed }: JobOrder): Promise<Failure | undefined> {
  for (const one of probed) {
    const reason = await unready(one);
    if (reason !== undefined)
      return {
        code: "workload-gone",
        message: `${one.name} does not answer: ${reason}. It ended after it was started; run destroy and up, or up with --replace for its workload.`,
      };
  }
  return undefined;
}

interface Moment {
  readonly sample: HostSample;
  readonly own: { readonly toolCpuS: number };
  /** Where the sampler's lines of this run begin. */
  readonly samplerOffset: number;
}

/** Everything of gatebench on this host: ourselves, the sampler, the waiter and those above it up to the engine and its caller. */
function harnessOf({ place, folder, order }: Supervision): readonly number[] {
  const waiting = readJson<{ pids: number[] }>(join(folder, "waiter.json"))?.pids ?? [];
  const sampler = readJson<{ pid: number }>(join(sessionFolder(place, order.session), "sampler", "process.json"));
  return [...new Set([...waiting, process.pid, ...(sampler ? [sampler.pid] : [])])];
}

function observe({ place, order }: Supervision, harness: readonly number[]): Moment {
  const toolCpuS = (statOf(process.pid)?.childrenCpuTicks ?? 0) / ticksPerS;
  return {
    sample: sample(workloadsOf(place), harness),
    own: { toolCpuS },
    samplerOffset: sizeOf(samplesPath({ place, order })),
  };
}

function moment(): Moment {
  return { sample: sample(new Map(), []), own: { toolCpuS: 0 }, samplerOffset: 0 };
}

const samplesPath = ({ place, order }: Pick<Supervision, "place" | "order">): string =>
  join(sessionFolder(place, order.session), "samples.jsonl");

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

interface Ended {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly error?: string;
}

/** The tool itself: its own argv and CPU set, a plain environment, output straight into files. */
function runTool({ folder, order: { job }, values }: Supervision): Promise<Ended> {
  const [program, ...argv] = onCpus(job.cpuset, job.command).map((word) => substitute(word, values)) as [
    string,
    ...string[],
  ];
  const env = { ...plainEnvironment(), ...mapValues(job.env ?? {}, (text) => substitute(text, values)) };
  const [stdout, stderr] = ["stdout", "stderr"].map((name) => openSync(join(folder, name), "w", 0o600)) as [
    number,
    number,
  ];
  const child = spawn(program, argv, { cwd: folder, env, stdio: ["ignore", stdout, stderr] });
  closeSync(stdout);
  closeSync(stderr);
  return new Promise((resolve) => {
    let timedOut = false;
    const timer = setTimeout(() => (timedOut = child.kill("SIGKILL")), job.killAfterS * 1000);
    child.once("error", (error) => resolve({ exitCode: null, timedOut, error: error.message }));
    child.once("exit", (exitCode) => resolve({ exitCode, timedOut }));
    child.once("close", () => clearTimeout(timer));
  });
}

function outcomeOf(supervision: Supervision, { exitCode, timedOut, error }: Ended): JobRecord["outcome"] {
  const output = maskedOutput(supervision, exitCode);
  const program = supervision.order.job.command[0] ?? "";
  if (error !== undefined)
    return { failure: { code: "job-failed", message: `${program} could not be started: ${supervision.mask(error)}` } };
  if (timedOut)
    return {
      failure: {
        code: "timed-out",
        message: `${program} was killed after ${supervision.order.job.killAfterS} s`,
        excerpt: lastLines(output.stderr || output.stdout),
      },
    };
  return { output };
}

/** The output with every secret masked, in the record and in the files that stay behind. */
function maskedOutput({ folder, order, mask }: Supervision, exitCode: number | null): JobOutput {
  const masked = (path: string): string => {
    const text = mask(readText(join(folder, path)) ?? "").slice(0, outputLimit);
    writeFileSync(join(folder, path), text, { mode: 0o600 });
    return text;
  };
  const files = Object.fromEntries((order.job.collect ?? []).map((path) => [path, masked(path)]));
  const output = { stdout: masked("stdout"), stderr: masked("stderr"), files, exitCode };
  writeTexts(folder, order.job.files ?? {}); // back to reference form: nothing in clear stays beside the result
  return output;
}

type Pages = readonly (readonly string[])[];

async function readCounted({ counted }: JobOrder): Promise<{ readonly gateway: Pages; readonly upstream: Pages }> {
  return { gateway: await pagesOf(counted.gateway), upstream: await pagesOf(counted.upstream) };
}

async function pagesOf(counted: readonly CountedPages[]): Promise<Pages> {
  const read: string[][] = [];
  for (const { host, pages } of counted) {
    const texts: string[] = [];
    for (const { port, path } of pages) texts.push(await readPage(host, port, path).catch(() => ""));
    read.push(texts);
  }
  return read;
}

/** Every reading, and the last that equals the one before it but for what reading adds. */
async function settled(
  order: JobOrder,
): Promise<{ readonly pages: Awaited<ReturnType<typeof readCounted>>; readonly readings: number }> {
  let last = await readCounted(order);
  for (let readings = 1; readings < settleTries; readings++) {
    const next = await readCounted(order);
    if (stoodStill(order, last, next)) return { pages: next, readings: readings + 1 };
    last = next;
    await sleep(settleMs);
  }
  return { pages: last, readings: settleTries };
}

type Reading = Awaited<ReturnType<typeof readCounted>>;

function stoodStill({ counted }: JobOrder, before: Reading, after: Reading): boolean {
  const still = (which: "gateway" | "upstream") =>
    (sumOf(counted[which], before[which], after[which], 1)?.requests ?? 0) === 0;
  return still("gateway") && still("upstream");
}

/** Counters of all pages of all instances, added up. Readings in between have added to them too. */
function sumOf(counted: readonly CountedPages[], before: Pages, after: Pages, readings: number): Counters | undefined {
  const each = counted.map(({ pages }, index) =>
    countersBetween(pages, before[index] ?? [], after[index] ?? [], readings),
  );
  return each.length === 0 ? undefined : addCounters(each);
}

function countersOf(
  { folder, order, mask }: Supervision,
  before: Reading,
  after: { readonly pages: Reading; readonly readings: number },
): JobRecord["counters"] {
  writeFileSync(
    join(folder, "counters.json"),
    // A gateway may print its configuration on the page that counts.
    mask(JSON.stringify({ before, after: after.pages, readings: after.readings }, null, 1)),
    { mode: 0o600 },
  );
  const gateway = sumOf(order.counted.gateway, before.gateway, after.pages.gateway, after.readings);
  const upstream = sumOf(order.counted.upstream, before.upstream, after.pages.upstream, after.readings);
  return { ...(gateway ? { gateway } : {}), ...(upstream ? { upstream } : {}) };
}

function recordOf(
  supervision: Supervision,
  started: Moment,
  stopped: Moment,
  outcome: JobRecord["outcome"],
  counters: JobRecord["counters"],
): JobRecord {
  const samples = [started.sample, ...samplesBetween(supervision, started, stopped), stopped.sample];
  writeFileSync(join(supervision.folder, "samples.jsonl"), samples.map((line) => JSON.stringify(line)).join("\n"), {
    mode: 0o600,
  });
  return {
    execution: randomBytes(8).toString("hex"),
    startedAt: new Date(started.sample.atMs).toISOString(),
    endedAt: new Date(stopped.sample.atMs).toISOString(),
    outcome,
    counters,
    hosts: usage(supervision, samples, stopped.own.toolCpuS - started.own.toolCpuS),
    artifacts: artifactsOf(supervision),
    folder: supervision.folder,
  };
}

function samplesBetween({ place, order }: Supervision, started: Moment, stopped: Moment): readonly HostSample[] {
  const text = readFileRange(samplesPath({ place, order }), started.samplerOffset);
  const lines = text.split("\n").filter((line) => line.endsWith("}"));
  const inside = lines
    .map((line) => JSON.parse(line) as HostSample)
    .filter(({ atMs }) => atMs > started.sample.atMs && atMs < stopped.sample.atMs);
  return inside.map((line) => ({ ...line, harnessCpuS: started.sample.harnessCpuS }));
}

function readFileRange(path: string, offset: number): string {
  return sizeOf(path) > offset ? readFileSync(path).subarray(offset).toString("utf8") : "";
}

/** None where the run was too short or too broken to tell. */
function usage({ order }: Supervision, samples: readonly HostSample[], toolCpuS: number): JobRecord["hosts"] {
  const [first, last] = [samples[0] as HostSample, samples[samples.length - 1] as HostSample];
  const cpus = first.cpus.length;
  const roles = [...new Set(["generator", ...order.watched.map(({ role }) => role)])];
  const used = usageOver(
    samples,
    { startMs: first.atMs, endMs: last.atMs },
    { name: "local", roles, cpus },
    order.watched,
  );
  const tool = { name: order.job.command[0] ?? "", role: "generator", cpuS: toolCpuS, cores: cpus, memoryBytes: 0 };
  return used ? [{ ...used, workloads: [...used.workloads, tool] }] : [];
}

function artifactsOf({ folder, order }: Supervision): readonly Artifact[] {
  const paths = [
    "stdout",
    "stderr",
    "counters.json",
    ...Object.keys(order.job.files ?? {}),
    ...(order.job.collect ?? []),
  ];
  return paths.filter((path) => sizeOf(join(folder, path)) > 0).map((path) => artifact(folder, path));
}
