import type { InstanceArgs } from "../ec2/instance-faults";

export const defaultDiskGib = 50;

/** The nodes of one role. A node's disk has 50 GiB where nothing is said. */
export type EksNodeArgs = Omit<InstanceArgs, "threadsPerCore">;
