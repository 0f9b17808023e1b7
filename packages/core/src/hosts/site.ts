import type { Credentials } from "./credentials";
import type { Queue } from "./queue";

/** What all hosts of one topology share. */
export interface Site {
  /** As results state it: "local", "ssh", "ec2", "eks". */
  readonly topology: string;
  readonly credentials: Credentials;
  readonly queue: Queue;
}
