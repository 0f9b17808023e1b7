import * as pulumi from "@pulumi/pulumi";
import { lineOf, type Fault } from "../contract";

/**
 * What ends a program with one line per fault, without a stack trace: nobody is shown it, and Pulumi colours it all the same,
 * which on Node 20 takes half a minute and a gigabyte where files of `@pulumi/…` stand in it (its `markNodeModules` does not
 * end where a scoped package's name is followed by a file's).
 */
export function refusalOf(faults: readonly Fault[]): Error {
  const refusal: Error = new pulumi.RunError(faults.map(lineOf).join("\n"));
  delete refusal.stack;
  return refusal;
}

/** Stops the program with one line per fault, all at once. */
export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw refusalOf(faults);
}
