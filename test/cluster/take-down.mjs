/** Takes a cluster down, whatever has become of the process that started it, and however far that came. */
import { rm, rmdir } from "node:fs/promises";
import { destroyAll } from "../twin/take-down.mjs";
import { filesOf } from "./cluster-record.mjs";

/** Each machine is ended by its first process: the kernel ends the rest and takes its mounts and networks away. @param {string} state */
export async function takeDown(state) {
  await destroyAll(state);
  for (const path of Object.values(filesOf(state))) await rm(path, { recursive: true, force: true });
  await rmdir(state).catch(() => {}); // Somebody may keep other things in it.
}
