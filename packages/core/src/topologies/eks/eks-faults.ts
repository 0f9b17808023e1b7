import { fault, type Fault } from "../../contract";
import { cpusOfMachine } from "../ec2/ec2-faults";
import { instanceTypeNamed } from "../ec2/instance-type";
import { blockOf } from "../ec2/ip-block";
import { inRole, mostUpstreams, roleFaults } from "../in-role";
import { defaultDiskGib, type EksNodeArgs } from "./eks-node-args";
import type { EksTopologyArgs } from "./eks-topology";

type Nodes = Pick<EksTopologyArgs, "upstream" | "gateway" | "generator" | "observer" | "workers">;

/** By role. */
export const nodesOf = ({ upstream, gateway, generator, observer, workers = [] }: Nodes) => [
  ...inRole("upstream", upstream),
  ...(gateway ? [["gateway", gateway] as const] : []),
  ["generator", generator] as const,
  ...(observer ? [["observer", observer] as const] : []),
  ...workers.map((worker, index) => [`worker-${index + 1}`, worker] as const),
];

/** What is wrong with a topology as a person wrote it; nobody is asked to find out. */
export function eksFaults(args: EksTopologyArgs): readonly Fault[] {
  return [
    ...roleFaults("upstream", args.upstream, mostUpstreams),
    ...nodesOf(args).flatMap(([role, nodes]) => nodeFaults(role, nodes, args)),
    ...sizeFaults(args),
    ...versionFaults(args),
    ...networkFaults(args),
  ];
}

const option = (message: string): Fault => fault("invalid-option", message);

function nodeFaults(
  role: string,
  { instanceType, cpus, diskGib = defaultDiskGib }: EksNodeArgs,
  { allowBurstable = false }: EksTopologyArgs,
): readonly Fault[] {
  const type = instanceTypeNamed(instanceType);
  if (!type)
    return [option(`${role}.instanceType "${instanceType}" is none; write one as EC2 does, such as "c5.4xlarge".`)];
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
    Number.isInteger(diskGib) && diskGib >= 20 && diskGib <= 16_384
      ? []
      : option(`${role}.diskGib is ${diskGib}; give 20 to 16384: the image alone takes 20.`),
  ].flat();
}

/** A generator that is smaller than what it measures measures itself. */
function sizeFaults({ gateway, generator, workers = [], allowSmallGenerator = false }: EksTopologyArgs) {
  const known = [gateway, generator, ...workers].every((one) => !one || instanceTypeNamed(one.instanceType));
  if (!gateway || allowSmallGenerator || !known) return [];
  const sends = [generator, ...workers].reduce((sum, one) => sum + cpusOfMachine(one), 0);
  const takes = cpusOfMachine(gateway);
  return sends >= takes
    ? []
    : [
        option(
          `generator.instanceType ${generator.instanceType} has ${sends} CPUs, and the gateway ${takes}: it would measure itself. Choose one at least as large, or give allowSmallGenerator: true.`,
        ),
      ];
}

function versionFaults({ version }: EksTopologyArgs): readonly Fault[] {
  return version === undefined || /^1\.\d{2}$/.test(version)
    ? []
    : [option(`version "${version}" is none of Kubernetes; write one as EKS does, such as "1.34".`)];
}

function networkFaults({ cidr }: EksTopologyArgs): readonly Fault[] {
  const block = cidr === undefined ? undefined : blockOf(cidr);
  return cidr === undefined || (block && block.bits >= 16 && block.bits <= 23)
    ? []
    : [
        option(
          `cidr "${cidr}" is no network for a cluster: every pod has an address of it. Give one of /16 to /23, such as "10.76.0.0/16".`,
        ),
      ];
}
