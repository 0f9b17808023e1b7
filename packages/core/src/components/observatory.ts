import * as pulumi from "@pulumi/pulumi";
import {
  fault,
  referencesIn,
  scrapeFaults,
  secondsOf,
  sendingTo,
  type Duration,
  type Fault,
  type Job,
  type Load,
  type ObservatoryNote,
  type QueriedFigure,
  type Workload,
} from "../contract";
import type { Forward, Host, StartedWorkload } from "../hosts/host";
import type { ObservatoryOrder } from "../hosts/job-record";
import { refuseFaults } from "../hosts/refuse-faults";
import {
  dashboards,
  grafana,
  grafanaPassword,
  grafanaUser,
  nodeExporter,
  prometheus,
  prometheusConfig,
  type Dashboard,
  type ScrapeJob,
  type ScrapeTarget,
} from "../observatory";
import type { GatewayUnderTest } from "./gateway-under-test";
import type { LoadGenerator } from "./load-generator";
import { figureFaultsOf, figuresAsked, machineJob, shownOf, unwatchedFaults, type Scraped } from "./scraped";
import { machinesOf, scrapeJob, type Watchable, type Watched } from "./watched";

export interface ObservatoryArgs {
  /** Where Prometheus runs. A machine of its own costs the measured ones nothing but the scrapes. */
  readonly host: Host;
  /** Every gateway, upstream and generator it stands beside; the machines they stand on come with them. */
  readonly watches: readonly Watchable[];
  /** From one scrape to the next. Runs shorter than two give no figures. @default "1s" */
  readonly scrapeInterval?: Duration;
  /** Which of the declared figures, by name. @default all that what is watched declares */
  readonly figures?: readonly string[];
  /** Figures of your own, beside those. */
  readonly queries?: readonly QueriedFigure[];
  /** Whether generators send it series of their own while they run, which costs them CPU. Those that have none are refused. @default false */
  readonly remoteWrite?: boolean;
  /** Whether Grafana runs, too, with a dashboard for each role and one for the machines. @default false */
  readonly grafana?: boolean;
}

/** By these ports of one's own machine Prometheus and Grafana are reached through a tunnel: those they have of themselves. */
const tunnelled = { prometheus: 9090, grafana: 3000 };

/** How a person's browser comes to it. */
export interface ObservatoryAccess {
  /** To be left running meanwhile; undefined: nothing is in between. */
  readonly tunnel: pulumi.Output<string> | undefined;
  readonly prometheus: pulumi.Output<string>;
  readonly grafana: GrafanaAccess | undefined;
}

/** How Grafana is reached; the password is made once with the other credentials. */
export interface GrafanaAccess {
  readonly url: pulumi.Output<string>;
  readonly user: string;
  readonly password: pulumi.Output<string>;
}

/**
 * Prometheus, a node exporter on each machine and, where asked for, Grafana, beside one or more benchmarks. What is
 * scraped follows from what gateways, upstreams and generators declare.
 *
 * What it gives a run comes after it: a figure that cannot be had is missing with its reason, and fails nothing.
 *
 * ### Cost
 * That of its host, and on every machine what answering a scrape takes: results say that it was there.
 */
export class Observatory extends pulumi.ComponentResource {
  readonly host: Host;
  readonly scrapeIntervalS: number;
  /** Where Prometheus answers, to its neighbours. */
  readonly url: pulumi.Output<string>;
  readonly grafana: GrafanaAccess | undefined;
  /** Everything it runs, on whichever machine. */
  readonly workloads: readonly StartedWorkload[];
  /** What is shown, with or without Grafana: each panel's query can be asked of Prometheus. */
  readonly dashboards: readonly Dashboard[];
  readonly #scrapeInterval: Duration;
  readonly #takesSeries: boolean;
  readonly #scraped: Scraped;
  readonly #port: number;
  readonly #forwards: readonly Forward[];
  readonly #targets: number;

  constructor(name: string, args: ObservatoryArgs, opts?: pulumi.ComponentResourceOptions) {
    const { host, scrapeInterval = "1s", grafana: isGrafana = false, remoteWrite = false } = args;
    const scraped = scrapedBy(args);
    refuseFaults([...scrapeFaults(scrapeInterval), ...figureFaultsOf(scraped)]);
    const described = { scrapeInterval, watches: scraped.watched.map((one) => one.name) };
    super("gatebench:index:Observatory", name, described, opts);
    this.host = host;
    this.scrapeIntervalS = secondsOf(scrapeInterval);
    this.dashboards = dashboards(shownOf(scraped));
    this.#scrapeInterval = scrapeInterval;
    this.#takesSeries = remoteWrite;
    this.#scraped = scraped;
    this.#port = host.ports(name, ["prometheus"]).prometheus as number;
    const exporters = scraped.machines.map((machine) => startExporter(name, machine, this));
    const jobs = [
      ...scraped.watched.filter(isScraped).map(scrapeJob),
      ...exporters.map(({ job }) => job),
      this.#itself,
    ];
    this.#targets = jobs.reduce((sum, { targets }) => sum + targets.length, 0);
    const configuration = prometheusConfig(this.scrapeIntervalS, jobs);
    const started = start(name, host, prometheus(configuration, this.#port, { remoteWrite }), this);
    const at = urlOf(host, this.#port);
    const shown = isGrafana ? startGrafana(name, host, at, this) : undefined;
    this.workloads = [...exporters.map((one) => one.started), started, ...(shown ? [shown.started] : [])];
    this.url = started.identity.apply(() => at);
    this.grafana = shown?.access;
    this.#forwards = [
      { from: this.#port, to: tunnelled.prometheus },
      ...(shown ? [{ from: shown.port, to: tunnelled.grafana }] : []),
    ];
    this.registerOutputs({ url: this.url, grafana: this.grafana });
  }

  /**
   * How it is reached from outside of its host's network: where that takes a tunnel, by a command that brings its pages to
   * one's own loopback. Nothing is opened for it.
   *
   * @param keyFile  With the private key, where SSH does not find it of itself.
   */
  access(keyFile?: string): ObservatoryAccess {
    const { host, url, grafana } = this;
    const tunnel = host.tunnel?.(this.#forwards, keyFile);
    if (tunnel === undefined) return { tunnel, prometheus: url, grafana };
    const through = (own: pulumi.Output<string>, port: number) => own.apply(() => `http://127.0.0.1:${port}`);
    return {
      tunnel,
      prometheus: through(url, tunnelled.prometheus),
      grafana: grafana && { ...grafana, url: through(grafana.url, tunnelled.grafana) },
    };
  }

  /** As results state it. */
  get note(): ObservatoryNote {
    return { scrapeIntervalS: this.scrapeIntervalS };
  }

  /** Why it is of no use to runs of these, one line each. */
  faultsOf(load: Load, generator: LoadGenerator, targets: readonly GatewayUnderTest[]): readonly Fault[] {
    const taking = [...targets.flatMap((target) => [target, target.upstream]), generator];
    const unwatched = unwatchedFaults(
      this.#scraped,
      taking.map((one) => one.watched),
    );
    return [...scrapeFaults(this.#scrapeInterval, load), ...unwatched, ...this.#seriesFaults(generator)];
  }

  #seriesFaults({ adapter }: LoadGenerator): readonly Fault[] {
    if (!this.#takesSeries || adapter.reports.remoteWrite) return [];
    const message = `remoteWrite is asked for, and ${adapter.name} sends no series of its own. Choose a generator that does, or leave it out.`;
    return [fault("invalid-option", message)];
  }

  /** A generator's job as it runs beside it: where that was asked for, it sends its series here. */
  beside(job: Job, { adapter, watched }: LoadGenerator): Job {
    const { remoteWrite } = adapter.reports;
    if (!this.#takesSeries || !remoteWrite) return job;
    return sendingTo(job, remoteWrite, `${urlOf(this.host, this.#port)}/api/v1/write`, watched.job);
  }

  /** What the host of a run needs to ask it. */
  order(target: GatewayUnderTest, generator: LoadGenerator): ObservatoryOrder {
    const parts = { gateway: target.watched, upstream: target.upstream.watched, generator: generator.watched };
    return {
      ...{ host: this.host.addressFor(this.#port), port: this.#port, scrapeIntervalS: this.scrapeIntervalS },
      ...{ targets: this.#targets, job: ownJob },
      figures: figuresAsked(this.#scraped, parts),
    };
  }

  /** Prometheus scrapes itself, by which a restart is seen. */
  get #itself(): ScrapeJob {
    return { job: ownJob, role: "observer", targets: [metricsOf(this.host, this.#port)] };
  }
}

const ownJob = "observatory";
const urlOf = (host: Host, port: number): string => `http://${host.addressFor(port)}:${port}`;
const isScraped = ({ pages }: Watched): boolean => pages.length > 0;
const metricsOf = (host: Host, port: number): ScrapeTarget => ({
  ...{ host: host.name, address: host.addressFor(port), port },
  path: "/metrics",
});

function scrapedBy({ host, watches, figures: chosen, queries = [] }: ObservatoryArgs): Scraped {
  const watched = watches.map((one) => one.watched);
  return { watched, machines: machinesOf(watched, [host]), chosen, queries };
}

function startExporter(owner: string, machine: Host, parent: pulumi.Resource) {
  const port = machine.ports(owner, ["node-exporter"])["node-exporter"] as number;
  const job: ScrapeJob = { job: machineJob(machine), role: "host", targets: [metricsOf(machine, port)] };
  // One on each machine: the engine tells them apart by their names.
  return { job, started: start(`${owner}-${machine.name}`, machine, nodeExporter(port), parent) };
}

function startGrafana(owner: string, host: Host, prometheusUrl: string, parent: Observatory) {
  const port = host.ports(owner, ["grafana"]).grafana as number;
  const started = start(owner, host, grafana(port, prometheusUrl, parent.dashboards), parent);
  const values = host.site.credentials.values([grafanaPassword]);
  const access: GrafanaAccess = {
    url: started.identity.apply(() => urlOf(host, port)),
    user: grafanaUser,
    password: values.apply((known) => known[grafanaPassword] as string),
  };
  return { started, access, port };
}

function start(owner: string, host: Host, workload: Workload, parent: pulumi.Resource): StartedWorkload {
  const { credentials } = host.site;
  const values = credentials.values(referencesIn(JSON.stringify(workload)));
  return host.start(workload, { owner, values, valuesId: credentials.identity, siblings: [] }, { parent });
}
