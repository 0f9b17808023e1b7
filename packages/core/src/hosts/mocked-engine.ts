import * as pulumi from "@pulumi/pulumi";
import type { JobOutput, RunFigure, Values } from "../contract";
import { packRecord, type AskedFigure, type JobOrder, type JobRecord } from "./job-record";

/** A resource as a program registered it. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  /** Name of its parent; the stack's own is "". */
  readonly parent: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Names, those its inputs come from included. */
  readonly dependsOn: readonly string[];
  readonly deletedWith: string;
  readonly deleteBeforeReplace: boolean;
  readonly replaceOnChanges: readonly string[];
  /** What it registered as outputs; undefined where it is no component. */
  outputs?: Readonly<Record<string, unknown>>;
}

/** What a job on the mocked machine leaves. */
export type Answer = (order: Omit<JobOrder, "session">) => JobOutput;

/** What a cloud adds to a resource, or answers to a question, by type and token. */
export type Cloud = Readonly<Record<string, (inputs: Readonly<Record<string, unknown>>) => object>>;

/** The secrets every mocked credential is made from, to be looked for where they must not be. */
export const material = { seed: "the-seed", certificate: "the-certificate", key: "the-private-key" };

export const sshKey = { publicKey: "ssh-rsa the-public-key", privateKey: "the-ssh-private-key" };

/** Everything a program registered, in order, with the engine's commands answered as the agent would. */
export class MockedEngine {
  readonly registered: Registered[] = [];

  constructor(
    private readonly answer: Answer = () => ({ stdout: "", stderr: "", files: {}, exitCode: 0 }),
    private readonly cloud: Cloud = {},
  ) {}

  /** Runs a program to its end. */
  async run<T>(program: () => T, { preview = false } = {}): Promise<T> {
    const newResource = ({ type, name, inputs, custom }: pulumi.runtime.MockResourceArgs) => ({
      id: `${name}-id`,
      state: custom && !preview ? { ...inputs, ...this.#outputs(type, inputs) } : inputs,
    });
    const call = ({ token, inputs }: pulumi.runtime.MockCallArgs) => this.cloud[token]?.(inputs) ?? {};
    await pulumi.runtime.setMocks({ newResource, call }, "project", "stack", preview);
    this.#listen();
    const made = program();
    await pulumi.runtime.disconnect();
    return made;
  }

  named(name: string): Registered {
    const found = this.registered.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no ${name} among ${this.registered.map((one) => one.name).join(", ")}`);
    return found;
  }

  names(type: string): readonly string[] {
    return this.registered.filter((one) => one.type === type).map(({ name }) => name);
  }

  #listen(): void {
    const monitor = pulumi.runtime.getMonitor() as unknown as Record<
      string,
      (request: never, done: unknown) => unknown
    >;
    const [register, output] = ["registerResource", "registerResourceOutputs"].map((method) =>
      monitor[method]?.bind(monitor),
    );
    monitor.registerResource = (request: Request, done: unknown) => {
      this.registered.push(this.#new(registeredFrom(request)));
      return register?.(request as never, done);
    };
    monitor.registerResourceOutputs = (request: OutputsRequest, done: unknown) => {
      const outputs = plain(request.getOutputs()?.toJavaScript()) as Registered["outputs"];
      const of = this.registered.find(({ name }) => name === nameOf(request.getUrn()));
      if (of) of.outputs = outputs;
      return output?.(request as never, done);
    };
  }

  /** As the engine does: a name is free once among the resources of a type and a parent. */
  #new(resource: Registered): Registered {
    const { type, name, parent } = resource;
    const isTaken = this.registered.some((one) => one.type === type && one.name === name && one.parent === parent);
    if (isTaken) throw new Error(`duplicate resource ${type} ${name} of ${parent}`);
    return resource;
  }

  #outputs(type: string, inputs: Readonly<Record<string, unknown>>): object {
    return type.startsWith("command:") ? { stdout: this.#stdout(inputs) } : (this.cloud[type]?.(inputs) ?? {});
  }

  #stdout(inputs: Readonly<Record<string, unknown>>): string {
    const stdin = plain(inputs.stdin) as string;
    switch (verbOf(inputs)) {
      case "open-place":
        return '{"identity":"the-place"}';
      case "make-material":
        return JSON.stringify(material);
      case "make-ssh-key":
        return JSON.stringify(sshKey);
      case "start-workload":
      case "adopt-workload":
        return JSON.stringify({ identity: (JSON.parse(stdin) as { identity: string }).identity });
      case "open-session":
        return '{"id":"the-session"}';
      case "run-job":
        return stdin === "done\n" ? "" : packRecord(recordOf(orderIn(stdin), this.answer));
      default:
        return "";
    }
  }
}

interface Request {
  getType(): string;
  getName(): string;
  getParent(): string;
  getObject(): { toJavaScript(): Readonly<Record<string, unknown>> };
  getDependenciesList(): readonly string[];
  getDeletedwith(): string;
  getDeletebeforereplace(): boolean;
  getReplaceonchangesList(): readonly string[];
}
interface OutputsRequest {
  getUrn(): string;
  getOutputs(): { toJavaScript(): Readonly<Record<string, unknown>> } | undefined;
}

const nameOf = (urn: string): string => (urn.includes("pulumi:pulumi:Stack") ? "" : (urn.split("::").pop() as string));

function registeredFrom(request: Request): Registered {
  return {
    type: request.getType(),
    name: request.getName(),
    parent: nameOf(request.getParent()),
    inputs: request.getObject().toJavaScript(),
    dependsOn: request.getDependenciesList().map(nameOf),
    deletedWith: nameOf(request.getDeletedwith()),
    deleteBeforeReplace: request.getDeletebeforereplace(),
    replaceOnChanges: request.getReplaceonchangesList(),
  };
}

const signature = "4dabf18193072939515e22adb298388d";

/** Whether the engine is told to keep a value secret. */
export const isSecret = (value: unknown): boolean => typeof value === "object" && value !== null && signature in value;

/** The value itself, secret or not. */
export const plain = (value: unknown): unknown => (isSecret(value) ? (value as { value: unknown }).value : value);

/** The verb of the agent's command that a Command resource is. */
export function verbOf({ create }: Readonly<Record<string, unknown>>): string {
  return (
    /(?:main\.js'|agent\.js) (?:(?:ask-cluster|open-in-cluster) )?([a-z-]+)(?: \S+)?$/.exec(
      plain(create) as string,
    )?.[1] ?? ""
  );
}

/** The order a run command was given. */
export function orderIn(stdin: string): JobOrder {
  return (JSON.parse(stdin.replace(/^order\n/, "")) as { order: JobOrder }).order;
}

/** The values a command was given on its standard input. */
export const valuesIn = (stdin: unknown): Values => (JSON.parse(plain(stdin) as string) as { values: Values }).values;

/** Every figure that could be asked is one. */
const oneOf = ({ figure: { name, unit, query }, missing }: AskedFigure): RunFigure =>
  missing === undefined ? { name, unit, query, value: 1 } : { name, unit, query, missing };

function recordOf(order: JobOrder, answer: Answer): JobRecord {
  return {
    execution: `execution of ${order.id}`,
    startedAt: "2026-01-01T00:00:00.000Z",
    endedAt: "2026-01-01T00:00:10.000Z",
    outcome: { output: answer(order) },
    counters: {},
    hosts: [],
    ...(order.observatory ? { figures: order.observatory.figures.map(oneOf) } : {}),
    artifacts: [{ path: "stdout", bytes: 8, sha256: "the-sum" }],
    folder: `/jobs/${order.id}`,
  };
}
