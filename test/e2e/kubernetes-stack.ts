import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Deployment, type EngineEvent, LocalWorkspace, type OutputMap } from "@pulumi/pulumi/automation";
import { openCluster } from "./cluster";

const plugins = join(__dirname, "..", "cluster", "bin");

/** A cluster of test/cluster for one test file: real Kubernetes, and the stand-ins of the plug-ins that speak to it. */
export interface StackCluster {
  readonly state: string;
  readonly kubeconfig: string;
  /** For a stack on the cluster. */
  readonly env: Readonly<Record<string, string>>;
  kubectl(...args: readonly string[]): Promise<string>;
  destroy(): Promise<void>;
}

/** @param nodes  As `--nodes` of test/cluster/cluster.mjs takes them. @param images  What a registry would hold. */
export async function openStackCluster(nodes: string, images: readonly string[] = []): Promise<StackCluster> {
  const { state, command, kubectl } = openCluster();
  const { kubeconfig } = JSON.parse(await command("up", "--nodes", nodes, "--images", images.join(" "))) as {
    readonly kubeconfig: string;
  };
  return {
    ...{ state, kubeconfig },
    env: { GATEBENCH_CLUSTER_STATE: state, PATH: `${plugins}:${process.env.PATH}` },
    kubectl: (...args) => kubectl(args),
    destroy: async () => {
      await command("down");
      rmSync(state, { recursive: true, force: true });
    },
  };
}

/** What one command of the engine did. */
export interface Act {
  readonly error?: Error;
  /** All it printed: what its events say to people. */
  readonly said: string;
  /** By the resource's name: create, update, same, create-replacement, … */
  readonly operations: Readonly<Record<string, readonly string[]>>;
  readonly outputs: OutputMap;
  readonly seconds: number;
}

export type Program = () => Promise<Record<string, unknown> | void> | Record<string, unknown> | void;

/** A stack whose program is given anew with each command. */
export interface TestStack {
  preview(program: Program): Promise<Act>;
  up(program: Program): Promise<Act>;
  refresh(): Promise<Act>;
  destroy(): Promise<Act>;
  /** Destroys it, and forgets its state. */
  close(): Promise<void>;
  /** What `pulumi stack export` says. */
  state(): Promise<Deployment["deployment"]>;
}

export async function openStack(name: string, env: Readonly<Record<string, string>>): Promise<TestStack> {
  const backend = mkdtempSync(join(tmpdir(), "gatebench-backend-"));
  let current: Program = () => {};
  const envVars = { PULUMI_BACKEND_URL: `file://${backend}`, PULUMI_CONFIG_PASSPHRASE: "", ...env };
  const program = async () => (await current()) ?? {};
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: name, projectName: "kubernetes", program },
    { envVars },
  );
  const act = async (kind: "preview" | "up" | "refresh" | "destroy", next: Program = current): Promise<Act> => {
    current = next;
    const events: EngineEvent[] = [];
    const started = Date.now();
    const error = await stack[kind]({ onEvent: (event: EngineEvent) => void events.push(event) }).then(
      () => undefined,
      (error: Error) => error,
    );
    const outputs = kind === "up" ? await stack.outputs() : {};
    return {
      error,
      said: saidIn(events),
      operations: operationsIn(events),
      outputs,
      seconds: (Date.now() - started) / 1000,
    };
  };
  return {
    preview: (next) => act("preview", next),
    up: (next) => act("up", next),
    refresh: () => act("refresh"),
    // As it lies on the disk, and as `pulumi stack export` prints it: exportStack() decrypts.
    state: async () =>
      JSON.parse(readFileSync(join(backend, ".pulumi/stacks/kubernetes", `${name}.json`), "utf8")).checkpoint.latest,
    destroy: () => act("destroy"),
    close: async () => {
      await act("destroy");
      rmSync(backend, { recursive: true, force: true });
    },
  };
}

const saidIn = (events: readonly EngineEvent[]) =>
  events
    .map(({ diagnosticEvent }) => diagnosticEvent)
    .filter((event) => event && !event.ephemeral && (event.severity as string) !== "debug")
    .map((event) => event?.message)
    .join("");

function operationsIn(events: readonly EngineEvent[]): Record<string, string[]> {
  const operations: Record<string, string[]> = {};
  for (const { resourcePreEvent } of events) {
    const { urn, op } = resourcePreEvent?.metadata ?? {};
    if (urn && op) (operations[urn.split("::").at(-1) ?? ""] ??= []).push(op);
  }
  return operations;
}
