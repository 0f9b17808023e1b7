export const defaultDiskGib = 50;

/** The nodes of one role. */
export interface EksNodeArgs {
  /** Such as "c5n.9xlarge". Another one makes other nodes. */
  readonly instanceType: string;
  /** Where its name does not tell them: bare metal EC2 added lately. Default: by the name. */
  readonly cpus?: number;
  /** Of a node's disk, GiB. @default 50 */
  readonly diskGib?: number;
}
