import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readJson, remove } from "./files";
import { placeFolder } from "./paths";
import { endSession, type ProcessId } from "./process";

/** The first thing created and the last removed: a folder in which everything of one topology stands on record. */
export interface Place {
  readonly identity: string;
}

/**
 * Begins anew: what an interrupted earlier life left behind is ended first. The folder comes with the first that stands
 * in it, so that nothing is there before the engine has the place on record.
 */
export async function openPlace(place: string): Promise<Place> {
  await closePlace(place);
  return { identity: randomBytes(8).toString("hex") };
}

/** The place as it was opened; the engine gives a command what it printed before. */
export function keepPlace(place: string): string | Promise<Place> {
  return process.env.PULUMI_COMMAND_STDOUT || openPlace(place);
}

/** Ends every process on record in the place and removes it. */
export async function closePlace(place: string): Promise<void> {
  await Promise.all(recordedProcesses(placeFolder(place)).map(endSession));
  remove(placeFolder(place));
}

/** Every process a folder has on record, wherever below it. */
export function recordedProcesses(folder: string): readonly ProcessId[] {
  return foldersBelow(folder).flatMap((below) => readJson<ProcessId>(join(below, "process.json")) ?? []);
}

function foldersBelow(folder: string): readonly string[] {
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [folder, ...below.flatMap((entry) => foldersBelow(join(folder, entry.name)))];
  } catch {
    return [];
  }
}
