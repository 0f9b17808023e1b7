import { fault, FaultError, refuse, type JobOutput } from "@gatebench/core/contract";

/** Ends the reading of an output that is not fully understood: a wrong number is worse than none. */
export function unparsed(tool: string, why: string, excerpt: string): never {
  throw new FaultError([fault("unparsed-output", `${tool}: ${why}: "${excerpt.slice(0, 200)}".`)]);
}

/** A tool that failed has no figures; its last word says why. */
export function refuseFailed(tool: string, { exitCode, stderr }: JobOutput): void {
  const end = exitCode === null ? "was killed" : `ended with exit code ${exitCode}`;
  const lastWord = stderr.trim().split("\n").at(-1) || "it said nothing";
  refuse(exitCode === 0 ? [] : [fault("job-failed", `${tool} ${end}: ${lastWord}`)]);
}

/** Throws unless percentiles rise; what the tool does not state is left out. */
export function requireAscending(tool: string, values: readonly (number | null)[]): void {
  const stated = values.filter((value) => value !== null);
  const falls = stated.some((value, index) => value < (stated[index - 1] ?? 0));
  if (falls) unparsed(tool, "latencies that must rise do not", stated.join(" "));
}
