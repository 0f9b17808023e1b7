import type { Duration } from "../../contract";

export const defaultDiskGib = 30;
/** Of all machines of a topology. */
export const defaultTtl: Duration = "4h";

/** One machine of an `Ec2Topology`. */
export interface Ec2MachineArgs {
  /** Such as "c5.9xlarge". Another one makes another machine. */
  readonly instanceType: string;
  /** Where its name does not tell them: bare metal EC2 added lately. Default: by the name. */
  readonly cpus?: number;
  /** 1 switches hyper-threading off. @default as the type comes */
  readonly threadsPerCore?: 1 | 2;
  /** Of the machine's encrypted disk, GiB. @default 30 */
  readonly diskGib?: number;
}
