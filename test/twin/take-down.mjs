/** Takes down all that a state folder tells of, whatever has become of the process that made it. */
import { rm } from "node:fs/promises";
import { namesIn, sitesOf } from "./folders.mjs";
import { destroyMachine, machineIds } from "./machine.mjs";
import { destroySite } from "./site.mjs";

/** @param {string} state */
export async function destroyAll(state) {
  await Promise.all((await machineIds(state)).map((id) => destroyMachine(state, id)));
  for (const id of await namesIn(sitesOf(state))) await destroySite(state, id);
  await rm(state, { recursive: true, force: true });
}
