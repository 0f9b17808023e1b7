import * as pulumi from "@pulumi/pulumi";
import { createHash } from "node:crypto";
import {
  checkScenario,
  referencesIn,
  resolveScenario,
  type Address,
  type KnownBody,
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
  readonly host: Host;
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
  /** Worker processes of each server. @default 1 on a shared host, the host's CPUs where it is alone */
  readonly workers?: number;
}

/**
 * What answers behind the gateways: one or more servers of one upstream app.
 *
 * ### Cost
 * That of its host.
 */
export class UpstreamHost extends pulumi.ComponentResource implements Watchable {
  readonly host: Host;
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
    refuseFaults([
      ...checkScenario({ name: "upstream", upstream: args.behaviour }),
      ...args.app.unsupported(args.behaviour ?? {}, Boolean(args.tls)),
    ]);
    super(
      "gatebench:index:UpstreamHost",
      name,
      { app: args.app.name, version: args.app.version, behaviour: asked.upstream },
      opts,
    );
    this.host = args.host;
    this.app = args.app;
    this.behaviour = asked.upstream;
    this.answer = args.app.answer(args.behaviour ?? {});
    const servers = Array.from({ length: this.behaviour.count }, (_, index) =>
      startServer(name, index + 1, args, asked, this),
    );
    this.workloads = servers.map(({ started }) => started);
    this.addresses = servers.map(({ ports }) => args.app.address(args.host.address, ports));
    this.counted = servers.map(({ ports }) => ({ host: args.host.address, pages: args.app.counters?.(ports) ?? [] }));
    const pages = servers.flatMap(({ ports }) => pagesOn(args.host, args.app.metrics?.(ports)));
    this.watched = watchedAs("upstream", name, [args.host], pages);
    this.identity = pulumi
      .all(this.workloads.map(({ identity }) => identity))
      .apply((identities) => identityOf(identities));
    this.registerOutputs({ identity: this.identity });
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

function echoOf({ path, answer }: NonNullable<UpstreamApp["echo"]>): NonNullable<LiveTarget["echo"]> {
  return { path, ...(answer ? { answer: known(answer(echoed.body)) } : {}) };
}

const known = (body: ExpectedBody): KnownBody => ({
  sha256: createHash("sha256").update(body.text).digest("hex"),
  bytes: bytesOf(body),
  without: body.without,
});

function startServer(
  owner: string,
  index: number,
  { host, app, tls, workers }: UpstreamHostArgs,
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
  return { ports, started };
}

/** One is enough beside a gateway that shares its CPUs. */
function defaultWorkers({ kind, cpus }: Host): number {
  return kind === "local" ? 1 : cpus;
}
