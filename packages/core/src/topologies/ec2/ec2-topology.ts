import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { secondsOf, type Duration, type Values } from "../../contract";
import type { Host } from "../../hosts/host";
import { refuseFaults } from "../../hosts/refuse-faults";
import { openSite } from "../../hosts/site";
import { byRole, hostsInRoles, mapRoles, type Roles } from "../roles";
import { TopologyComponent } from "../topology-component";
import { ec2Faults } from "./ec2-faults";
import { Ec2Machine } from "./ec2-machine";
import { defaultTtl, type Ec2MachineArgs } from "./ec2-machine-args";
import { cpusOfMachine, type InstanceRules } from "./instance-faults";
import { instanceTypeNamed } from "./instance-type";
import { Ec2Network, type ExistingNetwork } from "./network";
import { placeOf } from "./place";
import { makeSshKey, type SshKey } from "./ssh-key";

export interface Ec2TopologyArgs extends Roles<Ec2MachineArgs>, InstanceRules {
  /** Who may log in: your own address as a CIDR, such as "203.0.113.7/32". */
  readonly sshFrom: string;
  /** That the whole world may try. @default false */
  readonly sshFromAnywhere?: boolean;
  /** Machines end themselves after it, even if nobody comes back. Another one makes new machines. @default "4h" */
  readonly ttl?: Duration;
  /** Machines near each other. Not every type can. @default true, where no type is burstable */
  readonly placementGroup?: boolean;
  /** Cheaper, and taken away when others pay more. @default false */
  readonly spot?: boolean;
  /** Of a new network. @default "10.77.0.0/24" */
  readonly cidr?: string;
  /** Availability zone of a new network. Default: EC2 chooses. */
  readonly zone?: string;
  /** A subnet that is there already. Default: a new network. */
  readonly network?: ExistingNetwork;
  /** Id of a machine image with dnf and cloud-init. Default: Amazon Linux 2023 as it is today, kept until replaced. */
  readonly machineImage?: string;
  /** A key of your own. Default: made once, for these machines alone. */
  readonly key?: SshKey;
  readonly tags?: Readonly<Record<string, string>>;
  /** Credentials of your own by reference name, such as "consumer-1.key". Default: made once and kept. */
  readonly credentials?: pulumi.Input<Values>;
}

/**
 * Machines on EC2 in one subnet: Amazon Linux 2023 with Docker, near each other, reached over SSH from one address, talking
 * to each other over private addresses.
 *
 * ### Cost
 * Its instances, their disks and their public addresses, from `up` to `destroy` or to the end of their time to live, whichever
 * comes first; nothing for the rest of the network. Data between machines of one subnet is free.
 */
export class Ec2Topology extends TopologyComponent {
  readonly topology = "ec2";
  /** By role. */
  readonly machines: Readonly<Record<string, Ec2Machine>>;
  /** What opens the machines for a person, too; secret. */
  readonly privateKey: pulumi.Output<string>;

  constructor(name: string, args: Ec2TopologyArgs, opts?: pulumi.ComponentResourceOptions) {
    refuseFaults(ec2Faults(args));
    super("gatebench:index:Ec2Topology", name, described(args), opts);
    const key = args.key ?? makeSshKey(name, this);
    this.privateKey = pulumi.secret(key.privateKey);
    this.machines = makeMachines(name, args, key, this);
    this.standOn(hostsInRoles(mapRoles<Ec2MachineArgs, Host>(args, (role) => this.machines[role] as Ec2Machine)));
    this.registerOutputs({});
  }
}

const described = (args: Ec2TopologyArgs) => ({
  machines: Object.fromEntries(byRole(args).map(([role, { instanceType }]) => [role, instanceType])),
  ttl: args.ttl ?? defaultTtl,
});

function makeMachines(
  name: string,
  args: Ec2TopologyArgs,
  key: SshKey,
  parent: Ec2Topology,
): Readonly<Record<string, Ec2Machine>> {
  const { sshFrom, cidr, zone, network: existing, credentials: given, machineImage, spot = false } = args;
  // By these `gatebench sweep` finds what was left behind, and tells it from what is in use.
  const tags = {
    ...{ Project: "gatebench", Stack: `${pulumi.getProject()}/${pulumi.getStack()}`, Ttl: args.ttl ?? defaultTtl },
    ...args.tags,
  };
  const opts = { parent };
  const pair = new aws.ec2.KeyPair(`${name}-key-pair`, { publicKey: key.publicKey, tags }, opts);
  const network = new Ec2Network(name, { sshFrom, cidr, zone, existing, tags }, parent);
  const near = nearEachOther(args)
    ? new aws.ec2.PlacementGroup(`${name}-near`, { strategy: "cluster", tags }, opts)
    : undefined;
  const site = openSite(parent.topology, name, given, parent);
  const ttlS = secondsOf(args.ttl ?? defaultTtl);
  const common = { site, network, key, keyName: pair.keyName, near, spot, ttlS, machineImage, tags };
  const each = byRole(args).map(([role, machine]) => {
    const own = { role, address: network.address(placeOf(role)), cpus: cpusOfMachine(machine), machine };
    return [role, new Ec2Machine(`${name}-${role}`, { ...common, ...own }, opts)] as const;
  });
  return Object.fromEntries(each);
}

/** Burstable types cannot be near each other. */
function nearEachOther(args: Ec2TopologyArgs): boolean {
  return (
    args.placementGroup ?? !byRole(args).some(([, { instanceType }]) => instanceTypeNamed(instanceType)?.burstable)
  );
}
