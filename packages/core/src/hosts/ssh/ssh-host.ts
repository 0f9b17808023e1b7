import * as command from "@pulumi/command";
import type * as pulumi from "@pulumi/pulumi";
import type { Ports } from "../../contract";
import { AgentHost, type AgentOrder, type Archive, type Asked } from "../agent-host";
import type { Forward } from "../host";
import type { ObservedHost } from "../job-record";
import { agentCommand } from "../local/agent-command";
import { localPlace } from "../local/local-place";
import type { Site } from "../site";
import { agentText } from "./agent-text";
import { archiveText, closeText, openText, readyText, verbText, wordOf, type RemoteAgent } from "./remote-agent";
import { RemotePorts } from "./remote-ports";
import { addressOf, dialled, dialOrder, tunnelText, type SshConnection } from "./ssh-connection";

export interface SshHostArgs {
  readonly site: Site;
  readonly connection: SshConnection;
  /** Where the other hosts reach it: a private address, so that no load crosses a public network. */
  readonly address: string;
  /** How many it has, known while planning. */
  readonly cpus: number;
  /** A shell command that returns when the machine is ready to be used. Default: it is. */
  readonly ready?: string;
  /** As results state it. Default: the component's name. */
  readonly label?: string;
  /** Changes when the machine is another one, such as an instance's id. */
  readonly machine?: pulumi.Input<string>;
  /** The machine itself, where it is ours: what is on it needs no taking down when it goes. */
  readonly resource?: pulumi.Resource;
}

/**
 * Any Linux machine with Docker that is reached over SSH.
 *
 * Workloads and tools are containers on the machine's own network, so that nothing translates addresses in the measured
 * path. An agent beside them carries jobs out: a cut connection, a killed engine or a closed laptop ends none, and who
 * asks again for the same job is given the one that runs or what it left.
 */
export class SshHost extends AgentHost {
  readonly name: string;
  readonly kind = "ssh";
  readonly address: string;
  readonly cpus: number;
  readonly identity: pulumi.Output<string>;
  readonly site: Site;
  protected readonly place: string;
  protected readonly opened: pulumi.Resource;
  protected readonly observed: ObservedHost;
  readonly #ports = new RemotePorts();
  readonly #connection: SshConnection;
  readonly #machine: pulumi.Input<string>;
  readonly #resource: pulumi.Resource | undefined;

  constructor(name: string, args: SshHostArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatebench:index:SshHost", name, { address: args.address, cpus: args.cpus }, opts);
    const { site, connection, address, cpus, label = name, machine = "", resource, ready = "true" } = args;
    this.name = label;
    this.address = address;
    this.cpus = cpus;
    this.site = site;
    this.place = wordOf(localPlace(name));
    this.#connection = connection;
    this.#machine = machine;
    this.#resource = resource;
    this.observed = { name: label, address, port: this.#ports.take("gatebench.observer") };
    const opened = this.#open(name, this.#reach(name, ready));
    this.opened = opened;
    this.identity = opened.stdout.apply((text) => (JSON.parse(text) as { identity: string }).identity);
    this.registerOutputs({ identity: this.identity });
  }

  get #agent(): RemoteAgent {
    return { place: this.place, host: this.name };
  }

  addressFor(): string {
    return this.address;
  }

  ports(owner: string, names: readonly string[]): Ports {
    return Object.fromEntries(names.map((name) => [name, this.#ports.take(`${owner}.${name}`)]));
  }

  tunnel(forwards: readonly Forward[], keyFile?: string): pulumi.Output<string> {
    return tunnelText(this.#connection, this.address, forwards, keyFile);
  }

  /** Before the command plug-in dials, whose words for a machine that lets nobody in are not for people. */
  #logIn(name: string): pulumi.Resource {
    const stdin = dialOrder(this.name, this.#connection);
    return agentCommand(`${name}-login`, { verb: "reach-host", stdin, triggers: [this.#machine] }, { parent: this });
  }

  /** Makes nothing and takes everything down: it is on record before anything is there to be left. */
  #reach(name: string, ready: string): pulumi.Resource {
    return this.#command(
      `${name}-machine`,
      {
        create: readyText(this.#agent, ready),
        update: "true",
        delete: closeText(this.#agent),
        triggers: [this.#machine],
      },
      { parent: this, deleteBeforeReplace: true, dependsOn: this.#logIn(name) },
    );
  }

  #open(name: string, reached: pulumi.Resource): Asked {
    const { address: host, port } = this.observed;
    const order = JSON.stringify({ place: this.place, name, observer: { host, port } });
    return this.#command(
      `${name}-place`,
      {
        create: openText(this.#agent, "open-place"),
        update: openText(this.#agent, "keep-place"),
        stdin: `${order}\n${agentText()}`,
        triggers: [this.#machine],
      },
      { parent: this, deleteBeforeReplace: true, dependsOn: reached },
    );
  }

  protected archive(folder: string, paths: readonly string[]): pulumi.Output<Archive> {
    const command = archiveText(this.#agent, folder, paths);
    return addressOf(this.#connection).apply((address) => ({ address, command }));
  }

  protected ask(
    name: string,
    { verb, stdin, triggers = [], update, deleteVerb, mayBeDone }: AgentOrder,
    opts: pulumi.CustomResourceOptions,
  ): Asked {
    const text = (of: string, more = {}) => verbText(this.#agent, of, name, { mayBeDone, ...more });
    return this.#command(
      name,
      {
        create: text(verb),
        ...(update ? { update: text(update) } : {}),
        ...(deleteVerb ? { delete: text(deleteVerb, { ends: true }) } : {}),
        stdin,
        triggers: [...triggers],
      },
      opts,
    );
  }

  /** The text of each is constant and holds no value: a failing command prints its own. */
  #command(
    name: string,
    args: Omit<command.remote.CommandArgs, "connection">,
    opts: pulumi.CustomResourceOptions,
  ): command.remote.Command {
    return new command.remote.Command(
      name,
      { connection: dialled(this.#connection), logging: "stderr", addPreviousOutputInEnv: false, ...args },
      { ...opts, ...(this.#resource ? { deletedWith: this.#resource } : {}) },
    );
  }
}
