import { fork, type ChildProcess } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { LaneIsTold, LaneOutcome, LaneSays } from "./lane-words";

export interface LaneOrder {
  readonly file: string;
  readonly lane: string;
  readonly results: string;
  /** Where what it prints besides is kept. */
  readonly log: string;
}

/** A lane in a process of its own: what one of them does to the engine's library is no other's business. */
export class LaneProcess {
  readonly ended: Promise<LaneOutcome>;
  readonly #child: ChildProcess;

  constructor({ file, lane, results, log }: LaneOrder, hear: (words: LaneSays) => void) {
    const args = ["lane", file, "--lane", lane, "--results", results];
    // In a group of its own: an interrupt at the keyboard reaches us alone, and we pass it on.
    this.#child = fork(join(__dirname, "..", "bin.js"), args, { detached: true, silent: true });
    let last = "";
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (text: Buffer) => {
        last = `${last}${text}`.slice(-2000);
        appendFileSync(log, text);
      });
    this.ended = new Promise((resolve) => {
      let outcome: LaneOutcome | undefined;
      this.#child.on("message", (words: LaneSays) => {
        if (words.says === "ended") outcome = words.outcome;
        hear(words);
      });
      this.#child.on("exit", (code, signal) => resolve(outcome ?? { problem: died(code, signal, last), left: true }));
    });
  }

  /** After the run that is under way. */
  stop(): void {
    if (this.#child.connected) this.#child.send("stop" satisfies LaneIsTold);
  }

  /** Now, with its engine; what runs on hosts is left as it is. */
  kill(): void {
    if (this.#child.pid !== undefined && this.#child.exitCode === null) process.kill(-this.#child.pid, "SIGKILL");
  }
}

function died(code: number | null, signal: string | null, said: string): string {
  const how = signal ?? `exit code ${code}`;
  return `its process ended with ${how}: ${said.trim().split("\n").slice(-3).join(" ") || "it said nothing"}`;
}
