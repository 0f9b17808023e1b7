import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Artifact, Failure } from "../../contract";
import { substitute } from "../../contract/reference";
import type { JobOrder, JobRecord, ObservatoryOrder, Probed } from "../job-record";
import { countersOf, readCounted, settled } from "./counted-pages";
import { figuresOver, idleScrape } from "./figures";
import { artifact, readJson, writeJson, writeTexts } from "./files";
import { unready } from "./http";
import { isOurs, type Progress } from "./job";
import { masking } from "./mask";
import { harnessOf, moment, observe, samplesBetween, sizeOf, usage, type Moment } from "./observation";
import { lookAtOthers, usageOfOthers, type OtherMoment } from "./other-hosts";
import { endOthersOfSession } from "./process";
import { endStrayLoads } from "./program";
import { programVersion } from "./program-version";
import { keptValues } from "./session";
import type { Supervision } from "./supervision";
import { outcomeOf, prepareTool, type Tool, type ToolEnded } from "./tool";
import { hostValues, mapValues } from "./workload";

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
  await endStrayLoads();
  progress(folder, "cools down");
  await sleep(order.coolDownS * 1000);
  writeJson(join(folder, "record.json"), await carriedOut(supervision));
}

function progress(folder: string, phase: Progress["phase"]): void {
  writeJson(join(folder, "progress.json"), { phase, sinceMs: Date.now() });
}

async function carriedOut(supervision: Supervision): Promise<JobRecord> {
  const [gone] = await unreadyOf(supervision.order);
  if (gone) return notRun(supervision, goneFailure(gone));
  const tool = await prepareTool(supervision);
  try {
    return await carriedOutBy(tool, supervision);
  } finally {
    await tool.discard();
  }
}

const notRun = (supervision: Supervision, failure: Failure): JobRecord =>
  recordOf(supervision, moment(), moment(), { failure }, {});

async function carriedOutBy(tool: Tool, supervision: Supervision): Promise<JobRecord> {
  const { order, folder } = supervision;
  if (order.observatory) await scrapedOnce(folder, order.observatory);
  const before = await readCounted(order);
  const otherHosts = await lookAtOthers(order);
  if (isFailure(otherHosts)) return notRun(supervision, otherHosts);
  // Only a job that runs has its values in clear, until its output is read.
  writeTexts(
    folder,
    mapValues(order.job.files ?? {}, (text) => substitute(text, supervision.values)),
  );
  const harness = harnessOf(supervision);
  const started = observe(supervision, harness, otherHosts);
  progress(folder, "runs");
  const ended = await tool.run();
  const own = observe(supervision, harness);
  const others = await lookAtOthers(order, otherHosts);
  endOthersOfSession();
  progress(folder, "settles");
  const after = await settled(order);
  const outcome = outcomeOf(supervision, ended);
  // What died under the load left figures of a load on nothing; the tool itself may count only a few errors.
  const unanswered = await unreadyOf(order);
  const died = failureAfter(unanswered) ?? (isFailure(others) ? others : undefined);
  const counters = countersOf(supervision, before, after);
  const stopped = { ...withTool(own, ended), others: isFailure(others) ? [] : others };
  const figures = await figuresOver(supervision, { startMs: started.sample.atMs, endMs: stopped.sample.atMs });
  const record = recordOf(supervision, started, stopped, died ? { failure: died } : outcome, counters, figures);
  return {
    ...record,
    ...lostOf(unanswered),
    toolVersion: await programVersion(order.job.versionCommand, { ...order.job, folder }),
  };
}

async function scrapedOnce(folder: string, observatory: ObservatoryOrder): Promise<void> {
  progress(folder, "waits for a scrape");
  await idleScrape(observatory);
}

const isFailure = (others: readonly OtherMoment[] | Failure): others is Failure => "code" in others;

/** A container's CPU is not that of a child of ours. */
const withTool = (stopped: Moment, { cpuS }: ToolEnded): Moment =>
  cpuS === undefined ? stopped : { ...stopped, own: { toolCpuS: stopped.own.toolCpuS + cpuS } };

type Unready = Probed & { readonly reason: string };

async function unreadyOf({ probed }: JobOrder): Promise<readonly Unready[]> {
  const found: Unready[] = [];
  for (const one of probed) {
    const reason = await unready(one);
    if (reason !== undefined) found.push({ ...one, reason });
  }
  return found;
}

/** One of several leaves others that answered: what that did to the load is seen in its errors. All of them leave nothing. */
function failureAfter(gone: readonly Unready[]): Failure | undefined {
  const several = gone.filter(({ oneOf = 1 }) => oneOf > 1);
  const failed = gone.find((one) => several.length === one.oneOf || !several.includes(one));
  return failed && goneFailure(failed);
}

function lostOf(gone: readonly Unready[]): Pick<JobRecord, "lost"> {
  const lost = gone.flatMap(({ name, reason, oneOf = 1 }) => (oneOf > 1 ? [{ name, reason, oneOf }] : []));
  return lost.length > 0 ? { lost } : {};
}

const goneFailure = ({ name, reason }: Unready): Failure => ({
  code: "workload-gone",
  message: `${name} does not answer: ${reason}. It ended after it was started; run destroy and up, or up with --replace for its workload.`,
});

function recordOf(
  supervision: Supervision,
  started: Moment,
  stopped: Moment,
  outcome: JobRecord["outcome"],
  counters: JobRecord["counters"],
  figures?: JobRecord["figures"],
): JobRecord {
  const samples = [started.sample, ...samplesBetween(supervision, started, stopped), stopped.sample];
  writeFileSync(join(supervision.folder, "samples.jsonl"), samples.map((line) => JSON.stringify(line)).join("\n"), {
    mode: 0o600,
  });
  const window = { startMs: started.sample.atMs, endMs: stopped.sample.atMs };
  const otherHosts = usageOfOthers(supervision.order, window, started.others, stopped.others);
  return {
    execution: randomBytes(8).toString("hex"),
    startedAt: new Date(started.sample.atMs).toISOString(),
    endedAt: new Date(stopped.sample.atMs).toISOString(),
    outcome,
    counters,
    ...(figures ? { figures } : {}),
    hosts: [...usage(supervision, samples, stopped.own.toolCpuS - started.own.toolCpuS), ...otherHosts],
    artifacts: artifactsOf(supervision),
    folder: supervision.folder,
  };
}

function artifactsOf({ folder, order }: Supervision): readonly Artifact[] {
  const paths = [
    "stdout",
    "stderr",
    "counters.json",
    "figures.json",
    ...Object.keys(order.job.files ?? {}),
    ...(order.job.collect ?? []),
  ];
  return paths.filter((path) => sizeOf(join(folder, path)) > 0).map((path) => artifact(folder, path));
}
