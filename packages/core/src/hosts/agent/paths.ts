import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Everything gatebench keeps on this machine while something runs; empty again after a destroy, but for the lock. */
export const root = join(process.env.XDG_STATE_HOME ?? join(homedir(), ".local", "state"), "gatebench");

/** Held by the load that runs: two loads on one machine would measure each other. */
export function loadLock(): string {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return join(root, "load.lock");
}

export const placeFolder = (place: string): string => join(root, "places", place);
export const workloadFolder = (place: string, name: string): string => join(placeFolder(place), "workloads", name);
export const sessionFolder = (place: string, session: string): string => join(placeFolder(place), "sessions", session);
export const jobFolder = (place: string, session: string, id: string): string =>
  join(sessionFolder(place, session), "jobs", id);
