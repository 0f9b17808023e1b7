import { cpus } from "node:os";
import type * as pulumi from "@pulumi/pulumi";
import { fault, type Ports, type Workload } from "../../contract";
import { AgentHost, type AgentOrder, type Asked } from "../agent-host";
import { loopback } from "../agent/setting";
import type { StartedWorkload, Surroundings } from "../host";
import { refuseFaults } from "../refuse-faults";
import type { Site } from "../site";
import { agentCommand } from "./agent-command";
import { localPlace } from "./local-place";
import { PortBlock } from "./port-block";

export interface LocalHostArgs {
  readonly site: Site;
  /** The first of 400 ports workloads listen on. Default: derived from project, stack and folder, below the ephemeral range. */
  readonly portBase?: number;
}

/** This machine: workloads are native processes bound to loopback. */
export class LocalHost extends AgentHost {
  readonly name = "local";
  readonly kind = "local";
  readonly address = loopback;
  readonly cpus = cpus().length;
  readonly identity: pulumi.Output<string>;
  readonly site: Site;
  protected readonly place: string;
  protected readonly opened: pulumi.Resource;
  protected readonly observed = undefined;
  readonly #ports: PortBlock;

  constructor(name: string, { site, portBase }: LocalHostArgs, opts?: pulumi.ComponentResourceOptions) {
    const place = localPlace(name);
    const ports = new PortBlock(place, portBase);
    super("gatebench:index:LocalHost", name, {}, opts);
    const opened = openPlace(name, place, { parent: this });
    this.site = site;
    this.#ports = ports;
    this.place = place;
    this.opened = opened;
    this.identity = opened.stdout.apply((text) => (JSON.parse(text) as { identity: string }).identity);
    this.registerOutputs({ identity: this.identity });
  }

  addressFor(): string {
    return this.address;
  }

  ports(owner: string, names: readonly string[]): Ports {
    return Object.fromEntries(names.map((name) => [name, this.#ports.take(`${owner}.${name}`)]));
  }

  override start(workload: Workload, surroundings: Surroundings, opts: pulumi.ResourceOptions): StartedWorkload {
    refuseContainersOnly(workload);
    return super.start(workload, surroundings, opts);
  }

  protected archive(): undefined {
    return undefined;
  }

  protected ask(name: string, order: AgentOrder, opts: pulumi.CustomResourceOptions): Asked {
    return agentCommand(name, order, opts);
  }
}

/** What only a container can be given is refused, never left out. */
function refuseContainersOnly({ name, limits, hostEntries }: Workload): void {
  const asked = [limits && "limits", hostEntries && "hostEntries"].filter(Boolean);
  if (asked.length === 0) return;
  const message = `workload ${name} asks for ${asked.join(" and ")}, and a native process on this machine has none. Use cpuset, or a host with containers.`;
  refuseFaults([fault("unsupported-host", message)]);
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
