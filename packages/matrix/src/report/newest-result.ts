import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fault, FaultError } from "@gatebench/core";

/** The newest folder below this one that holds a result; folders are named for when they were made. */
export function newestResult(results: string): string {
  const names = existsSync(results) ? readdirSync(results).toSorted() : [];
  const newest = names.findLast((name) => existsSync(join(results, name, "result.json")));
  if (newest !== undefined) return join(results, newest);
  const message = `no folder in "${results}" holds a result.json. Measure something, or give a results folder.`;
  throw new FaultError([fault("unreadable-result", message)]);
}
