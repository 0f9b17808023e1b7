import * as pulumi from "@pulumi/pulumi";
import {
  fault,
  lineOf,
  type ContainerPlan,
  type GeneratorPlan,
  type GeneratorAdapter,
  type Load,
  type RequestSpec,
  type TlsProfile,
} from "../contract";
import type { Host } from "../hosts/host";

export interface LoadGeneratorArgs {
  readonly host: Host;
  readonly adapter: GeneratorAdapter;
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
 * A load generator on its host. It runs only when a benchmark asks it to.
 *
 * ### Cost
 * That of its host.
 */
export class LoadGenerator extends pulumi.ComponentResource {
  readonly host: Host;
  readonly adapter: GeneratorAdapter;

  constructor(name: string, { host, adapter }: LoadGeneratorArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatebench:index:LoadGenerator", name, { generator: adapter.name, version: adapter.version }, opts);
    this.host = host;
    this.adapter = adapter;
    this.registerOutputs({});
  }

  /** The job that sends a load to a target. */
  plan(load: Load, aim: Aim): ContainerPlan {
    const { hosts, ...target } = aim;
    return jobAlone(this, this.adapter.plan(load, { ...target, cpus: cpusFor(this.host, hosts) }));
  }
}

/** A generator with as many threads as a shared machine has CPUs starves the gateway it is to measure; half are left to it. */
function cpusFor(host: Host, others: readonly Host[]): number {
  return others.includes(host) ? Math.max(1, Math.floor(host.cpus / 2)) : host.cpus;
}

/** Hosts carry out single jobs; a plan that needs more is refused rather than carried out in part. */
function jobAlone({ adapter, host }: LoadGenerator, plan: GeneratorPlan): ContainerPlan {
  if (plan.kind === "containers") return plan;
  const needs = "is a custom resource of a cluster";
  const runs = `host ${host.name} runs single jobs in ${host.runs.join(", ")}`;
  throw new pulumi.RunError(
    lineOf(fault("unsupported-host", `${adapter.name} ${needs}; ${runs}. Choose another generator or host.`)),
  );
}
