import { fault, type Fault } from "../../contract";
import { instanceFaults } from "../ec2/instance-faults";
import { blockOf } from "../ec2/ip-block";
import { roleFaults } from "../roles";
import type { EksTopologyArgs } from "./eks-topology";

/** Of the image of a node. */
const LEAST_DISK_GIB = 20;

/** What is wrong with a topology as a person wrote it; nobody is asked to find out. */
export function eksFaults(args: EksTopologyArgs): readonly Fault[] {
  return [
    ...roleFaults(args),
    ...instanceFaults(args, args, LEAST_DISK_GIB),
    ...versionFaults(args),
    ...networkFaults(args),
  ];
}

const option = (message: string): Fault => fault("invalid-option", message);

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
