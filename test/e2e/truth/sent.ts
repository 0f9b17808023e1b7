import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type {
  Failure,
  GeneratorAdapter,
  HostUsage,
  JobOutput,
  Load,
  LoadResult,
  RequestSpec,
  Target,
} from "@gatebench/core";

/** The compiled agent, as the engine's commands start it on this machine. */
const agent = join(
  dirname(createRequire(__filename).resolve("@gatebench/core/package.json")),
  "dist/hosts/agent/main.js",
);

/** What the agent says of a job. */
export interface JobRecord {
  readonly outcome: { readonly output: JobOutput } | { readonly failure: Failure };
  readonly hosts: readonly HostUsage[];
}

/** What one load left, and what was read from it. */
export interface Sent {
  readonly record: JobRecord;
  readonly result: LoadResult;
}

const get: RequestSpec = { method: "GET", path: "/", headers: {}, expect: 200 };
let orders = 0;

/**
 * Sends one load as a host of ours does, without an engine: the agent carries the adapter's plan out as a job, and the
 * adapter reads what it left.
 */
export async function send(generator: GeneratorAdapter, load: Load, to: Partial<Target>): Promise<Sent> {
  const target: Target = { scheme: "http", host: "127.0.0.1", port: 80, requests: [get], cpus: 1, ...to };
  const record = await carriedOut(generator, load, target);
  const result = generator.parse(outputOf(record), { load });
  return { record, result };
}

/** The same, of a load whose output may say nothing. */
export async function carriedOut(generator: GeneratorAdapter, load: Load, target: Target): Promise<JobRecord> {
  const plan = generator.plan(load, target);
  if (plan.kind !== "containers") throw new Error(`${generator.name} is not a process`);
  const [place, session] = [`truth-${process.pid}`, `session-${++orders}`];
  const nothing = {
    probed: [],
    counted: { gateway: [], upstream: [] },
    watched: [],
    observed: [],
    coolDownS: 0,
    vault: "none",
  };
  const state = mkdtempSync(join(tmpdir(), "gatebench-truth-"));
  const order = { id: "1", session, label: generator.name, job: plan.job, ...nothing };
  try {
    await ask(state, "open-session", { place, name: session });
    return unpacked(await ask(state, "run-job", { place, order }));
  } finally {
    await ask(state, "close-place", { place });
    rmSync(state, { recursive: true, force: true });
  }
}

const unpacked = (text: string) => JSON.parse(gunzipSync(Buffer.from(text, "base64")).toString("utf8")) as JobRecord;

export function outputOf({ outcome }: JobRecord): JobOutput {
  if ("failure" in outcome) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
  return outcome.output;
}

async function ask(state: string, verb: string, input: unknown): Promise<string> {
  const child = spawn(process.execPath, [agent, verb], { env: { ...process.env, XDG_STATE_HOME: state } });
  child.stdin.end(JSON.stringify(input));
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name].on("data", (text: Buffer) => (said[name] += text));
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`${verb}: ${said.stderr}`);
  return said.stdout;
}
