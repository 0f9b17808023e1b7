import type { Progress } from "./progress";

/** How a person ends a bench early, in two stages. */
export interface Stop {
  /** Given to the engine. */
  readonly signal: AbortSignal;
  asked(): boolean;
  /** Signals are nobody's business any more. */
  forget(): void;
}

/** The first interrupt ends the load and takes everything down; the second leaves at once and says how to clean up. */
export function stopOnSignal(progress: Progress, recovery: () => string): Stop {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) {
      process.stderr.write(`left as it is; the same command goes on where it was, or clean up with: ${recovery()}\n`);
      process.exit(130);
    }
    progress.note("interrupted: ending the load and taking everything down (again: leave at once)");
    controller.abort();
  };
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, onSignal);
  return {
    signal: controller.signal,
    asked: () => controller.signal.aborted,
    forget: () => ["SIGINT", "SIGTERM"].forEach((name) => process.off(name, onSignal)),
  };
}
