import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Measuring {
  readonly runId: string;
  /** Whether it came to its end or was taken down; if not, the next one goes on where it was. */
  readonly ended: boolean;
}

const file = (): string => join(process.cwd(), ".gatebench", "measuring.json");

/**
 * The run id of this invocation. One that was killed is continued: what it measured is kept, what still runs is
 * attached to. After one that ended, everything is measured anew, also where it was left running.
 */
export function beginMeasuring(): { readonly runId: string; readonly continued: boolean } {
  const last = readLast();
  if (last && !last.ended) return { runId: last.runId, continued: true };
  const runId = new Date().toISOString();
  write({ runId, ended: false });
  return { runId, continued: false };
}

/** Nothing is left to go on with. */
export function endMeasuring(): void {
  const last = readLast();
  if (last) write({ ...last, ended: true });
}

function readLast(): Measuring | undefined {
  return existsSync(file()) ? (JSON.parse(readFileSync(file(), "utf8")) as Measuring) : undefined;
}

function write(measuring: Measuring): void {
  mkdirSync(dirname(file()), { recursive: true });
  writeFileSync(file(), JSON.stringify(measuring));
}
