import { fault, secondsOf, durationPattern, type Fault } from "../../contract";
import { byRole, roleFaults } from "../roles";
import { defaultTtl } from "./ec2-machine-args";
import type { Ec2TopologyArgs } from "./ec2-topology";
import { instanceFaults } from "./instance-faults";
import { instanceTypeNamed } from "./instance-type";
import { blockOf, type IpBlock } from "./ip-block";
import { firstOffset, mostWorkers, placeOf } from "./place";

const shortestTtlS = 600;
const longestTtlS = 7 * 24 * 3600;
/** Of Amazon Linux 2023. */
const LEAST_DISK_GIB = 8;

/** What is wrong with a topology as a person wrote it; nobody is asked to find out. */
export function ec2Faults(args: Ec2TopologyArgs): readonly Fault[] {
  return [
    ...sshFaults(args),
    ...ttlFaults(args),
    ...networkFaults(args),
    ...roleFaults(args),
    ...instanceFaults(args, args, LEAST_DISK_GIB),
    ...architectureFaults(args),
    ...workerFaults(args),
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
  const beyond = byRole(args).find(([role]) => firstOffset + placeOf(role) >= 2 ** (32 - bits) - 1);
  return beyond
    ? [option(`cidr "${cidr}" has no address left for ${beyond[0]}; give a larger one, such as "10.77.0.0/24".`)]
    : [];
}

/** One machine image is resolved for each architecture; one of your own has only one. */
function architectureFaults(args: Ec2TopologyArgs): readonly Fault[] {
  const { machineImage } = args;
  const architectures = [...new Set(byRole(args).map(([, one]) => instanceTypeNamed(one.instanceType)?.architecture))];
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
