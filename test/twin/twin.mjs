/**
 * The twin by hand, as root. Machines are printed one a line, as JSON.
 *
 *   node test/twin/twin.mjs create --count 2 --key ~/.ssh/id_ed25519.pub --images "nginx:1.30.4 curlimages/curl:8.11.0"
 *   node test/twin/twin.mjs list
 *   node test/twin/twin.mjs run ID COMMAND…          as the machine's root, without SSH
 *   node test/twin/twin.mjs stop|start ID            power off and on; its disk stays
 *   node test/twin/twin.mjs kill-ssh|start-ssh ID    connections end, and nobody listens
 *   node test/twin/twin.mjs silence-ssh|answer-ssh ID  SSH's packets are lost
 *   node test/twin/twin.mjs unplug|plug-in ID        all packets are lost
 *   node test/twin/twin.mjs remove ID
 *   node test/twin/twin.mjs destroy                  everything
 *
 * What it makes is written down in the folder GATEBENCH_TWIN_STATE names, or in one in the user's cache.
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import * as faults from "./faults.mjs";
import { stateFolder } from "./folders.mjs";
import { storeWith } from "./image-store.mjs";
import * as machines from "./machine.mjs";
import { fault } from "./shell.mjs";
import { createSite } from "./site.mjs";
import { destroyAll } from "./take-down.mjs";

const options = {
  count: { type: "string", default: "1" },
  key: { type: "string" },
  images: { type: "string", default: "" },
};
const [command, ...args] = process.argv.slice(2);
const state = stateFolder();

async function create() {
  const { values } = parseArgs({ args, options });
  const images = values.images.split(/\s+/).filter(Boolean);
  const authorizedKeys = values.key ? [await readFile(values.key, "utf8")] : [];
  const store = images.length > 0 ? await storeWith(images) : undefined;
  const site = await createSite(state);
  const wanted = Array.from({ length: Number(values.count) }, () => ({ site, store, authorizedKeys }));
  await Promise.all((await Promise.all(wanted.map(machines.createMachine))).map(show));
}

async function list() {
  for (const id of await machines.machineIds(state)) {
    const machine = await machines.machineOf(state, id);
    if (machine) await show(machine); // One that was only just begun is not written down yet.
  }
}

async function run() {
  const [id, ...words] = args;
  process.stdout.write(await machines.onMachine(await named(id), ...words));
}

async function show(machine) {
  const { id, user, privateIp, publicIp } = machine;
  const running = await machines.isRunning(machine);
  process.stdout.write(`${JSON.stringify({ id, user, privateIp, publicIp, running })}\n`);
}

async function named(id) {
  const machine = await machines.machineOf(state, id ?? "");
  if (machine) return machine;
  const known = (await machines.machineIds(state)).join(", ") || "none";
  throw fault("twin-machine", `the twin has no machine "${id ?? ""}". It has: ${known}.`);
}

const toOne = (change) => async () => void (await change(await named(args[0])));

const commands = {
  create,
  list,
  run,
  stop: toOne(machines.stopMachine),
  start: toOne(machines.startMachine),
  "kill-ssh": toOne(faults.killSsh),
  "start-ssh": toOne(faults.startSsh),
  "silence-ssh": toOne(faults.silenceSsh),
  "answer-ssh": toOne(faults.answerSsh),
  unplug: toOne(faults.unplug),
  "plug-in": toOne(faults.plugIn),
  remove: () => machines.destroyMachine(state, args[0]),
  destroy: () => destroyAll(state),
};

async function main() {
  const chosen = commands[command];
  if (chosen) return chosen();
  throw fault("twin-command", `the twin knows ${Object.keys(commands).join(", ")}, not "${command ?? ""}".`);
}

await main().catch((error) => {
  process.stderr.write(`${error.code ? error.message : error.stack}\n`);
  process.exitCode = 1;
});
