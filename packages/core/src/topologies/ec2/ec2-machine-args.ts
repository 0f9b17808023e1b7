import type { Duration } from "../../contract";
import type { InstanceArgs } from "./instance-faults";

export const defaultDiskGib = 30;
/** Of all machines of a topology. */
export const defaultTtl: Duration = "4h";

/** One machine of an `Ec2Topology`. Its disk is encrypted, and has 30 GiB where nothing is said. */
export type Ec2MachineArgs = InstanceArgs;
