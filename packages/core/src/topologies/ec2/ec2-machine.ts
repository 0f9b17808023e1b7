import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { fault, type Fault } from "../../contract";
import { refuseFaults } from "../../hosts/refuse-faults";
import type { Site } from "../../hosts/site";
import { SshHost } from "../../hosts/ssh/ssh-host";
import { defaultDiskGib, type Ec2MachineArgs } from "./ec2-machine-args";
import { instanceTypeNamed, type InstanceType } from "./instance-type";
import type { Ec2Network } from "./network";
import type { SshKey } from "./ssh-key";
import { ready, userData } from "./user-data";

export interface Ec2MachineFacts {
  readonly site: Site;
  readonly role: string;
  readonly machine: Ec2MachineArgs;
  readonly cpus: number;
  readonly network: Ec2Network;
  /** Its private address. */
  readonly address: string;
  readonly key: SshKey;
  readonly keyName: pulumi.Input<string>;
  readonly near: aws.ec2.PlacementGroup | undefined;
  readonly spot: boolean;
  readonly ttlS: number;
  readonly machineImage: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
}

const user = "ec2-user";
/** Six minutes to come up. */
const dials = 80;

/** An instance, and the host it is once it has started. */
export class Ec2Machine extends SshHost {
  readonly instance: aws.ec2.Instance;
  readonly instanceType: string;

  constructor(name: string, facts: Ec2MachineFacts, opts: pulumi.ComponentResourceOptions) {
    const { site, role, cpus, address, key } = facts;
    const instance = makeInstance(name, facts, opts);
    super(
      name,
      {
        ...{ site, address, cpus, ready, label: role, machine: instance.id, resource: instance },
        connection: { host: instance.publicIp, user, privateKey: key.privateKey, dials },
      },
      opts,
    );
    this.instance = instance;
    this.instanceType = facts.machine.instanceType;
  }
}

function makeInstance(name: string, facts: Ec2MachineFacts, opts: pulumi.ComponentResourceOptions): aws.ec2.Instance {
  const { role, machine, network, address, keyName, near, spot, ttlS, tags } = facts;
  const type = instanceTypeNamed(machine.instanceType) as InstanceType;
  return new aws.ec2.Instance(
    `${name}-instance`,
    {
      ami: facts.machineImage === undefined ? amazonLinux(type, opts) : ownImage(role, type, facts.machineImage, opts),
      instanceType: checkedType(role, type, facts, opts),
      subnetId: network.subnetId,
      privateIp: address,
      associatePublicIpAddress: true,
      vpcSecurityGroupIds: [network.groupId],
      keyName,
      ...(near ? { placementGroup: near.name } : {}),
      ...coresOf(machine, type),
      ...(spot ? { instanceMarketOptions: { marketType: "spot" } } : {}),
      userData: userData(ttlS),
      userDataReplaceOnChange: true,
      // Its own shutdown is the end of its time to live.
      instanceInitiatedShutdownBehavior: "terminate",
      metadataOptions: { httpEndpoint: "enabled", httpTokens: "required", httpPutResponseHopLimit: 1 },
      rootBlockDevice: {
        encrypted: true,
        volumeType: "gp3",
        volumeSize: machine.diskGib ?? defaultDiskGib,
        deleteOnTermination: true,
      },
      tags: { ...tags, Name: name, Role: role },
      volumeTags: { ...tags, Name: name, Role: role },
    },
    {
      ...opts,
      // An image that came out since is no reason for another machine.
      ignoreChanges: ["ami"],
      // Changed in place, it would have another public address, and nobody could end what runs on it at the old one.
      replaceOnChanges: ["instanceType"],
      // The private address is free again only when the old machine is gone.
      deleteBeforeReplace: true,
      dependsOn: [...network.routed],
    },
  );
}

/** The newest Amazon Linux 2023 of this architecture, as its maker tells it. */
const amazonLinux = ({ architecture }: InstanceType, opts: pulumi.InvokeOptions): pulumi.Output<string> =>
  aws.ssm.getParameterOutput(
    { name: `/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-${architecture}` },
    { parent: opts.parent },
  ).value;

/** An image of somebody's own, once EC2 has said that it runs on this type. A preview finds out. */
function ownImage(role: string, type: InstanceType, id: string, opts: pulumi.InvokeOptions): pulumi.Output<string> {
  const filters = [{ name: "image-id", values: [id] }];
  return aws.ec2.getAmiOutput({ filters }, { parent: opts.parent }).apply(({ architecture }) => {
    refuseFaults(imageFaults(role, type, id, architecture));
    return id;
  });
}

/** Where an image does not run on a type. */
export function imageFaults(role: string, type: InstanceType, id: string, architecture: string): readonly Fault[] {
  return architecture === type.architecture
    ? []
    : [
        fault(
          "invalid-option",
          `machineImage ${id} is of ${architecture}, and ${role}.instanceType ${type.name} runs ${type.architecture}. Choose an image or a type of the same, or leave the image out.`,
        ),
      ];
}

/** One thread to a core where that was asked for. */
function coresOf(
  { threadsPerCore, cpus }: Ec2MachineArgs,
  type: InstanceType,
): Pick<aws.ec2.InstanceArgs, "cpuOptions"> {
  const all = cpus ?? type.cpus ?? 2;
  if (threadsPerCore === undefined || type.threadsPerCore === 1) return {};
  return { cpuOptions: { coreCount: Math.max(1, all / 2), threadsPerCore } };
}

/** The type, once EC2 has said that it is what its name told. A preview finds out. */
function checkedType(
  role: string,
  { name }: InstanceType,
  { machine, near }: Ec2MachineFacts,
  opts: pulumi.InvokeOptions,
): pulumi.Output<string> {
  const told = aws.ec2.getInstanceTypeOutput({ instanceType: name }, { parent: opts.parent });
  return pulumi.output(told).apply((known) => {
    refuseFaults(typeFaults(role, machine, known, near !== undefined));
    return name;
  });
}

type Told = Pick<
  aws.ec2.GetInstanceTypeResult,
  "defaultVcpus" | "supportedArchitectures" | "supportedPlacementStrategies"
>;

/** Where EC2 says otherwise than the name of a type, or the machine's options. */
export function typeFaults(role: string, machine: Ec2MachineArgs, told: Told, near: boolean): readonly Fault[] {
  const type = instanceTypeNamed(machine.instanceType) as InstanceType;
  const planned = machine.cpus ?? type.cpus;
  const option = (message: string) => [fault("invalid-option", `${role}.instanceType ${type.name} ${message}`)];
  return [
    ...(told.defaultVcpus === planned
      ? []
      : option(
          `has ${told.defaultVcpus} CPUs, and ${planned} were planned for. Give ${role}.cpus: ${told.defaultVcpus}.`,
        )),
    ...(told.supportedArchitectures.includes(type.architecture)
      ? []
      : option(`runs ${told.supportedArchitectures.join(", ")}, not ${type.architecture}. Choose another type.`)),
    ...(near && !told.supportedPlacementStrategies.includes("cluster")
      ? option("cannot be placed near others. Choose another type, or give placementGroup: false.")
      : []),
  ];
}
