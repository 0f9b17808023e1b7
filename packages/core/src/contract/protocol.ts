import type { Duration } from "./duration";
import type { Fault } from "./fault";
import type { Load } from "./load";
import type { Run, RunPurpose } from "./run";

/** The next run of a protocol. */
export interface Step {
  readonly load: Load;
  readonly purpose: RunPurpose;
  /** How long to leave everything idle before it. Default none. */
  readonly coolDown?: Duration;
}

/**
 * Which run follows which: a pure function from the runs so far to the next step.
 *
 * It sees the runs of one target only. Because it is pure, a benchmark is a chain of resources planned in advance,
 * and a cut connection or a killed engine loses nothing: the same history gives the same next step.
 */
export interface Protocol {
  readonly name: string;
  /** The most runs of one target, warm-up included; bounds the chain while planning. */
  readonly maxRuns: number;
  /** Why it cannot be carried out with this load, one line each; found while planning. */
  faults?(load: Load): readonly Fault[];
  /** undefined: done. */
  next(load: Load, history: readonly Run[]): Step | undefined;
  /** The runs the figures are taken from. */
  answer(history: readonly Run[]): readonly Run[];
  /** What the protocol was after and did not reach, in words; undefined where it did. */
  missed?(history: readonly Run[]): string | undefined;
}

/**
 * Why a benchmark is run; it decides what counts against a figure.
 * ceiling: the path without a gateway; saturating it is the result. breaking-point: errors and missed rates are findings.
 */
export const purposes = ["ceiling", "capacity", "at-rate", "breaking-point", "smoke"] as const;
export type Purpose = (typeof purposes)[number];
