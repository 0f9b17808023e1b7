import type { Figure, Protocol, Run } from "../contract";
import { figureOf } from "./sample";
import { relativeHalfWidth } from "./statistics";
import { measured, ofPurpose, paced, warmUpsOf, type Pacing } from "./warm-up";

export interface UntilStableOptions extends Pacing {
  /** The figure that is to be known well. @default "rps" */
  readonly figure?: Figure;
  /**
   * Half the width of its 95 % interval, as a fraction of the mean.
   * @default 0.02; 0.05 for p99Ms, which differs more from run to run
   */
  readonly relative?: number;
  /** Below five runs an interval may be narrow by luck: of "95 %" only 91 % is left with three. @default 5 */
  readonly min?: number;
  /** @default 20 */
  readonly max?: number;
}

/** How narrow an interval is wanted, by figure. */
export const wantedHalfWidth: Readonly<Record<Figure, number>> = { rps: 0.02, tlsTps: 0.02, p99Ms: 0.05 };

/**
 * Runs until the mean of a figure is known well enough.
 *
 * It stops one run after the 95 % t-interval was first narrow: stopping at the first hit prefers lucky intervals (their
 * true coverage falls to 92.9 % where runs differ by 3 %). A failed run counts as a try and adds nothing; after `max`
 * tries it ends, and says so in `missed`. Raising `max` changes none of the earlier runs.
 */
export function untilStable(options: UntilStableOptions = {}): Protocol {
  const { figure = "rps", min = 5, max = 20, ...pacing } = options;
  const relative = options.relative ?? wantedHalfWidth[figure];
  const firstHit = (history: readonly Run[]) => firstNarrow(valuesOf(history, figure), relative, min);
  const isDone = (history: readonly Run[]) => {
    const hit = firstHit(history);
    return hit !== undefined && valuesOf(history, figure).length > hit;
  };
  return {
    name: `until-stable(${figure} ± ${percent(relative)})`,
    maxRuns: warmUpsOf(pacing) + max,
    next: (load, history) => {
      const due = ofPurpose(history, "measure").length < max && !isDone(history);
      return paced(due ? { load, purpose: "measure" } : undefined, load, history, pacing);
    },
    answer: measured,
    missed: (history) =>
      firstHit(history) === undefined ? `the 95 % interval of ${figure} was within ± ${percent(relative)}` : undefined,
  };
}

function valuesOf(history: readonly Run[], figure: Figure): readonly number[] {
  return measured(history).flatMap((run) => figureOf(run, figure) ?? []);
}

/** The least number of values, from the first on, whose interval is narrow. */
function firstNarrow(values: readonly number[], relative: number, min: number): number | undefined {
  const counts = values.map((_, index) => index + 1).filter((count) => count >= min);
  return counts.find((count) => (relativeHalfWidth(values.slice(0, count)) ?? Infinity) <= relative);
}

const percent = (fraction: number): string => `${Number((fraction * 100).toFixed(2))} %`;
