import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { usageOver, type HostSample } from "../../measure/usage";
import type { JobRecord } from "../job-record";
import { readJson } from "./files";
import { sessionFolder } from "./paths";
import { statOf, ticksPerS } from "./process";
import { sample, workloadsOf } from "./sample";
import type { OtherMoment } from "./other-hosts";
import { placesOf } from "./session";
import { setting } from "./setting";
import type { Supervision } from "./supervision";

/** What this machine said of itself at one moment of a run. */
export interface Moment {
  readonly sample: HostSample;
  readonly own: { readonly toolCpuS: number };
  /** Where the sampler's lines of this run begin. */
  readonly samplerOffset: number;
  /** What the run's other hosts said at that moment. */
  readonly others: readonly OtherMoment[];
}

/** Everything of gatebench on this host: ourselves, the sampler, the waiter and those above it up to the engine and its caller. */
export function harnessOf({ place, folder, order }: Supervision): readonly number[] {
  const waiting = readJson<{ pids: number[] }>(join(folder, "waiter.json"))?.pids ?? [];
  const sampler = readJson<{ pid: number }>(join(sessionFolder(place, order.session), "sampler", "process.json"));
  return [...new Set([...waiting, process.pid, ...(sampler ? [sampler.pid] : [])])];
}

export function observe(
  { place, order }: Supervision,
  harness: readonly number[],
  others: readonly OtherMoment[] = [],
): Moment {
  const toolCpuS = (statOf(process.pid)?.childrenCpuTicks ?? 0) / ticksPerS;
  return {
    sample: sample(workloadsOf(...placesOf(place, order.session)), harness),
    own: { toolCpuS },
    samplerOffset: sizeOf(samplesPath({ place, order })),
    others,
  };
}

/** A moment of a run that did not take place. */
export function moment(): Moment {
  return { sample: sample(new Map(), []), own: { toolCpuS: 0 }, samplerOffset: 0, others: [] };
}

const samplesPath = ({ place, order }: Pick<Supervision, "place" | "order">): string =>
  join(sessionFolder(place, order.session), "samples.jsonl");

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** What the sampler wrote while the tool ran. */
export function samplesBetween({ place, order }: Supervision, started: Moment, stopped: Moment): readonly HostSample[] {
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

/** What this machine did during the run; none where it was too short or too broken to tell. */
export function usage({ order }: Supervision, samples: readonly HostSample[], toolCpuS: number): JobRecord["hosts"] {
  const [first, last] = [samples[0] as HostSample, samples[samples.length - 1] as HostSample];
  const cpus = first.cpus.length;
  const watched = order.watched.filter(({ host }) => host === setting.host);
  const roles = [...new Set(["generator", ...watched.map(({ role }) => role)])];
  const used = usageOver(
    samples,
    { startMs: first.atMs, endMs: last.atMs },
    { name: setting.host, roles, cpus },
    watched,
  );
  const tool = { name: order.job.command[0] ?? "", role: "generator", cpuS: toolCpuS, cores: cpus, memoryBytes: null };
  return used ? [{ ...used, workloads: [...used.workloads, tool] }] : [];
}
