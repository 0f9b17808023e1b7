import * as pulumi from "@pulumi/pulumi";
import { lineOf, type Fault } from "../contract";

/** Stops the program with one line per fault, all at once. */
export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new pulumi.RunError(faults.map(lineOf).join("\n"));
}
