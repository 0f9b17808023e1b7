/** Takes down all that a state folder tells of, whatever has become of the process that made it. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { namesIn, sitesOf } from "./folders.mjs";
import { destroyMachine, machineIds } from "./machine.mjs";
import { destroySite } from "./site.mjs";

/** @param {string} state */
export async function destroyAll(state) {
  await Promise.all((await machineIds(state)).map((id) => destroyMachine(state, id)));
  for (const id of await namesIn(sitesOf(state))) await destroySite(state, id);
  for (const name of ["sites", "machines", "cloud"]) await rm(join(state, name), { recursive: true, force: true });
}
