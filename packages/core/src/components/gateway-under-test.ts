import * as pulumi from "@pulumi/pulumi";
import {
  addressOf,
  certificate,
  consumers,
  credentialsLacking,
  drawn,
  fault,
  gatewayFaults,
  isHostName,
  listed,
  pathBehind,
  referencesIn,
  resolveScenario,
  type Fault,
  type ClusterDeployment,
  type ContainerDeployment,
  type Deployment,
  type GatewayAdapter,
  type GatewaySite,
  type LiveTarget,
  type ResolvedScenario,
  type Scenario,
} from "../contract";
import type { Host, StartedWorkload } from "../hosts/host";
import { identityOf } from "../hosts/identity";
import { refuseFaults } from "../hosts/refuse-faults";
import type { Authorizer } from "./authorizer";
import type { Aim } from "./load-generator";
import type { Upstreams } from "./upstream-host";
import { pagesOn, watchedAs, type Watchable, type Watched } from "./watched";

export interface GatewayUnderTestArgs {
  readonly host: Host;
  readonly adapter: GatewayAdapter;
  /** An `UpstreamHost`, or the first few of its servers: `upstream.first(1)`. */
  readonly upstream: Upstreams;
  readonly scenario: Scenario;
  /** Whom it asks about each request, where the scenario's auth is "external"; others ask nobody. */
  readonly authorizer?: Authorizer;
  /**
   * What the gateway may use: worker processes, threads, GOMAXPROCS.
   * @default half of the host's CPUs where generator and upstream share it, all of them where the gateway is alone
   */
  readonly workers?: number;
}

/**
 * One gateway, started in front of an upstream and set up to do what a scenario asks.
 *
 * ### Cost
 * That of its host.
 */
export class GatewayUnderTest extends pulumi.ComponentResource implements Watchable {
  readonly host: Host;
  readonly adapter: GatewayAdapter;
  readonly upstream: Upstreams;
  readonly scenario: ResolvedScenario;
  /** As it was given, without defaults. */
  readonly scenarioAsked: Scenario;
  /** Whom it asks, where the scenario has it ask anybody. */
  readonly authorizer: Authorizer | undefined;
  readonly workers: number;
  readonly deployment: Deployment;
  readonly workloads: readonly StartedWorkload[];
  /** What the gateway says of its own version, or else the pinned one; null where nothing is started. */
  readonly version: pulumi.Output<string | null>;
  /** Changes when anything about it changes: what it is, what stands behind it, where it runs. */
  readonly identity: pulumi.Output<string>;
  readonly watched: Watched;

  constructor(name: string, args: GatewayUnderTestArgs, opts?: pulumi.ComponentResourceOptions) {
    const { host, adapter, upstream } = args;
    refuseFaults(faultsOf(args));
    super(
      "gatebench:index:GatewayUnderTest",
      name,
      { gateway: adapter.name, version: adapter.version, scenario: args.scenario },
      opts,
    );
    this.host = host;
    this.adapter = adapter;
    this.upstream = upstream;
    this.scenarioAsked = args.scenario;
    this.scenario = before(upstream, resolveScenario(args.scenario));
    this.authorizer = this.scenario.auth === "external" ? args.authorizer : undefined;
    this.workers = args.workers ?? defaultWorkers(host, upstream);
    this.deployment = adapter.render(this.scenario, siteOf(name, this));
    const { givenNames } = host.site.credentials;
    if (givenNames) refuseFaults(credentialsLacking(adapter.name, this.deployment, givenNames));
    this.workloads =
      this.deployment.kind === "cluster"
        ? [release(name, this.deployment, host, this)]
        : startInOrder(name, this.deployment, host, this);
    const settled = setUp(name, this.deployment, this.workloads, host, this);
    this.identity = pulumi
      .all([
        upstream.identity,
        ...(this.authorizer ? [this.authorizer.identity] : []),
        host.site.credentials.identity,
        settled,
        ...this.workloads.map(({ identity }) => identity),
      ])
      .apply((identities) => identityOf(this.deployment, identities));
    const main = this.workloads.find(({ workload }) => workload.role === "gateway");
    this.watched = watchedAs("gateway", name, [host], pagesOn(host, this.deployment.metrics, this.address));
    this.version = pulumi.output(main?.version).apply((running) => running ?? adapter.version);
    this.registerOutputs({ identity: this.identity, version: this.version });
  }

  /** Starts nothing: what it measures is the path without a gateway. */
  get isBaseline(): boolean {
    return this.workloads.length === 0;
  }

  /** Where pages of a chart's gateway are read: at its Service. Others are read where their host has them. */
  get address(): string | undefined {
    return this.deployment.kind === "cluster" ? this.deployment.entry.host : undefined;
  }

  /** What a generator is pointed at: addresses of its workloads are known, values are not. */
  get aim(): Aim {
    const { entry, requests } = this.#reached();
    const hosts = [this.host, ...this.upstream.hosts];
    return { scheme: entry.scheme, host: entry.host, port: entry.port, requests, tls: this.scenario.tls, hosts };
  }

  /** What the live laws are tried against. */
  get live(): LiveTarget {
    const { scheme, host, port, requests } = this.aim;
    const { echo, payload, ...observed } = this.upstream.observed;
    const { redirectPort } = this.deployment;
    const [first] = this.deployment.requests;
    return {
      ...{ scheme, host, port, requests, direct: this.isBaseline, ...observed },
      ...(redirectPort === undefined ? {} : { redirectPort }),
      // Another path than the upstream's own is answered with something else.
      ...(payload && this.scenario.request.path === undefined ? { payload } : {}),
      ...(echo && first ? { echo: { ...echo, path: pathBehind(first.path, echo.path) } } : {}),
    };
  }

  #reached(): Pick<Deployment, "entry" | "requests"> {
    const { entry } = this.deployment;
    const path = this.scenario.request.path ?? this.upstream.answer.path;
    const requests = this.deployment.requests.map((one) => ({ ...one, path: pathBehind(one.path, path) }));
    const addresses = this.workloads.map(({ workload, address }) => [addressOf(workload.name), address] as const);
    const text = addresses.reduce(
      (filled, [from, to]) => filled.replaceAll(from, to),
      JSON.stringify({ entry, requests }),
    );
    return JSON.parse(text) as Pick<Deployment, "entry" | "requests">;
  }
}

/** Everything that can be wrong with the arguments, found before anything is created. */
function faultsOf({
  host,
  adapter,
  upstream,
  scenario,
  authorizer,
  workers = 1,
}: GatewayUnderTestArgs): readonly Fault[] {
  const faults = gatewayFaults(adapter, scenario);
  return [
    ...faults,
    ...(faults.length === 0 && resolveScenario(scenario).auth === "external" && !authorizer
      ? [withoutAuthorizer(adapter, scenario)]
      : []),
    ...(faults.length === 0 ? methodFaults(upstream, scenario) : []),
    ...(faults.length === 0 ? hostFaults(host, adapter, scenario) : []),
    ...(Number.isInteger(workers) && workers >= 1
      ? []
      : [fault("invalid-option", `${adapter.name} cannot have ${workers} workers; give a whole number from 1.`)]),
  ];
}

const withoutAuthorizer = ({ name }: GatewayAdapter, scenario: Scenario): Fault =>
  fault(
    "invalid-option",
    `${name} asks an authorizer about each request of scenario "${scenario.name}", and there is none. Give the gateway one as "authorizer", or drop auth.`,
  );

function methodFaults({ app, answer: { methods, path } }: Upstreams, scenario: Scenario): readonly Fault[] {
  const { method, path: own } = resolveScenario(scenario).request;
  if (own !== undefined || methods === undefined || methods.includes(method)) return [];
  return [
    fault(
      "unsupported-policy",
      `the upstream ${app.name} does not answer ${method} at ${path}, which scenario "${scenario.name}" asks for. It answers: ${listed(methods)}. Change the method, or choose an upstream that answers it, such as static-payload.`,
    ),
  ];
}

function hostFaults(host: Host, adapter: GatewayAdapter, scenario: Scenario): readonly Fault[] {
  const { kind } = drawn(adapter, scenario);
  if (host.runs.includes(kind)) return [];
  return [
    fault(
      "unsupported-host",
      `${adapter.name} is a ${kind} deployment; host ${host.name} runs ${host.runs.join(", ")}. Give it a host that runs ${kind}.`,
    ),
  ];
}

/** The scenario with the upstream it really stands before; only what a gateway does to it stays as asked. */
function before({ behaviour, addresses }: Upstreams, scenario: ResolvedScenario): ResolvedScenario {
  return { ...scenario, upstream: { ...behaviour, count: addresses.length, keepAlive: scenario.upstream.keepAlive } };
}

function defaultWorkers(host: Host, upstream: Upstreams): number {
  return upstream.hosts.includes(host) ? Math.max(1, Math.floor(host.cpus / 2)) : host.cpus;
}

function siteOf(
  name: string,
  { host, adapter, upstream, scenario, authorizer, workers }: GatewayUnderTest,
): GatewaySite {
  return {
    upstreams: upstream.addresses,
    consumers: consumers(scenario.consumers),
    ...(scenario.scheme === "https" ? { certificate } : {}),
    ...(authorizer ? { authorizer: authorizer.address } : {}),
    ports: host.ports(name, adapter.ports),
    workers,
  };
}

function release(owner: string, deployment: ClusterDeployment, host: Host, parent: pulumi.Resource): StartedWorkload {
  const { credentials } = host.site;
  const values = credentials.values(referencesIn(JSON.stringify(deployment)).filter((name) => !isHostName(name)));
  return host.release(deployment, { owner, values, valuesId: credentials.identity, siblings: [] }, { parent });
}

function startInOrder(
  owner: string,
  { workloads }: ContainerDeployment,
  host: Host,
  parent: pulumi.Resource,
): readonly StartedWorkload[] {
  const siblings: StartedWorkload[] = [];
  const values = host.site.credentials.values(referencesIn(JSON.stringify(workloads)));
  for (const workload of workloads) {
    siblings.push(
      host.start(
        workload,
        { owner, values, valuesId: host.site.credentials.identity, siblings: [...siblings] },
        { parent },
      ),
    );
  }
  return siblings;
}

/** Done when the set-up is: the id of the resource that carried it out, where there was one. */
function setUp(
  owner: string,
  deployment: Deployment,
  siblings: readonly StartedWorkload[],
  host: Host,
  parent: pulumi.Resource,
): pulumi.Output<string> {
  const { setup = [] } = deployment;
  if (setup.length === 0) return pulumi.output("nothing to set up");
  // Those of the workloads too: a refusal may repeat what they were configured with.
  const values = host.site.credentials.values(referencesIn(JSON.stringify(deployment)));
  return host
    .setUp(setup, { owner, values, valuesId: host.site.credentials.identity, siblings }, { parent })
    .urn.apply(() => identityOf(setup));
}
