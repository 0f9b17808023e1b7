import type { MetricsPage, RequestSpec } from "./deployment";
import { fault, listed, type Fault } from "./fault";
import type { Ports } from "./gateway";
import type { Load } from "./load";
import { reference } from "./reference";
import type { LoadResult } from "./load-result";
import type { TlsProfile } from "./scenario";
import type { Job, JobOutput, Workload } from "./workload";

/** What traffic is sent to. Values may be references. */
export interface Target {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
  /** Sent in turn, or spread as the load says. */
  readonly requests: readonly RequestSpec[];
  readonly tls?: TlsProfile;
  /** CPUs of the generator's host: a tool opens at most that many threads by itself. */
  readonly cpus: number;
  /** On the job's own host, by the names the adapter asks for. Default: none. */
  readonly ports?: Ports;
  /** Hosts, beside the job's own, on which its workers stand. Default 0. */
  readonly workers?: number;
}

/** Where a generator is to stand, before any load or target is known. */
export interface GeneratorSite {
  /** On the job's own host, by the names the adapter asks for; workers of other hosts reach them at `addressOf("generator")`. */
  readonly ports: Ports;
  /** How many hosts are given for workers. */
  readonly workers: number;
  /** CPUs of each of them. */
  readonly cpus: number;
}

/**
 * What must run before a load can be sent, and goes on from run to run: a controller, agents, workers. It knows no load:
 * the job brings that.
 */
export interface Crew {
  /** On the job's own host. */
  readonly services?: readonly Workload[];
  /** On each host given for workers. */
  readonly workers?: readonly Workload[];
  /** Of its services, for an observatory; the queries of its figures say `{$generator}`. */
  readonly metrics?: readonly MetricsPage[];
}

/** Series of its own that a generator sends to a Prometheus while it runs: what its job has besides. */
export interface RemoteWrite {
  /** Behind its command's words. */
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Stand in both for where the series go, and for the label `job` they are to have. */
export const remoteWriteUrl = reference("observatory.write");
export const remoteWriteJob = reference("observatory.job");

/** The job, so that it sends its series there. */
export function sendingTo(job: Job, { options, env }: RemoteWrite, url: string, label: string): Job {
  const filled = (text: string) => text.replaceAll(remoteWriteUrl, url).replaceAll(remoteWriteJob, label);
  const added = Object.entries(env).map(([name, value]) => [name, filled(value)] as const);
  return {
    ...job,
    command: [...job.command, ...options.map(filled)],
    env: { ...job.env, ...Object.fromEntries(added) },
  };
}

/** What a generator can send and state. Asking for more is refused while planning. */
export interface GeneratorCapabilities {
  readonly connections: readonly NonNullable<Load["connection"]>[];
  /** Whether a closed load can be paced. */
  readonly pace: boolean;
  /** Connections it opens in a run that carry no request, such as a look whether the address answers. Default 0. */
  readonly emptyConnections?: number;
  /** Whether requests may carry a body. */
  readonly bodies: boolean;
  /** "one": every request of a run is the same. */
  readonly requests: "one" | "many";
  readonly spreads: readonly NonNullable<Load["spread"]>[];
  readonly percentiles: readonly ("p50" | "p75" | "p90" | "p95" | "p99" | "p999")[];
  readonly statuses: "codes" | "classes";
  readonly histogram: boolean;
  readonly series: boolean;
  /** Whether workers on other hosts can share a load. "required": it sends nothing without one. */
  readonly distributed: boolean | "required";
  /** Which beginnings of the figures it knows. Default: "start" only. */
  readonly measuresFrom?: readonly NonNullable<Load["measureFrom"]>[];
  /** Default: it sends none. */
  readonly remoteWrite?: RemoteWrite;
  /** Whether its option `script` takes a script of the user's own, in the tool's language. Default false. */
  readonly scripts?: boolean;
  /** Whether its HTTP library sends a request again, unseen, when a kept connection died under it. Default false. */
  readonly repeatsUnseen?: boolean;
}

/** What a generator needs run to send one load. */
export interface ContainerPlan {
  readonly kind: "containers";
  readonly job: Job;
  /** The job's command as people type it, where it differs: with the tool's ordinary output. */
  readonly byHand?: readonly string[];
}

/** A generator that is a custom resource of a cluster. */
export interface ClusterPlan {
  readonly kind: "cluster";
  readonly manifests: readonly Readonly<Record<string, unknown>>[];
  /** A JSONPath and the value it has when the run is over. */
  readonly done: { readonly path: string; readonly value: string };
  /** Labels of the pods whose output is the result. */
  readonly collect: Readonly<Record<string, string>>;
}

export type GeneratorPlan = ContainerPlan | ClusterPlan;

/** What a result is held against while it is parsed. */
export interface Asked {
  readonly load: Load;
  /** Statuses of good answers. Any 2xx without. */
  readonly expect?: readonly number[];
}

/**
 * One load generator: a load becomes a command, the command's output becomes figures.
 *
 * Both are pure. `parse` throws on anything it does not fully understand, because a wrong number is worse than none;
 * it also reads the tool's ordinary output, as a person would paste it. Return an object, run `generatorLaws`.
 */
export interface GeneratorAdapter {
  readonly name: string;
  readonly version: string;
  readonly models: readonly Load["model"][];
  readonly reports: GeneratorCapabilities;
  /** Names of the ports it listens on, where it does: a controller's, a coordinator's. */
  readonly ports?: readonly string[];
  /** For a generator of several parts. Without it, a job is all there is. */
  crew?(site: GeneratorSite): Crew;
  plan(load: Load, target: Target): GeneratorPlan;
  parse(output: JobOutput, asked?: Asked): LoadResult;
}

/** Whether a generator can do with so many hosts for workers. */
export function workerFaults(
  { name, reports }: Pick<GeneratorAdapter, "name" | "reports">,
  workers = 0,
): readonly Fault[] {
  if (workers > 0 && reports.distributed === false) {
    return [
      fault(
        "invalid-option",
        `${name} sends a load by itself, and ${workers} hosts for workers were given. Leave workers out, or choose a generator that shares a load, such as locust.`,
      ),
    ];
  }
  return workers === 0 && reports.distributed === "required"
    ? [fault("invalid-option", `${name} sends nothing without workers. Give it at least one host for workers.`)]
    : [];
}

/** Whether a generator takes a script of the user's own; `others` are named where it does not. */
export function scriptFaults(
  { name, reports }: Pick<GeneratorAdapter, "name" | "reports">,
  path: string,
  others: readonly GeneratorAdapter[],
): readonly Fault[] {
  if (reports.scripts) return [];
  const able = others.filter((other) => other.reports.scripts).map((other) => other.name);
  return [
    fault(
      "invalid-option",
      `${name} takes no script, and ${path} was given. Leave it out, or choose a generator that takes one: ${listed(able)}.`,
    ),
  ];
}

/** Everything in a load and its requests that this generator cannot do, one line each. */
export function unsupportedLoad(
  { name, models, reports }: Pick<GeneratorAdapter, "name" | "models" | "reports">,
  load: Load,
  requests: readonly RequestSpec[],
): readonly Fault[] {
  const connection = load.connection ?? "keep-alive";
  const spread = load.spread ?? "uniform";
  const faults: (Fault | false | undefined)[] = [
    !models.includes(load.model) && modelFault(name, load, models),
    load.model === "closed" &&
      load.pacePerConnection !== undefined &&
      !reports.pace &&
      fault("unsupported-load", `${name} cannot pace its connections. Drop the pace, or choose another generator.`),
    !reports.connections.includes(connection) &&
      fault(
        "unsupported-load",
        `${name} cannot send with "${connection}" connections. It can: ${listed(reports.connections)}.`,
      ),
    requests.length > 1 &&
      reports.requests === "one" &&
      fault(
        "unsupported-request",
        `${name} sends one request over and over, and this target has ${requests.length} (routes × consumers). Choose a generator that sends many, or a scenario with one route and consumer.`,
      ),
    requests.length > 1 &&
      !reports.spreads.includes(spread) &&
      fault("unsupported-load", `${name} cannot spread requests "${spread}". It can: ${listed(reports.spreads)}.`),
    !(reports.measuresFrom ?? ["start"]).includes(load.measureFrom ?? "start") &&
      fault(
        "unsupported-load",
        `${name} cannot leave the ramp out of its figures. Drop "measureFrom", or choose another generator.`,
      ),
    requests.some(({ body }) => body !== undefined) &&
      !reports.bodies &&
      fault("unsupported-request", `${name} cannot send a body.`),
  ];
  return faults.filter((entry) => entry !== false && entry !== undefined);
}

function modelFault(name: string, load: Load, models: readonly string[]): Fault {
  return fault(
    "unsupported-load",
    `${name} cannot send a load of model "${load.model}". It can: ${listed(models)}. Choose one of these, or another generator.`,
  );
}
