import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Values } from "../../contract";
import { readJson, remove, writeJson } from "./files";
import { launch, ownEnvironment } from "./launch";
import { sessionFolder } from "./paths";
import { refuseOrphan } from "./process";
import { endBelow } from "./program";

interface SessionRecord {
  readonly id: string;
  /** Whose workloads are sampled: its own place, and those of a generator's workers. */
  readonly places: readonly string[];
}

/** Draws the session's id, makes its folder and starts its sampler. What an interrupted creation left is ended first. */
export async function openSession(
  place: string,
  name: string,
  places: readonly string[],
  agent: string,
): Promise<SessionRecord> {
  await closeSession(place, name);
  refuseOrphan("no session is opened for it");
  const folder = sessionFolder(place, name);
  mkdirSync(join(folder, "jobs"), { recursive: true, mode: 0o700 });
  mkdirSync(join(folder, "sampler"));
  const record = { id: randomBytes(8).toString("hex"), places };
  writeJson(join(folder, "session.json"), record);
  await launch({
    command: [process.execPath, agent, "sampler", place, folder],
    env: ownEnvironment(),
    folder: join(folder, "sampler"),
  });
  return record;
}

/** The session as it is; opened anew only where it is gone. */
export async function keepSession(
  place: string,
  name: string,
  places: readonly string[],
  agent: string,
): Promise<SessionRecord> {
  const kept = readJson<SessionRecord>(join(sessionFolder(place, name), "session.json"));
  return kept ?? openSession(place, name, places, agent);
}

/** Ends every job of the session, and its sampler, and removes its folder. */
export async function closeSession(place: string, name: string): Promise<void> {
  const folder = sessionFolder(place, name);
  await endBelow(folder);
  remove(folder);
}

/** Whose workloads a session samples. */
export function placesOf(place: string, session: string): readonly string[] {
  return readJson<SessionRecord>(join(sessionFolder(place, session), "session.json"))?.places ?? [place];
}

/** Values the session's jobs may use; readable by us alone. */
export function keepValues(place: string, session: string, vault: string, values: Values): void {
  const folder = join(sessionFolder(place, session), "vaults");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeJson(join(folder, `${vault}.json`), values);
}

export function keptValues(place: string, session: string, vault: string): Values {
  return readJson<Values>(join(sessionFolder(place, session), "vaults", `${vault}.json`)) ?? {};
}
