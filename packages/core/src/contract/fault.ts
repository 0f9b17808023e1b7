/** Every kind of thing that can be wrong before or during a benchmark. The code stands first in each message. */
export type FaultCode =
  | "unknown-gateway"
  | "unknown-generator"
  | "unknown-scenario"
  | "unknown-preset"
  | "unknown-reference"
  | "unknown-key"
  | "unknown-figure"
  | "invalid-matrix"
  | "invalid-adapter"
  | "invalid-scenario"
  | "invalid-load"
  | "invalid-protocol"
  | "invalid-option"
  | "invalid-figure"
  | "unsupported-policy"
  | "unsupported-load"
  | "unsupported-request"
  | "unsupported-host"
  | "unsupported-platform"
  | "port-in-use"
  | "missing-binary"
  | "missing-credential"
  | "missing-engine"
  | "missing-package"
  | "results-folder"
  | "unreadable-result"
  | "not-comparable"
  | "unknown-run"
  | "already-running"
  | "left-behind"
  | "interrupted"
  | "not-ready"
  | "host-unready"
  | "host-unreachable"
  | "ssh-refused"
  | "image-unavailable"
  | "workload-gone"
  | "verification-failed"
  | "job-failed"
  | "job-lost"
  | "unparsed-output"
  | "artifacts-lost"
  | "unknown-price"
  | "prices-unavailable"
  | "over-budget"
  | "cloud-refused";

/** Something wrong, in one line: what, where, what is possible, what to do. */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
}

/** A fault whose message is one line however its parts were written. */
export function fault(code: FaultCode, message: string): Fault {
  return { code, message: message.replace(/\s+/g, " ").trim() };
}

/** `code: message`, the form in which people see a fault. */
export function lineOf({ code, message }: Fault): string {
  return `${code}: ${message}`;
}

/** All faults at once, one line each. */
export class FaultError extends Error {
  constructor(readonly faults: readonly Fault[]) {
    super(faults.map(lineOf).join("\n"));
    this.name = "FaultError";
  }
}

/** The faults behind an error; undefined where it is a mistake of the program. By name, since a foreign adapter may bring its own copy of this class. */
export function faultsBehind(error: unknown): readonly Fault[] | undefined {
  return error instanceof Error && error.name === "FaultError" ? (error as FaultError).faults : undefined;
}

/** Throws all faults at once, or does nothing where there are none. */
export function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new FaultError(uniqueFaults(faults));
}

/** Each line once: many rows of a matrix may have the same thing wrong. */
export function uniqueFaults(faults: readonly Fault[]): readonly Fault[] {
  return [...new Map(faults.map((entry) => [lineOf(entry), entry])).values()];
}

/** `a, b, c`, or `nothing` for an empty list: the end of "It enforces: …". */
export function listed(names: readonly (string | number)[]): string {
  return names.length > 0 ? names.join(", ") : "nothing";
}
