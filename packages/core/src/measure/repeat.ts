import type { Protocol } from "../contract";
import { measured, ofPurpose, paced, warmUpsOf, type Pacing } from "./warm-up";

export interface RepeatOptions extends Pacing {
  /**
   * Measured runs. Three never prove a difference of 5 % where runs differ by 2 %; five do.
   * @default 5
   */
  readonly runs?: number;
}

/**
 * The same load again and again: one warm-up that is discarded, then so many runs.
 *
 * Every run counts as a try, also one that failed: it is not made up for, and the figures stand on fewer runs. Giving
 * more runs later changes none of the earlier ones.
 */
export function repeat({ runs = 5, ...pacing }: RepeatOptions = {}): Protocol {
  return {
    name: `repeat(${runs})`,
    maxRuns: warmUpsOf(pacing) + runs,
    next: (load, history) => {
      const due = ofPurpose(history, "measure").length < runs;
      return paced(due ? { load, purpose: "measure" } : undefined, load, history, pacing);
    },
    answer: measured,
  };
}
