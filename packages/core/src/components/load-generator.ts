import * as pulumi from "@pulumi/pulumi";
import {
  addressOf,
  fault,
  referencesIn,
  workerFaults,
  type ContainerPlan,
  type Crew,
  type GeneratorPlan,
  type GeneratorAdapter,
  type Load,
  type Ports,
  type RequestSpec,
  type TlsProfile,
  type Workload,
} from "../contract";
import type { Host, StartedWorkload } from "../hosts/host";
import { identityOf } from "../hosts/identity";
import { refusalOf, refuseFaults } from "../hosts/refuse-faults";
import { pagesOn, watchedAs, type Watchable, type Watched } from "./watched";

export interface LoadGeneratorArgs {
  readonly host: Host;
  readonly adapter: GeneratorAdapter;
  /** Hosts of its workers, for generators that share a load among several. @default none */
  readonly workers?: readonly Host[];
}

/** What a generator is pointed at. */
export interface Aim {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
  readonly requests: readonly RequestSpec[];
  readonly tls: TlsProfile;
  /** Where gateway and upstream stand. */
  readonly hosts: readonly Host[];
}

/**
 * A load generator on its host, with its controller, agents or workers where it has any. It sends a load only when a
 * benchmark asks it to.
 *
 * ### Cost
 * That of its hosts.
 */
export class LoadGenerator extends pulumi.ComponentResource implements Watchable {
  readonly host: Host;
  readonly adapter: GeneratorAdapter;
  readonly workers: readonly Host[];
  readonly ports: Ports;
  /** What it keeps running from load to load. */
  readonly crew: readonly StartedWorkload[];
  /** Changes when its crew does; what a run is made of besides its job. */
  readonly identity: pulumi.Output<string>;
  readonly watched: Watched;

  constructor(
    name: string,
    { host, adapter, workers = [] }: LoadGeneratorArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    refuseFaults(workerFaults(adapter, workers.length));
    super(
      "gatebench:index:LoadGenerator",
      name,
      {
        generator: adapter.name,
        version: adapter.version,
        ...(workers.length > 0 ? { workers: workers.map((one) => one.name) } : {}),
      },
      opts,
    );
    this.host = host;
    this.adapter = adapter;
    this.workers = workers;
    this.ports = adapter.ports?.length ? host.ports(name, adapter.ports) : {};
    const crew = crewOf(this);
    this.crew = startCrew(name, crew, this);
    this.watched = watchedAs("generator", name, [host, ...workers], pagesOn(host, crew.metrics));
    this.identity = pulumi.all(this.crew.map(({ identity }) => identity)).apply((each) => identityOf(each));
    this.registerOutputs({});
  }

  /** The job that sends a load to a target. */
  plan(load: Load, aim: Aim): ContainerPlan {
    const { hosts, ...target } = aim;
    const { host, ports, workers } = this;
    const plan = this.adapter.plan(load, { ...target, cpus: cpusFor(host, hosts), ports, workers: workers.length });
    return jobAlone(this, plan);
  }
}

function crewOf({ adapter, host, workers, ports }: LoadGenerator): Crew {
  const cpus = Math.min(...workers.map((worker) => worker.cpus), host.cpus);
  return adapter.crew?.({ ports, workers: workers.length, cpus }) ?? {};
}

/** Services stand on the job's host, workers on theirs; the workers come after what they report to. */
function startCrew(name: string, crew: Crew, generator: LoadGenerator): readonly StartedWorkload[] {
  const { host, workers, ports } = generator;
  const address = host.addressFor(Object.values(ports)[0] ?? 0);
  const services = startAll(name, crew.services, host, [], generator);
  const reporting = (crew.workers ?? []).map((workload) => reportingTo(address, workload));
  const each = workers.map((worker, index) =>
    startAll(`${name}-worker-${index + 1}`, reporting, worker, services, generator),
  );
  return [...services, ...each.flat()];
}

/** A host knows its own address only; what workers report to stands on another. */
const reportingTo = (address: string, workload: Workload): Workload =>
  JSON.parse(JSON.stringify(workload).replaceAll(addressOf("generator"), address)) as Workload;

function startAll(
  owner: string,
  workloads: Crew["services"] = [],
  host: Host,
  siblings: readonly StartedWorkload[],
  parent: LoadGenerator,
): readonly StartedWorkload[] {
  const { credentials } = host.site;
  const values = credentials.values(referencesIn(JSON.stringify(workloads)));
  const started: StartedWorkload[] = [];
  for (const workload of workloads) {
    const surroundings = { owner, values, valuesId: credentials.identity, siblings: [...siblings, ...started] };
    started.push(host.start(workload, surroundings, { parent }));
  }
  return started;
}

/** A generator with as many threads as a shared machine has CPUs starves the gateway it is to measure; half are left to it. */
function cpusFor(host: Host, others: readonly Host[]): number {
  return others.includes(host) ? Math.max(1, Math.floor(host.cpus / 2)) : host.cpus;
}

/** What only a cluster can carry out is refused rather than carried out in part. */
function jobAlone({ adapter, host }: LoadGenerator, plan: GeneratorPlan): ContainerPlan {
  if (plan.kind === "containers") return plan;
  const runs = `host ${host.name} runs ${host.runs.join(", ")}`;
  throw refusalOf([
    fault(
      "unsupported-host",
      `${adapter.name} is a custom resource of a cluster; ${runs}. Choose another generator or host.`,
    ),
  ]);
}
