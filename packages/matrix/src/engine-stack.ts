import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LocalWorkspace, type EngineEvent, type PulumiFn, type Stack } from "@pulumi/pulumi/automation";
import { fault, refuse, type Fault } from "@gatebench/core";
import { onPath } from "@gatebench/core/local";

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
export async function openStack(program: PulumiFn, name = stackName): Promise<Stack> {
  refuse(engineFaults());
  mkdirSync(engineFolder(), { recursive: true });
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: name, projectName, program },
    // A folder of its own: without one the engine leaves a temporary folder behind for each program.
    { workDir: engineFolder(), envVars: engineEnvironment() },
  );
  if (deadOwners(engineFolder()).length > 0) await stack.cancel();
  return stack;
}

/** Locks of engines that are gone. A living owner keeps its lock, and the engine says whose it is. */
function deadOwners(folder: string): readonly string[] {
  const locks = join(folder, ".pulumi", "locks");
  if (!existsSync(locks)) return [];
  const files = readdirSync(locks, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  return files.filter(
    (name) => !isEngine((JSON.parse(readFileSync(join(locks, name), "utf8")) as { pid: number }).pid),
  );
}

/** Another program may have the number of a dead engine by now. */
function isEngine(pid: number): boolean {
  const name = `/proc/${pid}/comm`;
  return existsSync(name) && readFileSync(name, "utf8").trim() === "pulumi";
}

/** The part of an event that names a resource which begins. */
export function beginning(event: EngineEvent): string | undefined {
  const metadata = event.resourcePreEvent?.metadata;
  return metadata && ["create", "replace", "create-replacement", "update"].includes(metadata.op)
    ? metadata.urn.split("::").pop()
    : undefined;
}

/** One line of what the engine failed at. */
export function complaint(event: EngineEvent): string | undefined {
  const { severity, message, ephemeral } = event.diagnosticEvent ?? {};
  return severity === "error" && !ephemeral && message ? message.replace(/<\{%[^%]*%\}>/g, "").trim() : undefined;
}
