import type { Output, Resource, ResourceOptions } from "@pulumi/pulumi";
import type { ClusterDeployment, Ports, SetupRequest, Values, Workload } from "../contract";
import type { JobOrder, JobRecord } from "./job-record";
import type { Site } from "./site";

/** A workload a host was told to keep running. */
export interface StartedWorkload {
  readonly workload: Pick<Workload, "name" | "role" | "readiness">;
  /** As the host knows it: the component's name and the workload's. */
  readonly name: string;
  /** Where others reach it. */
  readonly address: string;
  readonly host: Pick<Host, "name" | "cpus">;
  /** The hash of what it is and where it runs; replaced workloads have another. */
  readonly identity: Output<string>;
  /** What the program says of its own version; undefined where it was not asked. */
  readonly version: Output<string | undefined>;
  readonly resource: Resource;
}

/** What a workload needs besides itself. */
export interface Surroundings {
  /** Names the workload on its host. */
  readonly owner: string;
  /** Values of the references in its texts; secret. */
  readonly values: Output<Values>;
  /** Changes when the values do, and tells nothing about them. */
  readonly valuesId: Output<string>;
  /** Siblings by name, for `addressOf`. */
  readonly siblings: readonly StartedWorkload[];
}

/** An order without what only the session knows. */
export type RunOrder = Omit<JobOrder, "id" | "session" | "observed">;

/** One link of an id chain: what ran, and what to make the next id from. */
export interface Link {
  /** undefined: nothing was left to do. */
  readonly record: JobRecord | undefined;
  readonly execution: string;
}

/**
 * One life of a benchmark on its hosts. It owns its job folders and everything started in them, and takes both with it.
 */
export interface Session {
  readonly resource: Resource;
  /** The random id drawn when it was created. */
  readonly id: Output<string>;
  /** Puts values where the jobs of this session find them. */
  keep(name: string, values: Output<Values>, valuesId: Output<string>, opts: ResourceOptions): Resource;
  /**
   * One job, carried out once: asked again for the same id it attaches to the running job or returns the finished one.
   * An undefined order costs nothing and yields no record.
   */
  run(
    name: string,
    before: Output<string>,
    order: Output<RunOrder | undefined>,
    opts: ResourceOptions,
  ): { readonly resource: Resource; readonly link: Output<Link> };
  /** Copies what a run left on its host to a folder of the machine on which the program runs; nothing where it left nothing. */
  collect(name: string, link: Output<Link>, to: (record: JobRecord) => string, opts: ResourceOptions): Resource;
}

/**
 * A place where workloads run: this machine, a machine over SSH, a Kubernetes node pool.
 *
 * A host decides *where* and *how*, never *what*: it starts any workload and carries out any job, and knows no gateway
 * and no generator. Everything a component does to the world goes through these members.
 */
export interface Host {
  /** Names the host in results. */
  readonly name: string;
  readonly kind: "local" | "ssh" | "kubernetes";
  /** A plain number, known while planning. */
  readonly cpus: number;
  /** Of a cloud's machine, such as "c5.large". */
  readonly instanceType?: string;
  /** Where other hosts reach this one. */
  readonly address: string;
  /** Where they reach what listens on one of the ports it gave. */
  addressFor(port: number): string;
  /** Whether it runs containers or charts. */
  readonly runs: readonly ("containers" | "cluster")[];
  readonly identity: Output<string>;
  /** Ports for these names, different from all it gave before and the same each time the program runs. */
  ports(owner: string, names: readonly string[]): Ports;
  start(workload: Workload, surroundings: Surroundings, opts: ResourceOptions): StartedWorkload;
  /** Releases charts and applies manifests. Only where `runs` has "cluster". */
  release(deployment: ClusterDeployment, surroundings: Surroundings, opts: ResourceOptions): StartedWorkload;
  /** Sends requests that set started workloads up, once for each life of theirs. */
  setUp(requests: readonly SetupRequest[], surroundings: Surroundings, opts: ResourceOptions): Resource;
  /** `beside`: every other host that takes part, whose CPU its runs report too. */
  openSession(name: string, runId: string, beside: readonly Host[], opts: ResourceOptions): Session;
  /**
   * A command for a person's own machine that brings ports of this one there, on loopback, until it is interrupted. Left out
   * where they are there already.
   */
  tunnel?(forwards: readonly Forward[], keyFile?: string): Output<string>;
  /** Of the topology it belongs to. */
  readonly site: Site;
}

/** A port of a host, and the one by which it is reached through a tunnel. */
export interface Forward {
  readonly from: number;
  readonly to: number;
}
