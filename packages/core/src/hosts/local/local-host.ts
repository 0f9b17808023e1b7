import { cpus } from "node:os";
import * as pulumi from "@pulumi/pulumi";
import { fault, lineOf, type Ports, type SetupRequest, type Values, type Workload } from "../../contract";
import type { Host, Link, RunOrder, Session, StartedWorkload, Surroundings } from "../host";
import { identityOf } from "../identity";
import { unpackRecord } from "../job-record";
import type { Site } from "../site";
import { agentCommand } from "./agent-command";
import { loopback, type WorkloadRecord } from "./agent/workload";
import { localPlace } from "./local-place";
import { PortBlock } from "./port-block";

export interface LocalHostArgs {
  readonly site: Site;
  /** The first of 400 ports workloads listen on. Default: derived from project, stack and folder, below the ephemeral range. */
  readonly portBase?: number;
}

/** This machine: workloads are native processes bound to loopback. */
export class LocalHost extends pulumi.ComponentResource implements Host {
  readonly name = "local";
  readonly kind = "local";
  readonly runs = ["containers"] as const;
  readonly address = loopback;
  readonly cpus = cpus().length;
  readonly identity: pulumi.Output<string>;
  readonly site: Site;
  readonly #ports: PortBlock;
  readonly #place: string;
  readonly #opened: pulumi.Resource;

  constructor(name: string, { site, portBase }: LocalHostArgs, opts?: pulumi.ComponentResourceOptions) {
    const place = localPlace(name);
    const ports = new PortBlock(place, portBase);
    super("gatebench:index:LocalHost", name, {}, opts);
    const opened = openPlace(name, place, { parent: this });
    this.site = site;
    this.#ports = ports;
    this.#place = place;
    this.#opened = opened;
    this.identity = opened.stdout.apply((text) => (JSON.parse(text) as { identity: string }).identity);
    this.registerOutputs({ identity: this.identity });
  }

  ports(owner: string, names: readonly string[]): Ports {
    return Object.fromEntries(names.map((name) => [name, this.#ports.take(`${owner}.${name}`)]));
  }

  start(
    workload: Workload,
    { owner, values, valuesId, siblings }: Surroundings,
    opts: pulumi.ResourceOptions,
  ): StartedWorkload {
    refuseContainersOnly(workload);
    const name = `${owner}-${workload.name}`;
    const identity = pulumi.all([this.identity, valuesId]).apply((known) => identityOf(workload, ...known));
    const stdin = pulumi
      .all([identity, values])
      .apply(([of, given]) => JSON.stringify({ place: this.#place, name, workload, identity: of, values: given }));
    const started = agentCommand(
      name,
      { verb: "start-workload", deleteVerb: "stop-workload", stdin: pulumi.secret(stdin), triggers: [identity] },
      { ...opts, deleteBeforeReplace: true, dependsOn: [this.#opened, ...siblings.map(({ resource }) => resource)] },
    );
    const record = started.stdout.apply((text) => JSON.parse(text) as WorkloadRecord);
    const [running, version] = [record.apply((known) => known.identity), record.apply((known) => known.version)];
    return { workload, name, address: loopback, identity: running, version, resource: started };
  }

  setUp(
    requests: readonly SetupRequest[],
    { owner, values, valuesId, siblings }: Surroundings,
    opts: pulumi.ResourceOptions,
  ): pulumi.Resource {
    const stdin = values.apply((given) => JSON.stringify({ requests, values: given }));
    const triggers = [identityOf(requests), valuesId, ...siblings.map(({ identity }) => identity)];
    return agentCommand(
      `${owner}-setup`,
      { verb: "set-up", stdin: pulumi.secret(stdin), triggers },
      { ...opts, dependsOn: siblings.map(({ resource }) => resource) },
    );
  }

  openSession(name: string, runId: string, beside: readonly Host[], opts: pulumi.ResourceOptions): Session {
    const others = beside.flatMap((host) => (host instanceof LocalHost && host !== this ? [host.#place] : []));
    const given = JSON.stringify({ place: this.#place, name, places: [this.#place, ...new Set(others)] });
    const resource = agentCommand(
      `${name}-session`,
      {
        verb: "open-session",
        update: "keep-session",
        deleteVerb: "close-session",
        stdin: given,
        triggers: [this.identity, runId],
      },
      { ...opts, deleteBeforeReplace: true, dependsOn: this.#opened },
    );
    return new LocalSession(
      this.#place,
      name,
      resource,
      resource.stdout.apply((text) => (JSON.parse(text) as { id: string }).id),
    );
  }
}

/** What only a container can be given is refused, never left out. */
function refuseContainersOnly({ name, limits, hostEntries }: Workload): void {
  const asked = [limits && "limits", hostEntries && "hostEntries"].filter(Boolean);
  if (asked.length === 0) return;
  const message = `workload ${name} asks for ${asked.join(" and ")}, and a native process on this machine has none. Use cpuset, or a host with containers.`;
  throw new pulumi.RunError(lineOf(fault("unsupported-host", message)));
}

/** Jobs of one benchmark on this machine. */
class LocalSession implements Session {
  constructor(
    private readonly place: string,
    private readonly name: string,
    readonly resource: pulumi.Resource,
    readonly id: pulumi.Output<string>,
  ) {}

  keep(
    vault: string,
    values: pulumi.Output<Values>,
    valuesId: pulumi.Output<string>,
    opts: pulumi.ResourceOptions,
  ): pulumi.Resource {
    const stdin = values.apply((given) =>
      JSON.stringify({ place: this.place, session: this.name, vault, values: given }),
    );
    return agentCommand(
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
    const chained = pulumi.all([this.id, before, order]).apply(([session, execution, what]) => ({
      what,
      id: identityOf(session, execution, what ? carriedOut(what) : "done"),
    }));
    const stdin = chained.apply(({ id, what }) =>
      what ? `${JSON.stringify({ place: this.place, order: { ...what, id, session: this.name } })}` : "done",
    );
    const ran = agentCommand(
      name,
      {
        verb: "run-job",
        deleteVerb: "forget-job",
        stdin: stdin.apply((text) => (text === "done" ? "done\n" : `order\n${text}`)),
        triggers: [chained.apply(({ id }) => id)],
        mayBeDone: true,
      },
      { ...opts, deleteBeforeReplace: true, deletedWith: this.resource },
    );
    const link = pulumi.all([ran.stdout, chained]).apply(([text, { id }]) => linkOf(text, id));
    return { resource: ran, link: link as pulumi.Output<Link> };
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

function openPlace(name: string, place: string, opts: pulumi.ResourceOptions) {
  return agentCommand(
    `${name}-place`,
    {
      verb: "open-place",
      update: "keep-place",
      deleteVerb: "close-place",
      stdin: JSON.stringify({ place, name }),
      remembers: true,
    },
    { ...opts, deleteBeforeReplace: true },
  );
}
