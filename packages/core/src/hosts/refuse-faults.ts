import * as pulumi from "@pulumi/pulumi";
import { lineOf, type Fault } from "../contract";

/** What ends a program with one line per fault, without a stack trace. */
export const refusalOf = (faults: readonly Fault[]): Error => new pulumi.RunError(faults.map(lineOf).join("\n"));

/** Stops the program with one line per fault, all at once. */
export function refuseFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw refusalOf(faults);
}
