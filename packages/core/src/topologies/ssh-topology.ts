import type * as pulumi from "@pulumi/pulumi";
import { fault, type Fault, type Values } from "../contract";
import type { Host } from "../hosts/host";
import { refuseFaults } from "../hosts/refuse-faults";
import { openSite, type Site } from "../hosts/site";
import type { SshConnection } from "../hosts/ssh/ssh-connection";
import { SshHost } from "../hosts/ssh/ssh-host";
import { byRole, hostsInRoles, mapRoles, roleFaults, type Roles } from "./roles";
import { TopologyComponent } from "./topology-component";

/** A Linux machine with Docker, and how it is reached. */
export interface SshMachine extends SshConnection {
  /** Where the other machines reach it: a private address, so that no load crosses a public network. */
  readonly address: string;
  readonly cpus: number;
}

export interface SshTopologyArgs extends Roles<SshMachine> {
  readonly gateway: SshMachine;
  /** Credentials of your own by reference name, such as "consumer-1.key". Default: made once and kept. */
  readonly credentials?: pulumi.Input<Values>;
}

/**
 * Machines of your own, reached over SSH. Give the same machine for two roles and they share it: no figure is then more
 * than indicative.
 *
 * Each needs Docker and an account that may use it; nothing else is installed on it. What runs there are containers,
 * and a folder below /var/lib/gatebench, that go with the destroy.
 *
 * ### Cost
 * That of your machines.
 */
export class SshTopology extends TopologyComponent {
  readonly topology = "ssh";

  constructor(
    name: string,
    { credentials: given, ...machines }: SshTopologyArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    refuseFaults(sshFaults(machines));
    super("gatebench:index:SshTopology", name, described(machines), opts);
    const hostOf = hostsOf(name, openSite(this.topology, name, given, this), this);
    this.standOn(hostsInRoles(mapRoles(machines, hostOf)));
    this.registerOutputs({});
  }
}

type Machines = Omit<SshTopologyArgs, "credentials">;

const described = (machines: Machines) =>
  Object.fromEntries(byRole(machines).map(([role, { address, cpus }]) => [role, { address, cpus }]));

/** One host for each address: two would not know of each other's loads. It has the name of its first role. */
function hostsOf(name: string, site: Site, parent: pulumi.Resource): (role: string, machine: SshMachine) => Host {
  const known = new Map<string, Host>();
  return (role, { address, cpus, ...connection }) => {
    const host =
      known.get(address) ??
      new SshHost(`${name}-${role}`, { site, connection, address, cpus, label: role }, { parent });
    known.set(address, host);
    return host;
  };
}

/** What is wrong with machines as a person gave them; nothing is reached to find out. */
export function sshFaults(machines: Machines): readonly Fault[] {
  return [...roleFaults(machines), ...byRole(machines).flatMap(([role, machine]) => machineFaults(role, machine))];
}

function machineFaults(role: string, { address, cpus, user, port = 22 }: SshMachine): readonly Fault[] {
  const say = (what: string) => [fault("invalid-option", `${role}.${what}`)];
  return [
    ...(/^[A-Za-z0-9.:-]+$/.test(address)
      ? []
      : say(`address "${address}" is none; give the private address or name by which the other machines reach it.`)),
    ...(Number.isInteger(cpus) && cpus >= 1 ? [] : say(`cpus is ${cpus}; give the number of its CPUs, as nproc says.`)),
    ...(/^[a-z_][a-z0-9_.-]*$/i.test(user) ? [] : say(`user "${user}" is none; give the account that may use Docker.`)),
    ...(Number.isInteger(port) && port >= 1 && port <= 65_535 ? [] : say(`port is ${port}; give 1 to 65535.`)),
  ];
}
