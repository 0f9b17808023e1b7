import type { InstanceArgs } from "../ec2/instance-faults";

export const defaultDiskGib = 50;

/** The nodes of one role. A node's disk has 50 GiB where nothing is said. */
export type EksNodeArgs = Omit<InstanceArgs, "threadsPerCore">;

/** Of the node that is nobody's: enough for DNS and what a chart's controllers need. */
export const eksSystemType = "m5.large";
