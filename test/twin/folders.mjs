/** Where the twin keeps things: what is running in a state folder, images for every later run in the user's cache. */
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "gatebench", "twin");

/** Everything that one twin has made. Never a folder below another twin's. */
export const stateFolder = (given = process.env.GATEBENCH_TWIN_STATE) => given || join(cache, "state");
export const sitesOf = (state) => join(state, "sites");
export const machinesOf = (state) => join(state, "machines");

/** Whole or not at all: a destroy may read while a create writes. */
export async function writeRecord(folder, record) {
  const file = join(folder, "record.json");
  await writeFile(`${file}.new`, JSON.stringify(record, undefined, 2));
  await rename(`${file}.new`, file);
}

/** @returns {Promise<any>} undefined where there is none */
export async function readRecord(folder) {
  const text = await readFile(join(folder, "record.json"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

export const namesIn = (folder) => readdir(folder).catch(() => []);

/** Takes a name that only one can have, whoever else tries at this moment. @returns {Promise<boolean>} whether we have it */
export async function claimed(folder) {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}
