import type { Input, Resource } from "@pulumi/pulumi";
import type { Values } from "../contract";
import { Credentials } from "./credentials";
import { Queue } from "./queue";

/** What all hosts of one topology share. */
export interface Site {
  /** As results state it: "local", "ssh", "ec2", "eks". */
  readonly topology: string;
  readonly credentials: Credentials;
  readonly queue: Queue;
}

/** What the hosts of a new topology share. `given`: credentials of somebody's own. */
export function openSite(topology: string, name: string, given: Input<Values> | undefined, parent: Resource): Site {
  const credentials = new Credentials(`${name}-credentials`, { given }, { parent });
  return { topology, credentials, queue: new Queue() };
}
