import type { Protocol, Run, Step } from "../contract";
import { measured } from "./warm-up";

/**
 * A fixed list of loads, one run each, whatever comes out.
 *
 * A failed run counts like any other. The figures are those of the last load that was to be measured; runs of other
 * loads are never pooled with it. The benchmark's own load is not used.
 */
export function steps(list: readonly (Omit<Step, "purpose"> & Partial<Step>)[]): Protocol {
  return {
    name: `steps(${list.length})`,
    maxRuns: list.length,
    next: (_, history) => {
      const step = list[history.length];
      return step && { purpose: "measure", ...step };
    },
    answer: answeringRuns,
  };
}

/** The runs a cell's figures are taken from, whatever its protocol: measured, at the load that was measured last. */
export function answeringRuns(history: readonly Run[]): readonly Run[] {
  const last = history.findLast(({ purpose }) => purpose === "measure");
  return measured(history).filter(({ asked }) => JSON.stringify(asked) === JSON.stringify(last?.asked));
}
