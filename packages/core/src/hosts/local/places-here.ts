import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { placeFolder, root } from "../agent/paths";
import { closePlace, recordedProcesses } from "../agent/place";
import { isAlive } from "../agent/process";

/** What a topology keeps on this machine, as it looks from outside: nobody says whose it is. */
export interface PlaceHere {
  /** Project, stack, host and working folder. */
  readonly name: string;
  readonly path: string;
  /** Processes on record in it that still run. */
  readonly running: number;
  /** When anything in it was written last. */
  readonly touchedAt: Date;
}

/** Every place on this machine; none while nothing runs and nothing was left behind. */
export function placesHere(): readonly PlaceHere[] {
  return namesIn(join(root, "places")).map((name) => {
    const path = placeFolder(name);
    const running = recordedProcesses(path).filter(isAlive).length;
    return { name, path, running, touchedAt: new Date(newestIn(path)) };
  });
}

/** Removes a place in which nothing runs. false: by now something does, and it is left as it is. */
export async function removePlace(name: string): Promise<boolean> {
  if (recordedProcesses(placeFolder(name)).some(isAlive)) return false;
  await closePlace(name);
  return true;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

/** Milliseconds since 1970; 0 where it has just gone. */
function newestIn(path: string): number {
  try {
    const own = lstatSync(path);
    const below = own.isDirectory() ? readdirSync(path).map((name) => newestIn(join(path, name))) : [];
    return below.reduce((newest, one) => Math.max(newest, one), own.mtimeMs);
  } catch {
    return 0;
  }
}
