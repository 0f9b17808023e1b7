import { fault, secondsOf, durationPattern, type Fault } from "../../contract";
import { inRole, mostUpstreams, roleFaults } from "../in-role";
import { defaultDiskGib, defaultTtl, type Ec2MachineArgs } from "./ec2-machine-args";
import type { Ec2TopologyArgs } from "./ec2-topology";
import { instanceTypeNamed } from "./instance-type";
import { blockOf, type IpBlock } from "./ip-block";
import { firstOffset, mostWorkers, placeOf } from "./place";

const shortestTtlS = 600;
const longestTtlS = 7 * 24 * 3600;

/** What is wrong with a topology as a person wrote it; nobody is asked to find out. */
export function ec2Faults(args: Ec2TopologyArgs): readonly Fault[] {
  return [
    ...sshFaults(args),
    ...ttlFaults(args),
    ...networkFaults(args),
    ...roleFaults("upstream", args.upstream, mostUpstreams),
    ...machinesOf(args).flatMap(([role, machine]) => machineFaults(role, machine, args)),
    ...sizeFaults(args),
    ...architectureFaults(args),
    ...workerFaults(args),
  ];
}

/** By role. */
export function machinesOf({
  upstream,
  gateway,
  generator,
  workers = [],
  observer,
}: Pick<Ec2TopologyArgs, "upstream" | "gateway" | "generator" | "workers" | "observer">): readonly (readonly [
  string,
  Ec2MachineArgs,
])[] {
  return [
    ...inRole("upstream", upstream),
    ...(gateway ? [["gateway", gateway] as const] : []),
    ["generator", generator],
    ...workers.map((worker, index) => [`worker-${index + 1}`, worker] as const),
    ...(observer ? [["observer", observer] as const] : []),
  ];
}

const option = (message: string): Fault => fault("invalid-option", message);

function sshFaults({ sshFrom, sshFromAnywhere = false }: Ec2TopologyArgs): readonly Fault[] {
  if (!sshFrom)
    return [option('sshFrom is missing: who may log in? Give your own address as a CIDR, such as "203.0.113.7/32".')];
  const block = blockOf(sshFrom);
  if (!block)
    return [option(`sshFrom "${sshFrom}" is no CIDR; write an address and a length, such as "203.0.113.7/32".`)];
  return block.bits === 0 && !sshFromAnywhere
    ? [
        option(
          `sshFrom ${sshFrom} lets the whole world try to log in. Give your own address, or sshFromAnywhere: true.`,
        ),
      ]
    : [];
}

function ttlFaults({ ttl = defaultTtl }: Ec2TopologyArgs): readonly Fault[] {
  if (!durationPattern.test(ttl))
    return [option(`ttl "${ttl}" is not a duration; write a number with a unit, such as "4h".`)];
  const seconds = secondsOf(ttl);
  return seconds >= shortestTtlS && seconds <= longestTtlS
    ? []
    : [option(`ttl ${ttl} is not from 10m to 168h; machines end themselves after it, whoever comes back.`)];
}

function networkFaults(args: Ec2TopologyArgs): readonly Fault[] {
  const { network, cidr } = args;
  if (network && cidr !== undefined)
    return [
      option("cidr and network are both given: a new network has a cidr, an existing one its own. Give one of them."),
    ];
  if (cidr !== undefined) {
    const block = blockOf(cidr);
    return block && block.bits >= 16 && block.bits <= 28
      ? roomFaults(cidr, block, args)
      : [option(`cidr "${cidr}" is no network for the machines; give one of /16 to /28, such as "10.77.0.0/24".`)];
  }
  if (!network) return [];
  return blockOf(`${network.firstAddress}/32`)
    ? []
    : [
        option(
          `network.firstAddress "${network.firstAddress}" is no address; give the first of some free ones in the subnet, such as "10.0.4.20".`,
        ),
      ];
}

/** The last address of a network is nobody's. */
function roomFaults(cidr: string, { bits }: IpBlock, args: Ec2TopologyArgs): readonly Fault[] {
  const beyond = machinesOf(args).find(([role]) => firstOffset + placeOf(role) >= 2 ** (32 - bits) - 1);
  return beyond
    ? [option(`cidr "${cidr}" has no address left for ${beyond[0]}; give a larger one, such as "10.77.0.0/24".`)]
    : [];
}

function machineFaults(
  role: string,
  machine: Ec2MachineArgs,
  { allowBurstable = false }: Ec2TopologyArgs,
): readonly Fault[] {
  const { instanceType, cpus, threadsPerCore, diskGib = defaultDiskGib } = machine;
  const type = instanceTypeNamed(instanceType);
  if (!type)
    return [option(`${role}.instanceType "${instanceType}" is none; write one as EC2 does, such as "c5.xlarge".`)];
  return [
    type.burstable && !allowBurstable
      ? option(
          `${role}.instanceType ${instanceType} is burstable: what it gives depends on what it did before. Choose a family such as c5 or m5, or give allowBurstable: true.`,
        )
      : [],
    type.cpus === undefined && cpus === undefined
      ? option(`${role}.instanceType ${instanceType} does not tell its CPUs; give ${role}.cpus.`)
      : [],
    cpus !== undefined && (!Number.isInteger(cpus) || cpus < 1)
      ? option(`${role}.cpus is ${cpus}; give a whole number from 1.`)
      : [],
    threadsPerCore === 2 && type.threadsPerCore === 1
      ? option(`${role}.threadsPerCore is 2, and ${instanceType} has one thread to a core. Leave it out.`)
      : [],
    Number.isInteger(diskGib) && diskGib >= 8 && diskGib <= 16_384
      ? []
      : option(`${role}.diskGib is ${diskGib}; give 8 to 16384: the image alone takes 8.`),
  ].flat();
}

/** How many CPUs a machine has, as its options leave them. */
export function cpusOfMachine({ instanceType, cpus, threadsPerCore }: Ec2MachineArgs): number {
  const type = instanceTypeNamed(instanceType);
  const all = cpus ?? type?.cpus ?? 1;
  return threadsPerCore === 1 && type?.threadsPerCore === 2 ? Math.max(1, Math.floor(all / 2)) : all;
}

/** A generator that is smaller than what it measures measures itself. */
function sizeFaults({
  gateway,
  generator,
  workers = [],
  allowSmallGenerator = false,
}: Ec2TopologyArgs): readonly Fault[] {
  const unknown = [gateway, generator, ...workers].some((one) => one && !instanceTypeNamed(one.instanceType));
  if (!gateway || allowSmallGenerator || unknown) return [];
  const [sends, takes] = [
    [generator, ...workers].reduce((sum, one) => sum + cpusOfMachine(one), 0),
    cpusOfMachine(gateway),
  ];
  return sends >= takes
    ? []
    : [
        option(
          `generator.instanceType ${generator.instanceType} has ${sends} CPUs, and the gateway ${takes}: it would measure itself. Choose one at least as large, or give allowSmallGenerator: true.`,
        ),
      ];
}

/** One machine image is resolved for each architecture; one of your own has only one. */
function architectureFaults(args: Ec2TopologyArgs): readonly Fault[] {
  const { machineImage } = args;
  const architectures = [
    ...new Set(machinesOf(args).map(([, one]) => instanceTypeNamed(one.instanceType)?.architecture)),
  ];
  return machineImage !== undefined && architectures.filter(Boolean).length > 1
    ? [
        option(
          `machineImage ${machineImage} has one architecture, and the machines have ${architectures.join(" and ")}. Leave it out, or choose types of one architecture.`,
        ),
      ]
    : [];
}

function workerFaults({ workers = [] }: Ec2TopologyArgs): readonly Fault[] {
  return workers.length <= mostWorkers
    ? []
    : [option(`${workers.length} workers are more than ${mostWorkers}; give fewer, larger ones.`)];
}
