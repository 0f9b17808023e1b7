import { secondsOf, type Load } from "@gatebench/core/contract";
import { usersOf } from "./locustfile";

/** Users started per second; all at once where nothing is said. */
export function spawnRateOf(load: Load): number {
  const users = usersOf(load);
  if (load.model === "users" && load.spawnPerS !== undefined) return load.spawnPerS;
  const within = load.model === "users" || load.model === "iterations" ? load.startWithin : undefined;
  const seconds = within === undefined ? 0 : secondsOf(within);
  return seconds > 0 ? users / seconds : users;
}

/** Seconds from the first user's start to the last's. Locust starts whole users, `floor(rate)` at a time. */
export function rampOf(load: Load): number {
  const rate = spawnRateOf(load);
  const together = Math.max(1, Math.floor(rate));
  return ((Math.ceil(usersOf(load) / together) - 1) * together) / rate;
}
