import { secondsOf, type Asked } from "@gatebench/core/contract";
import { insist, total, type Figures } from "./figures";
import { usersOf } from "./locustfile";
import { rampOf } from "./ramp";

/** Throws where the run was not the one asked for. */
export function checkAsked(figures: Figures, { load }: Asked): void {
  const { users, model, measuredFrom, durationS, processes } = figures;
  insist(model === load.model, `a run of other than model "${load.model}"`, model);
  insist(users === usersOf(load), `a run of other than ${usersOf(load)} users`, `${users}`);
  const from = load.measureFrom ?? "start";
  insist(measuredFrom === from, `figures from other than "${from}"`, measuredFrom);
  if (load.model === "iterations") return checkIterations(figures, load.users * load.perUser);
  const seconds = load.duration === undefined ? undefined : secondsOf(load.duration);
  if (seconds === undefined) return;
  // A coordinator waits up to a second for its workers before it says that all users have started.
  const ramp = from === "after-ramp" ? rampOf(load) + 1 : 0;
  // Workers begin up to a second after the clock does that ends them.
  const start = processes.asked > 1 ? 1 : 0.3;
  // It ends early, with figures, where it is interrupted; a busy process stops late.
  const isWhole = durationS >= 0.95 * seconds - ramp - start && durationS <= 1.1 * seconds + 5;
  insist(isWhole, `a run of other than ${seconds} s`, `${durationS} s`);
}

/** Only a lost process may leave iterations undone. */
function checkIterations({ statuses, errors, processes }: Figures, wanted: number): void {
  const sent = total(statuses) + total(errors);
  const isWhole = sent === wanted || processes.reported < processes.asked;
  insist(isWhole, `a run of other than ${wanted} iterations`, `${sent}`);
}
