import type { Load, Protocol, Run, Step } from "../contract";

/** Carries out one step and tells what happened. `order` counts from 1. */
export type Executor = (step: Step, order: number) => Run;

/**
 * A protocol from its first step to "done", with someone else's runs: how protocols are tried without a machine.
 *
 * Throws where a protocol does not end within its own `maxRuns`.
 */
export function carryOut(protocol: Protocol, load: Load, execute: Executor): readonly Run[] {
  const history: Run[] = [];
  for (let step = protocol.next(load, history); step; step = protocol.next(load, history)) {
    if (history.length === protocol.maxRuns) {
      throw new Error(`${protocol.name} wants more than the ${protocol.maxRuns} runs it planned`);
    }
    history.push(execute(step, history.length + 1));
  }
  return history;
}
