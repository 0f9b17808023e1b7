import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LocalWorkspace, type EngineEvent, type PulumiFn, type Stack, type UpOptions } from "@pulumi/pulumi/automation";
import { fault, refuse, type Fault } from "@gatebench/core";
import { identify, isAlive, onPath } from "@gatebench/core/local";

export const projectName = "gatebench-bench";
export const stackName = "bench";
export const fidelityStackName = "fidelity";

/** Everything the engine keeps for this checkout. */
export const engineFolder = (): string => join(process.cwd(), ".gatebench", "engine");

/** The engine's own settings: state in this checkout, no account, no questions. */
export function engineEnvironment(): Record<string, string> {
  return {
    PULUMI_BACKEND_URL: `file://${engineFolder()}`,
    PULUMI_CONFIG_PASSPHRASE: process.env.PULUMI_CONFIG_PASSPHRASE ?? "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // A copy of the whole state after every run costs more than the run's own bookkeeping.
    PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
  };
}

/** Why the engine cannot be started. */
export function engineFaults(): readonly Fault[] {
  if (onPath("pulumi")) return [];
  return [
    fault(
      "missing-engine",
      `the Pulumi engine is not on PATH. Run "npm run bench", which brings it, or install Pulumi 3.220 or later.`,
    ),
  ];
}

/** A stack of this checkout; a lock whose owner is dead is taken away first. */
export async function openStack(program: PulumiFn, name = stackName, project = projectName): Promise<Stack> {
  refuse(engineFaults());
  // A folder of its own: without one the engine leaves a temporary folder behind for each program.
  const workDir = project === projectName ? engineFolder() : join(engineFolder(), project, name);
  mkdirSync(workDir, { recursive: true });
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: name, projectName: project, program },
    { workDir, envVars: engineEnvironment() },
  );
  await clearLocks(stack);
  return stack;
}

/**
 * Takes away locks of engines that are gone. We hold the checkout, so an engine of a gatebench command that still runs has
 * lost its command, and is asked to end first. One that a person started keeps its lock, and the engine says whose it is.
 */
async function clearLocks(stack: Stack): Promise<void> {
  const owners = lockOwners();
  for (const pid of owners.filter(isOrphan)) await endEngine(pid);
  if (owners.some((pid) => !isEngine(pid))) await stack.cancel();
}

function lockOwners(): readonly number[] {
  const locks = join(engineFolder(), ".pulumi", "locks");
  if (!existsSync(locks)) return [];
  const files = readdirSync(locks, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  return files.map((name) => (JSON.parse(readFileSync(join(locks, name), "utf8")) as { pid: number }).pid);
}

/** Another program may have the number of a dead engine by now. */
function isEngine(pid: number): boolean {
  return isAlive(identify(pid)) && saidOf(pid, "comm").trim() === "pulumi";
}

/** The library that drives an engine for a program says so in the engine's environment. */
function isOrphan(pid: number): boolean {
  return isEngine(pid) && saidOf(pid, "environ").includes("PULUMI_AUTOMATION_API=true");
}

/** Empty where it has just ended. */
function saidOf(pid: number, what: "comm" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, "utf8");
  } catch {
    return "";
  }
}

/** Asked to end it leaves a whole state behind; a load it waits for goes on without it. */
async function endEngine(pid: number): Promise<void> {
  const insistAt = Date.now() + 10_000;
  process.kill(pid, "SIGINT");
  while (isEngine(pid)) {
    if (Date.now() > insistAt) process.kill(pid, "SIGKILL");
    await sleep(50);
  }
}

/** What somebody is to type where not everything could be taken down. */
export const destroyCommand = "npm run -s gatebench -- destroy";

/** What the engine failed at. */
export interface EngineProblem {
  readonly complaints: readonly Complaint[];
  /** Each complaint once; else what the engine said of itself. */
  readonly text: string;
  readonly cause: Error;
}

export interface Complaint {
  readonly text: string;
  /** Of the resource it is about; empty where it is about none. */
  readonly urn: string;
}

/** Brings a stack up; undefined: everything was carried out. `begins` is told of each resource that does. */
export async function tryUp(
  stack: Stack,
  options: Pick<UpOptions, "program" | "signal">,
  begins: (name: string) => void = () => undefined,
): Promise<EngineProblem | undefined> {
  const complaints: Complaint[] = [];
  const onEvent = (event: EngineEvent) => {
    const [name, said] = [beginning(event), complaint(event)];
    if (name) begins(name);
    if (said) complaints.push({ text: said, urn: event.diagnosticEvent?.urn ?? "" });
  };
  try {
    await stack.up({ ...options, onEvent });
    return undefined;
  } catch (error) {
    const cause = error as Error;
    const texts = new Set(complaints.map(({ text }) => text));
    return { complaints, text: [...texts].join("\n") || cause.message, cause };
  }
}

/** Takes everything of a stack down, or says in one line why not. */
export async function tryDestroy(stack: Stack): Promise<string | undefined> {
  return stack.destroy().then(
    () => undefined,
    ({ message }: Error) => message.split("\n")[0],
  );
}

/** The part of an event that names a resource which begins. */
function beginning(event: EngineEvent): string | undefined {
  const metadata = event.resourcePreEvent?.metadata;
  return metadata && ["create", "replace", "create-replacement", "update"].includes(metadata.op)
    ? metadata.urn.split("::").pop()
    : undefined;
}

/** One line of what the engine failed at. */
function complaint(event: EngineEvent): string | undefined {
  const { severity, message, ephemeral } = event.diagnosticEvent ?? {};
  return severity === "error" && !ephemeral && message ? message.replace(/<\{%[^%]*%\}>/g, "").trim() : undefined;
}
