/**
 * The twin by hand, as root:
 *   node test/twin/twin.mjs create [--count 2] [--key ~/.ssh/id_ed25519.pub] [--images nginx:1.30.4,curlimages/curl:8.11.0]
 *   node test/twin/twin.mjs list
 *   node test/twin/twin.mjs destroy
 * What it makes is written down in the folder of GATEBENCH_TWIN_STATE, or one in the user's cache.
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { stateFolder } from "./folders.mjs";
import { storeWith } from "./image-store.mjs";
import { createMachine, isRunning, machineIds, machineOf } from "./machine.mjs";
import { fault } from "./shell.mjs";
import { createSite } from "./site.mjs";
import { destroyAll } from "./take-down.mjs";

const options = {
  count: { type: "string", default: "1" },
  key: { type: "string" },
  images: { type: "string", default: "" },
};
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const state = stateFolder();

const commands = {
  create: async () => {
    const images = values.images.split(",").filter(Boolean);
    const authorizedKeys = values.key ? [await readFile(values.key, "utf8")] : [];
    const store = images.length > 0 ? await storeWith(images) : undefined;
    const site = await createSite(state);
    const machines = Array.from({ length: Number(values.count) }, () => createMachine({ site, store, authorizedKeys }));
    for (const machine of await Promise.all(machines)) show(machine);
  },
  list: async () => {
    for (const id of await machineIds(state))
      show(await machineOf(state, id), await isRunning(await machineOf(state, id)));
  },
  destroy: () => destroyAll(state),
};

const show = ({ id, user, privateIp, publicIp }, runs = true) =>
  console.log(`${id}  ${user}@${publicIp}  private ${privateIp}  ${runs ? "running" : "stopped"}`);

const command = commands[positionals[0]];
if (!command)
  throw fault("twin-command", `the twin knows ${Object.keys(commands).join(", ")}, not "${positionals[0] ?? ""}".`);
await command();
