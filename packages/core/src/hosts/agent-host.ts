import * as pulumi from "@pulumi/pulumi";
import { fault, type ClusterDeployment, type Ports, type SetupRequest, type Values, type Workload } from "../contract";
import type { Collection } from "./agent/collected-artifacts";
import type { WorkloadRecord } from "./agent/workload";
import type { Host, Link, RunOrder, Session, StartedWorkload, Surroundings } from "./host";
import { identityOf } from "./identity";
import { refusalOf } from "./refuse-faults";
import { unpackRecord, type JobRecord, type ObservedHost } from "./job-record";
import { agentCommand } from "./local/agent-command";
import type { Site } from "./site";

/** What the agent of a machine is asked for. */
export interface AgentOrder {
  readonly verb: string;
  /** JSON; the only way by which anything but the verb reaches the agent. */
  readonly stdin: pulumi.Input<string>;
  readonly triggers?: readonly pulumi.Input<unknown>[];
  /** A verb, where repeating `verb` would not do. */
  readonly update?: string;
  /** The verb of the destroy, given the same standard input. */
  readonly deleteVerb?: string;
  /** Ends at once, before any program is started, where the first line of standard input is "done". */
  readonly mayBeDone?: boolean;
}

/** A command of the engine that asks an agent. */
export type Asked = pulumi.Resource & { readonly stdout: pulumi.Output<string> };

/** What brings files of another machine here. */
export type Archive = NonNullable<Collection["over"]>;

/** A machine whose work is done by our agent: it starts workloads, keeps sessions and carries out jobs. */
export abstract class AgentHost extends pulumi.ComponentResource implements Host {
  abstract readonly name: string;
  abstract readonly kind: Host["kind"];
  abstract readonly address: string;
  abstract readonly cpus: number;
  abstract readonly site: Site;
  abstract readonly identity: pulumi.Output<string>;
  readonly runs: Host["runs"] = ["containers"];
  /** Names the machine's part of the topology, in its own folders. */
  protected abstract readonly place: string;
  /** What opened the place: everything else comes after. */
  protected abstract readonly opened: pulumi.Resource;
  /** Where other hosts ask what this one does; none where they are the same machine. */
  protected abstract readonly observed: ObservedHost | undefined;

  abstract addressFor(port: number): string;
  abstract ports(owner: string, names: readonly string[]): Ports;
  /** How files in a folder of this host come to the machine on which the program runs; undefined: they are on it. */
  protected abstract archive(folder: string, paths: readonly string[]): pulumi.Output<Archive> | undefined;
  protected abstract ask(name: string, order: AgentOrder, opts: pulumi.CustomResourceOptions): Asked;

  start(
    workload: Workload,
    { owner, values, valuesId, siblings }: Surroundings,
    opts: pulumi.ResourceOptions,
  ): StartedWorkload {
    const name = `${owner}-${workload.name}`;
    const identity = pulumi.all([this.identity, valuesId]).apply((known) => identityOf(workload, ...known));
    const stdin = pulumi
      .all([identity, values])
      .apply(([of, given]) => JSON.stringify({ place: this.place, name, workload, identity: of, values: given }));
    const started = this.ask(
      name,
      { verb: "start-workload", deleteVerb: "stop-workload", stdin: pulumi.secret(stdin), triggers: [identity] },
      { ...opts, deleteBeforeReplace: true, dependsOn: [this.opened, ...siblings.map(({ resource }) => resource)] },
    );
    const record = started.stdout.apply((text) => JSON.parse(text) as WorkloadRecord);
    const [running, version] = [record.apply((known) => known.identity), record.apply((known) => known.version)];
    return { workload, name, address: this.address, host: this, identity: running, version, resource: started };
  }

  release(deployment: ClusterDeployment, surroundings: Surroundings, opts: pulumi.ResourceOptions): StartedWorkload;
  release({ charts }: ClusterDeployment): StartedWorkload {
    const names = charts.map(({ name }) => name).join(", ");
    throw refusalOf([
      fault("unsupported-host", `${this.name} runs ${this.runs.join(", ")}, and not the charts ${names}.`),
    ]);
  }

  setUp(
    requests: readonly SetupRequest[],
    { owner, values, valuesId, siblings }: Surroundings,
    opts: pulumi.ResourceOptions,
  ): pulumi.Resource {
    const stdin = values.apply((given) => JSON.stringify({ requests, values: given }));
    const triggers = [identityOf(requests), valuesId, ...siblings.map(({ identity }) => identity)];
    return this.ask(
      `${owner}-setup`,
      { verb: "set-up", stdin: pulumi.secret(stdin), triggers },
      { ...opts, dependsOn: siblings.map(({ resource }) => resource) },
    );
  }

  openSession(name: string, runId: string, beside: readonly Host[], opts: pulumi.ResourceOptions): Session {
    const others = [...new Set(beside)].filter((host): host is AgentHost => host instanceof AgentHost && host !== this);
    const here = others.filter(({ observed }) => observed === undefined);
    const given = { place: this.place, name, places: [this.place, ...here.map(({ place }) => place)] };
    const resource = this.ask(
      `${name}-session`,
      {
        verb: "open-session",
        update: "keep-session",
        deleteVerb: "close-session",
        stdin: JSON.stringify(given),
        triggers: [this.identity, runId],
      },
      // Runs ask the others what they do: each of them must be there to answer, whether or not anything stands on it.
      { ...opts, deleteBeforeReplace: true, dependsOn: [this, ...others].map(({ opened }) => opened) },
    );
    const id = resource.stdout.apply((text) => (JSON.parse(text) as { id: string }).id);
    const observed = others.flatMap((host) => host.observed ?? []);
    const ask: AgentSession["ask"] = (...asked) => this.ask(...asked);
    const { place, name: label } = this;
    const archive: AgentSession["archive"] = (...files) => this.archive(...files);
    return new AgentSession({ place, label, name, resource, id, observed, ask, archive });
  }
}

interface SessionFacts {
  readonly place: string;
  /** As results name the host. */
  readonly label: string;
  readonly name: string;
  readonly resource: pulumi.Resource;
  readonly id: pulumi.Output<string>;
  readonly observed: readonly ObservedHost[];
  readonly ask: (name: string, order: AgentOrder, opts: pulumi.CustomResourceOptions) => Asked;
  readonly archive: (folder: string, paths: readonly string[]) => pulumi.Output<Archive> | undefined;
}

/** Jobs of one benchmark, carried out by one machine. */
class AgentSession implements Session {
  readonly place: string;
  readonly name: string;
  readonly resource: pulumi.Resource;
  readonly id: pulumi.Output<string>;
  readonly ask: SessionFacts["ask"];
  readonly archive: SessionFacts["archive"];
  readonly #label: string;
  readonly #observed: readonly ObservedHost[];

  constructor({ place, label, name, resource, id, observed, ask, archive }: SessionFacts) {
    this.place = place;
    this.#label = label;
    this.name = name;
    this.resource = resource;
    this.id = id;
    this.ask = ask;
    this.archive = archive;
    this.#observed = observed;
  }

  keep(
    vault: string,
    values: pulumi.Output<Values>,
    valuesId: pulumi.Output<string>,
    opts: pulumi.ResourceOptions,
  ): pulumi.Resource {
    const stdin = values.apply((given) =>
      JSON.stringify({ place: this.place, session: this.name, vault, values: given }),
    );
    return this.ask(
      `${this.name}-${vault}-values`,
      { verb: "keep-values", stdin: pulumi.secret(stdin), triggers: [this.id, valuesId] },
      { ...opts, deletedWith: this.resource, dependsOn: this.resource },
    );
  }

  run(
    name: string,
    before: pulumi.Output<string>,
    order: pulumi.Output<RunOrder | undefined>,
    opts: pulumi.ResourceOptions,
  ): { readonly resource: pulumi.Resource; readonly link: pulumi.Output<Link> } {
    const observed = this.#observed;
    const chained = pulumi.all([this.id, before, order]).apply(([session, execution, what]) => ({
      what,
      id: identityOf(session, execution, what ? carriedOut(what) : "done"),
    }));
    const stdin = chained.apply(({ id, what }) =>
      what
        ? `order\n${JSON.stringify({ place: this.place, order: { ...what, id, session: this.name, observed } })}`
        : "done\n",
    );
    const ran = this.ask(
      name,
      {
        verb: "run-job",
        deleteVerb: "forget-job",
        stdin,
        triggers: [chained.apply(({ id }) => id)],
        mayBeDone: true,
      },
      { ...opts, deleteBeforeReplace: true, deletedWith: this.resource },
    );
    const link = pulumi.all([ran.stdout, chained]).apply(([text, { id }]) => linkOf(text, id));
    return { resource: ran, link: link as pulumi.Output<Link> };
  }

  collect(
    name: string,
    link: pulumi.Output<Link>,
    to: (record: JobRecord) => string,
    opts: pulumi.ResourceOptions,
  ): pulumi.Resource {
    const stdin = link.apply(({ record }) =>
      record === undefined || record.artifacts.length === 0 ? "done\n" : this.#collection(record, to(record)),
    );
    const triggers = [link.apply(({ execution }) => execution)];
    // It may say how a machine is reached.
    const order = { verb: "collect-artifacts", stdin: pulumi.secret(stdin), triggers, mayBeDone: true };
    return agentCommand(name, order, opts);
  }

  #collection({ folder, artifacts }: JobRecord, to: string): pulumi.Output<string> {
    const paths = artifacts.map(({ path }) => path);
    const over = this.archive(folder, paths);
    return pulumi.interpolate`order\n${pulumi.jsonStringify({ label: this.#label, folder, artifacts, to, over })}`;
  }
}

/** The part of an order that decides what runs; what a person reads while it runs does not. */
function carriedOut(order: RunOrder): Omit<RunOrder, "label"> {
  return Object.fromEntries(Object.entries(order).filter(([key]) => key !== "label")) as Omit<RunOrder, "label">;
}

function linkOf(text: string, id: string): Link {
  if (text === "") return { record: undefined, execution: id };
  const record = unpackRecord(text);
  return { record, execution: record.execution };
}
