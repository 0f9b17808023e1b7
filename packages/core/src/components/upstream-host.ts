import * as pulumi from "@pulumi/pulumi";
import { createHash } from "node:crypto";
import {
  checkScenario,
  fault,
  referencesIn,
  resolveScenario,
  type Address,
  type Fault,
  type KnownBody,
  type Ports,
  type LiveTarget,
  type ResolvedScenario,
  type TlsProfile,
  type UpstreamBehaviour,
} from "../contract";
import type { Host, StartedWorkload } from "../hosts/host";
import type { CountedPages } from "../hosts/job-record";
import { identityOf } from "../hosts/identity";
import { echoed } from "../laws";
import { bytesOf, type Answer, type ExpectedBody, type UpstreamApp } from "../upstreams";
import { refuseFaults } from "../hosts/refuse-faults";
import { pagesOn, watchedAs, type Watchable, type Watched } from "./watched";

export interface UpstreamHostArgs {
  /** One, on which all servers stand; or several, on which they stand in turn. */
  readonly host: Host | readonly Host[];
  /** What answers, such as `staticPayload()`. */
  readonly app: UpstreamApp;
  /**
   * How many servers, how many bytes they answer with, how late.
   * @default one server, 1024 bytes or the app's own answer, at once
   */
  readonly behaviour?: UpstreamBehaviour;
  /**
   * Whether it also answers with TLS, so that a baseline without a gateway can be measured over https.
   * @default false
   */
  readonly tls?: boolean | Partial<TlsProfile>;
  /** Worker processes of each server. @default 1 on this machine, its host's CPUs elsewhere */
  readonly workers?: number;
}

/** What gateways stand before: all servers of an upstream, or the first few. */
export type Upstreams = Pick<
  UpstreamHost,
  | "host"
  | "hosts"
  | "app"
  | "behaviour"
  | "answer"
  | "addresses"
  | "workloads"
  | "counted"
  | "identity"
  | "observed"
  | "watched"
>;

/**
 * What answers behind the gateways: one or more servers of one upstream app. Server i stands on host i modulo their number.
 *
 * ### Cost
 * That of its hosts.
 */
export class UpstreamHost extends pulumi.ComponentResource implements Watchable {
  /** The first of them. */
  readonly host: Host;
  /** Those with a server on them. */
  readonly hosts: readonly Host[];
  readonly app: UpstreamApp;
  readonly behaviour: ResolvedScenario["upstream"];
  /** What it is asked, and answers. */
  readonly answer: Answer;
  readonly addresses: readonly Address[];
  readonly workloads: readonly StartedWorkload[];
  readonly counted: readonly CountedPages[];
  readonly identity: pulumi.Output<string>;
  readonly watched: Watched;

  constructor(name: string, args: UpstreamHostArgs, opts?: pulumi.ComponentResourceOptions) {
    const asked = resolveScenario({
      name,
      upstream: args.behaviour,
      tls: args.tls === true ? {} : args.tls || undefined,
    });
    const { count } = asked.upstream;
    const hosts = (Array.isArray(args.host) ? (args.host as readonly Host[]) : [args.host as Host]).slice(0, count);
    refuseFaults([
      ...checkScenario({ name: "upstream", upstream: args.behaviour }),
      ...hostFaults(name, hosts),
      ...args.app.unsupported(onOneOf(hosts, args.behaviour), Boolean(args.tls)),
    ]);
    super(
      "gatebench:index:UpstreamHost",
      name,
      { app: args.app.name, version: args.app.version, behaviour: asked.upstream },
      opts,
    );
    this.hosts = hosts;
    this.host = hosts[0] as Host;
    this.app = args.app;
    this.behaviour = asked.upstream;
    this.answer = args.app.answer(args.behaviour ?? {});
    const servers = Array.from({ length: count }, (_, index) =>
      startServer(name, index + 1, hosts[index % hosts.length] as Host, args, asked, this),
    );
    this.workloads = servers.map(({ started }) => started);
    this.addresses = servers.map(({ host, ports }) => args.app.address(reached(host, ports), ports));
    this.counted = servers.map(({ host, ports }) => ({
      host: reached(host, ports),
      pages: args.app.counters?.(ports) ?? [],
    }));
    const pages = servers.flatMap(({ host, ports }) => pagesOn(host, args.app.metrics?.(ports)));
    this.watched = watchedAs("upstream", name, this.hosts, pages);
    this.identity = identityOfAll(this.workloads);
    this.registerOutputs({ identity: this.identity });
  }

  /** The first so many of its servers, for a gateway that is to stand before those alone. */
  first(count: number): Upstreams {
    const { host, app, answer, observed, watched } = this;
    const [workloads, counted] = [this.workloads.slice(0, count), this.counted.slice(0, count)];
    return {
      ...{ host, app, answer, workloads, counted, watched },
      hosts: this.hosts.slice(0, count),
      behaviour: { ...this.behaviour, count: workloads.length },
      addresses: this.addresses.slice(0, count),
      identity: identityOfAll(workloads),
      observed: { ...observed, upstreams: observed.upstreams.slice(0, count), upstreamCounters: counted },
    };
  }

  /** What the live laws must know of it; the path of its echo is its own yet. */
  get observed(): Pick<LiveTarget, "upstreams" | "payload" | "echo" | "upstreamCounters"> {
    const { body } = this.answer;
    return {
      upstreams: this.workloads.flatMap((_, index) => this.app.label?.(index + 1) ?? []),
      ...(body === undefined ? {} : { payload: known(body) }),
      ...(this.app.echo === undefined ? {} : { echo: echoOf(this.app.echo) }),
      upstreamCounters: this.counted,
    };
  }
}

const identityOfAll = (workloads: readonly StartedWorkload[]): pulumi.Output<string> =>
  pulumi.all(workloads.map(({ identity }) => identity)).apply((identities) => identityOf(identities));

function echoOf({ path, answer }: NonNullable<UpstreamApp["echo"]>): NonNullable<LiveTarget["echo"]> {
  return { path, ...(answer ? { answer: known(answer(echoed.body)) } : {}) };
}

const known = (body: ExpectedBody): KnownBody => ({
  sha256: createHash("sha256").update(body.text).digest("hex"),
  bytes: bytesOf(body),
  without: body.without,
});

const hostFaults = (name: string, hosts: readonly Host[]): readonly Fault[] =>
  hosts.length > 0
    ? []
    : [fault("invalid-option", `upstream "${name}" has no host to stand on; give it one, or several.`)];

/** What one host is asked for: so many servers at most. */
const onOneOf = (hosts: readonly Host[], { count = 1, ...behaviour }: UpstreamBehaviour = {}): UpstreamBehaviour => ({
  ...behaviour,
  count: Math.ceil(count / Math.max(1, hosts.length)),
});

function startServer(
  owner: string,
  index: number,
  host: Host,
  { app, tls, workers }: UpstreamHostArgs,
  asked: ResolvedScenario,
  parent: pulumi.Resource,
) {
  const ports = host.ports(`${owner}-${index}`, app.ports);
  const site = {
    index,
    behaviour: asked.upstream,
    ...(tls ? { tls: asked.tls } : {}),
    ports,
    workers: workers ?? defaultWorkers(host),
  };
  const workload = app.workload(site);
  const values = host.site.credentials.values(referencesIn(JSON.stringify(workload)));
  const started = host.start(
    workload,
    { owner, values, valuesId: host.site.credentials.identity, siblings: [] },
    { parent },
  );
  return { host, ports, started };
}

/** All ports of one server are reached at the same address. */
const reached = (host: Host, ports: Ports): string => host.addressFor(Object.values(ports)[0] ?? 0);

/** One is enough beside a gateway that shares its CPUs. */
function defaultWorkers({ kind, cpus }: Host): number {
  return kind === "local" ? 1 : cpus;
}
