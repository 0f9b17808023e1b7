import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readJson, remove, writeJson } from "./files";
import { placeFolder } from "./paths";
import { launch, ownEnvironment } from "./launch";
import { refuseTakenPorts } from "./port-owner";
import { endSession, type ProcessId } from "./process";
import { endBelow } from "./program";

/** The first thing created and the last removed: a folder in which everything of one topology stands on record. */
export interface Place {
  readonly identity: string;
}

/** Where other hosts ask what this one does, and the program that answers. */
interface ObserverOrder {
  readonly host: string;
  readonly port: number;
  readonly agent: string;
}

/**
 * Begins anew: what an interrupted earlier life left behind is ended first. The folder comes with the first that stands
 * in it, so that nothing is there before the engine has the place on record.
 */
export async function openPlace(place: string, observer?: ObserverOrder): Promise<Place> {
  await closePlace(place);
  const opened = { identity: randomBytes(8).toString("hex") };
  if (observer) await observed(place, opened, observer);
  return opened;
}

/** A machine that others ask has its place on record: nobody tells it later what was printed here. */
async function observed(place: string, opened: Place, { agent, ...listen }: ObserverOrder): Promise<void> {
  refuseTakenPorts({ name: "what tells other hosts its CPU", ports: { observer: listen.port } });
  const folder = join(placeFolder(place), "observer");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeJson(recordOf(place), opened);
  await launch({
    command: [process.execPath, agent, "observer", place, JSON.stringify(listen)],
    env: ownEnvironment(),
    folder,
  });
}

const recordOf = (place: string): string => join(placeFolder(place), "place.json");

/** The place as it was opened: on this machine the engine gives a command what it printed before, elsewhere it is on record. */
export async function keepPlace(place: string, observer?: ObserverOrder): Promise<string | Place> {
  if (!observer) return process.env.PULUMI_COMMAND_STDOUT || openPlace(place);
  const kept = readJson<Place>(recordOf(place));
  if (!kept) return openPlace(place, observer);
  await Promise.all(recordedProcesses(join(placeFolder(place), "observer")).map(endSession));
  await observed(place, kept, observer);
  return kept;
}

/** Ends every process on record in the place and removes it. */
export async function closePlace(place: string): Promise<void> {
  await endBelow(placeFolder(place));
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
