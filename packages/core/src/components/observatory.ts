import * as pulumi from "@pulumi/pulumi";
import {
  fault,
  figureFaults,
  listed,
  referencesIn,
  scrapeFaults,
  secondsOf,
  unknownFigures,
  type Duration,
  type Fault,
  type Load,
  type ObservatoryNote,
  type QueriedFigure,
  type Workload,
} from "../contract";
import type { Host, StartedWorkload } from "../hosts/host";
import type { ObservatoryOrder } from "../hosts/job-record";
import { refuseFaults } from "../hosts/refuse-faults";
import {
  dashboards,
  grafana,
  grafanaPassword,
  grafanaUser,
  hostFigures,
  nodeExporter,
  prometheus,
  prometheusConfig,
  type Dashboard,
  type ScrapeJob,
} from "../observatory";
import { askedFigures } from "./asked-figures";
import type { GatewayUnderTest } from "./gateway-under-test";
import type { LoadGenerator } from "./load-generator";
import { figuresOf, machinesOf, scrapeJob, type Available, type Watchable, type Watched } from "./watched";

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
  /** Whether Grafana runs, too, with a dashboard for each role and one for the machines. @default false */
  readonly grafana?: boolean;
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
  /** Where Prometheus answers. */
  readonly url: pulumi.Output<string>;
  readonly grafana: GrafanaAccess | undefined;
  /** Everything it runs, on whichever machine. */
  readonly workloads: readonly StartedWorkload[];
  /** What is shown, with or without Grafana: each panel's query can be asked of Prometheus. */
  readonly dashboards: readonly Dashboard[];
  readonly #scrapeInterval: Duration;
  readonly #watched: readonly Watched[];
  readonly #machines: readonly Host[];
  readonly #port: number;
  readonly #chosen: ObservatoryArgs["figures"];
  readonly #queries: readonly QueriedFigure[];

  constructor(name: string, args: ObservatoryArgs, opts?: pulumi.ComponentResourceOptions) {
    const { host, watches, scrapeInterval = "1s", figures, queries = [], grafana: isGrafana = false } = args;
    const watched = watches.map((one) => one.watched);
    const machines = machinesOf(watched, [host]);
    refuseFaults([...scrapeFaults(scrapeInterval), ...queryFaults(watched, machines, figures, queries)]);
    super("gatebench:index:Observatory", name, { scrapeInterval, watches: watched.map((one) => one.name) }, opts);
    this.host = host;
    this.scrapeIntervalS = secondsOf(scrapeInterval);
    this.#scrapeInterval = scrapeInterval;
    this.dashboards = dashboards(shownOf(watched));
    this.#watched = watched;
    this.#machines = machines;
    this.#chosen = figures;
    this.#queries = queries;
    const ports = host.ports(name, ["prometheus", ...(isGrafana ? ["grafana"] : [])]);
    this.#port = ports.prometheus as number;
    const { jobs, exporters } = startExporters(name, machines, this);
    const all = [...watched.filter(({ pages }) => pages.length > 0).map(scrapeJob), ...jobs, this.#itself()];
    const started = start(name, host, prometheus(prometheusConfig(this.scrapeIntervalS, all), this.#port), this);
    const at = `http://${host.address}:${this.#port}`;
    const shown = isGrafana ? startGrafana(name, host, ports.grafana as number, at, this) : undefined;
    this.workloads = [...exporters, started, ...(shown ? [shown.started] : [])];
    this.url = started.identity.apply(() => at);
    this.grafana = shown?.access;
    this.registerOutputs({ url: this.url, grafana: this.grafana });
  }

  /** As results state it. */
  get note(): ObservatoryNote {
    return { scrapeIntervalS: this.scrapeIntervalS };
  }

  /** Why it is of no use to runs of these, one line each. */
  faultsOf(load: Load, generator: Watchable, targets: readonly GatewayUnderTest[]): readonly Fault[] {
    const taking = [...targets.flatMap((target) => [target, target.upstream]), generator].map(({ watched }) => watched);
    const unseen = [...new Set(taking)].filter((one) => !this.#watched.includes(one));
    return [
      ...scrapeFaults(this.#scrapeInterval, load),
      ...unseen.map(({ name }) =>
        fault(
          "invalid-option",
          `the benchmark loads ${name}, which its observatory does not watch. It watches: ${listed(this.#watched.map((one) => one.name))}. Add it there.`,
        ),
      ),
    ];
  }

  /** What the host of a run needs to ask it. */
  order(target: GatewayUnderTest, generator: LoadGenerator): ObservatoryOrder {
    const parts = { gateway: target.watched, upstream: target.upstream.watched, generator: generator.watched };
    const declared = [...Object.values(parts).flatMap(figuresOf), ...this.#machines.flatMap(figuresOfMachine)];
    const chosen = declared.filter(({ figure }) => this.#chosen?.includes(figure.name) ?? true);
    return {
      ...{ host: this.host.address, port: this.#port, scrapeIntervalS: this.scrapeIntervalS, job: ownJob },
      figures: askedFigures([...chosen, ...this.#queries.map(ofUser)], parts, jobOfMachine(this.#machines)),
    };
  }

  /** Prometheus scrapes itself, by which a restart is seen. */
  #itself(): ScrapeJob {
    const { name: host, address } = this.host;
    return { job: ownJob, role: "observer", targets: [{ host, address, port: this.#port, path: "/metrics" }] };
  }
}

const ownJob = "observatory";
const jobOf = ({ name }: Host): string => `host-${name}`;

/** The scrape job of the machine a host stands on. */
const jobOfMachine =
  (machines: readonly Host[]) =>
  ({ address }: Host): string =>
    jobOf(machines.find((machine) => machine.address === address) as Host);

function figuresOfMachine(machine: Host): readonly Available[] {
  const job = jobOf(machine);
  const figures = hostFigures(machine.name, job);
  return figures.map((figure) => ({ figure, whose: "service", by: `host ${machine.name}`, jobs: [job] }));
}

const ofUser = (figure: QueriedFigure): Available => ({ figure, whose: "user", by: "the user", jobs: [] });

function queryFaults(
  watched: readonly Watched[],
  machines: readonly Host[],
  chosen: readonly string[] = [],
  queries: readonly QueriedFigure[],
): readonly Fault[] {
  const declared = [...watched.flatMap(figuresOf), ...machines.flatMap(figuresOfMachine)];
  return [...figureFaults([...declared, ...queries.map(ofUser)]), ...unknownFigures(chosen, declared)];
}

function shownOf(watched: readonly Watched[]) {
  return [...new Set(watched.map(({ role }) => role))].map((role) => {
    const parts = watched.filter((one) => one.role === role);
    return {
      role,
      hosts: [...new Set(parts.flatMap(({ hosts }) => hosts.map(({ name }) => name)))],
      figures: parts.flatMap(({ pages }) => pages.flatMap(({ figures = [] }) => figures)),
      isScraped: parts.some(({ pages }) => pages.length > 0),
    };
  });
}

/** One on each machine, whoever of it takes part. */
function startExporters(owner: string, machines: readonly Host[], parent: pulumi.Resource) {
  const each = machines.map((machine) => {
    const port = machine.ports(owner, ["node-exporter"])["node-exporter"] as number;
    const { name: host, address } = machine;
    const job: ScrapeJob = { job: jobOf(machine), role: "host", targets: [{ host, address, port, path: "/metrics" }] };
    return { job, started: start(owner, machine, nodeExporter(port), parent) };
  });
  return { jobs: each.map(({ job }) => job), exporters: each.map(({ started }) => started) };
}

function startGrafana(owner: string, host: Host, port: number, prometheusUrl: string, parent: Observatory) {
  const started = start(owner, host, grafana(port, prometheusUrl, parent.dashboards), parent);
  const url = started.identity.apply(() => `http://${host.address}:${port}`);
  const values = host.site.credentials.values([grafanaPassword]);
  const password = values.apply((known) => known[grafanaPassword] as string);
  return { started, access: { url, user: grafanaUser, password } };
}

function start(owner: string, host: Host, workload: Workload, parent: pulumi.Resource): StartedWorkload {
  const { credentials } = host.site;
  const values = credentials.values(referencesIn(JSON.stringify(workload)));
  return host.start(workload, { owner, values, valuesId: credentials.identity, siblings: [] }, { parent });
}
