import { secondsOf, type Duration, type Load, type Run, type Step } from "../contract";

/** What every protocol leaves between its runs, and does before them. */
export interface Pacing {
  /**
   * How long the first run lasts, which is discarded; false: none.
   * @default "15s", or as long as the load where that is shorter
   */
  readonly warmUp?: Duration | false;
  /**
   * Idle time before every run but the first, in which closed connections leave TIME_WAIT.
   * @default "10s"
   */
  readonly coolDown?: Duration;
}

/** One level of TechEmpower's wrk runs, and what its warm-up lasts. */
const levelLength: Duration = "15s";
/** TIME_WAIT lasts 60 s; 10 s is the least that lets caches, queues and CPU clocks come to rest. */
const defaultCoolDown: Duration = "10s";

/** The load for so long; loads that end by count stay as they are. */
function lasting<L extends Load>(load: L, duration: Duration): L {
  return load.model === "iterations" ? load : { ...load, duration };
}

/** The load for one short level, and never longer than it was to last. */
export function shortly<L extends Load>(load: L): L {
  const longer = load.duration === undefined || secondsOf(load.duration) > secondsOf(levelLength);
  return longer ? lasting(load, levelLength) : load;
}

/** How many warm-up runs a protocol begins with. */
export const warmUpsOf = ({ warmUp }: Pacing): number => (warmUp === false ? 0 : 1);

/** The next step, preceded by the warm-up and by idle time where they are due. */
export function paced(step: Step | undefined, load: Load, history: readonly Run[], pacing: Pacing): Step | undefined {
  const { warmUp, coolDown = defaultCoolDown } = pacing;
  if (step === undefined || history.length > 0) return step && { coolDown, ...step };
  if (warmUp === false) return step;
  return { load: warmUp === undefined ? shortly(load) : lasting(load, warmUp), purpose: "warm-up" };
}

/** The runs of a purpose. */
export const ofPurpose = (history: readonly Run[], purpose: Run["purpose"]): readonly Run[] =>
  history.filter((run) => run.purpose === purpose);

/** The runs that were meant to be measured and gave figures. */
export function measured(history: readonly Run[]): readonly Run[] {
  return ofPurpose(history, "measure").filter(({ outcome }) => "result" in outcome);
}
