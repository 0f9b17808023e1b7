import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";

/** Everything gatebench keeps on this machine while something runs; empty again after a destroy, but for the lock. */
export const root = join(process.env.XDG_STATE_HOME ?? join(homedir(), ".local", "state"), "gatebench");

/** Held by the load that runs: two loads on one machine would measure each other. */
export const loadLock = (): string => lockNamed("load.lock");
/** Held by the verb that changes something on a machine over SSH. */
export const verbsLock = (): string => lockNamed("verbs.lock");

function lockNamed(name: string): string {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return join(root, name);
}

/** The place a folder of ours belongs to. */
export const placeOf = (folder: string): string => relative(join(root, "places"), folder).split("/")[0] as string;

export const placeFolder = (place: string): string => join(root, "places", place);
export const workloadFolder = (place: string, name: string): string => join(placeFolder(place), "workloads", name);
export const sessionFolder = (place: string, session: string): string => join(placeFolder(place), "sessions", session);
export const isJobFolder = (folder: string): boolean => /\/sessions\/[^/]+\/jobs\//.test(folder);
export const jobFolder = (place: string, session: string, id: string): string =>
  join(sessionFolder(place, session), "jobs", id);
