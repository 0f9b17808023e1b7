import type { Progress } from "./progress";

/** How a person ends a bench early, in two stages. */
export interface Stop {
  /** Given to the engine. */
  readonly signal: AbortSignal;
  asked(): boolean;
  /** Signals are nobody's business any more. */
  forget(): void;
}

const signals = ["SIGINT", "SIGTERM"] as const;

/** How a person ends a command, in two stages; until the returned function is called. */
export function onInterrupt(first: () => void, again: () => void): () => void {
  let interrupted = false;
  const hear = () => {
    const then = interrupted ? again : first;
    interrupted = true;
    then();
  };
  signals.forEach((name) => process.on(name, hear));
  return () => signals.forEach((name) => process.off(name, hear));
}

/** Ends this process; what it began stays. */
export function leave(recovery: string): never {
  process.stderr.write(`left as it is; the same command goes on where it was, or take it down with: ${recovery}\n`);
  process.exit(130);
}

/** The first interrupt ends the load and takes everything down; the second leaves at once and says how to clean up. */
export function stopOnSignal(progress: Progress, recovery: () => string): Stop {
  const controller = new AbortController();
  const forget = onInterrupt(
    () => {
      progress.note("interrupted: ending the load and taking everything down (again: leave at once)");
      controller.abort();
    },
    () => leave(recovery()),
  );
  return { signal: controller.signal, asked: () => controller.signal.aborted, forget };
}
