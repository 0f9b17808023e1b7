import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalWorkspace, type EngineEvent } from "@pulumi/pulumi/automation";
import type { Rig } from "./rig";

/** A program of its own folder beside the tests, run as people run theirs: by the engine, in a process of its own. */
export async function openProgram(
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<Omit<Rig, "up"> & { up(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "gatebench-program-"));
  const [backend, workDir] = [mkdtempSync(join(folder, "backend-")), join(folder, name)];
  cpSync(join(__dirname, name), workDir, { recursive: true });
  symlinkSync(join(__dirname, "..", "..", "node_modules"), join(workDir, "node_modules"));
  const envVars = {
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...env,
  };
  const stack = await LocalWorkspace.createOrSelectStack({ stackName: "test", workDir }, { envVars });
  const output: string[] = [];
  const events: EngineEvent[] = [];
  const listen = {
    onOutput: (text: string) => void output.push(text),
    onEvent: (event: EngineEvent) => void events.push(event),
  };
  return {
    ...{ stack, backend, output, events },
    // So that every command that can fail does, whichever fails first.
    up: async () => void (await stack.up({ ...listen, continueOnError: true })),
    destroy: async () => {
      await stack.destroy(listen);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
