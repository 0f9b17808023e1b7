/**
 * A machine: a process with network, mount, process and name spaces of its own, in which a real sshd and a real Docker
 * Engine run. That process is the whole machine: when it ends, the kernel takes everything else. It is found by what it
 * runs, so that it can be ended from any other process, after a crash as well.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, openSync, closeSync } from "node:fs";
import { mkdir, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { writeFileSystem } from "./file-system.mjs";
import { machinesOf, namesIn, readRecord, writeRecord } from "./folders.mjs";
import { copyImages } from "./image-copy.mjs";
import { environment, fault, run, succeeds } from "./shell.mjs";
import { giveAddressBack, networkOf, siteOf, takePrivateAddress, takePublicAddress } from "./site.mjs";

const boot = join(dirname(fileURLToPath(import.meta.url)), "boot.sh");
const POLL_MS = 20;
const START_MS = 60_000;
const END_MS = 10_000;

/**
 * @typedef {object} Machine
 * @property {string} id @property {string} state @property {string} site @property {string} device  Its end of the cable.
 * @property {string} hostname @property {string} user @property {string} privateIp @property {string} publicIp
 * @property {string} [subnet]  The part of its site's network that it is in.
 * @property {string[][]} [routes]  To networks behind other machines, as `ip route` has them.
 * @property {string} [ready]  A shell line that ends well once the machine is of use.
 */

/**
 * @param {{ site: import("./site.mjs").Site, id?: string, hostname?: string, user?: string, groups?: string[],
 *   subnet?: string, privateIp?: string, authorizedKeys?: string[], store?: import("./image-store.mjs").Store,
 *   userData?: string, routes?: string[][], ready?: string, furnish?: typeof writeFileSystem }} wanted  A private address
 *   that is given is claimed already; what the machine is furnished with says what it starts.
 * @returns {Promise<Machine>} a machine that answers on SSH and on its Docker socket, unless it is furnished otherwise
 */
export async function createMachine({ site, id = `i-${randomBytes(8).toString("hex")}`, ...wanted }) {
  const {
    user = "ec2-user",
    groups = ["docker"],
    authorizedKeys = [],
    store,
    userData,
    subnet,
    routes,
    ready,
  } = wanted;
  const folder = join(machinesOf(site.state), id);
  await mkdir(folder, { recursive: true });
  const privateIp = wanted.privateIp ?? (await takePrivateAddress(site, subnet));
  const publicIp = await takePublicAddress(site);
  const hostname = wanted.hostname ?? `ip-${privateIp.replaceAll(".", "-")}`;
  const device = `gbt${randomBytes(5).toString("hex")}`;
  const place = { device, privateIp, publicIp, subnet, routes };
  const machine = { id, state: site.state, site: site.id, hostname, user, ...place, ready };
  await writeRecord(folder, machine);
  await (wanted.furnish ?? writeFileSystem)(folder, { hostname, user, groups, authorizedKeys, userData });
  if (store) await copyImages(store, join(folder, "root/var/lib/docker"));
  await startMachine(machine);
  return machine;
}

/** @param {Machine} machine */
export async function startMachine(machine) {
  start(machine);
  await until(
    () => initOf(machine),
    START_MS,
    () => startFault(machine),
  );
  await connect(machine);
  await until(
    () => isReady(machine),
    START_MS,
    () => startFault(machine),
  );
  await announce(machine);
}

/** The machine outlives whoever makes it; `--kill-child` ends its first process with the one that is found by its name. */
function start(machine) {
  const folder = machineFolder(machine);
  const log = openSync(join(folder, "boot.log"), "a");
  const spaces = ["--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child"];
  const args = [...spaces, boot, folder, machine.hostname, cgroupOf(machine)];
  spawn("unshare", args, { detached: true, stdio: ["ignore", log, log], env: environment, cwd: "/" }).unref();
  closeSync(log);
}

/** The same after a restart, or whoever had its address in mind would look for it in vain for a while. */
const macOf = (device) => ["02", ...device.slice("gbt".length).match(/../g)].join(":");

async function connect(machine) {
  const { device } = machine;
  const site = await siteOf(machine.state, machine.site);
  const peer = ["peer", "name", "eth0", "address", macOf(device), "netns", String(await initOf(machine))];
  await run("ip", "link", "add", device, "type", "veth", ...peer);
  await run("ip", "link", "set", device, "master", site.bridge, "up");
  for (const address of networkOf(site, machine).addresses)
    await inNetwork(machine, "ip", "address", "add", address, "dev", "eth0");
  await raise(machine);
}

/** A device that goes down loses its routes. @param {Machine} machine */
export async function raise(machine) {
  const site = await siteOf(machine.state, machine.site);
  await inNetwork(machine, "ip", "link", "set", "eth0", "up");
  for (const route of networkOf(site, machine).routes) await inNetwork(machine, "ip", "route", "replace", ...route);
}

/** Others may have its addresses in mind as another machine's that is gone: the kernel tells them once, when it is set. */
async function announce(machine) {
  await inNetwork(machine, "sysctl", "--quiet", "net.ipv4.conf.eth0.arp_notify=1");
  await inNetwork(machine, "ip", "link", "set", "eth0", "address", macOf(machine.device));
}

/** While the machine starts, its files are not to be relied on. */
const inNetwork = async (machine, ...command) =>
  run("nsenter", `--net=/proc/${await initOf(machine)}/ns/net`, ...command);

/** Runs a program on the machine as its root, without SSH. @param {Machine} machine */
export async function onMachine(machine, ...command) {
  const init = await initOf(machine);
  if (!init) throw fault("twin-machine", `machine ${machine.id} does not run. Start it.`);
  return run("nsenter", ...enter(init), ...command);
}

/** Everything but user namespaces, which it has none of. */
export const enter = (init) => [
  `--target=${init}`,
  "--mount",
  "--net",
  "--uts",
  "--ipc",
  "--pid",
  "--root",
  "--wd",
  "--",
];

/** Docker answers, and somebody listens (0A) on port 22 (0016). */
const READY = "docker version > /dev/null && grep -q ':0016 .* 0A ' /proc/net/tcp";

const isReady = (machine) =>
  onMachine(machine, "sh", "-c", machine.ready ?? READY).then(
    () => true,
    () => false,
  );

/** The machine as after its power was cut: its disk stays. @param {Machine} machine */
export async function stopMachine(machine) {
  const [outer, init] = [await outerOf(machine), await initOf(machine)];
  if (outer) process.kill(outer, "SIGKILL");
  const late = () =>
    fault("twin-machine", `machine ${machine.id} (process ${init ?? outer}) does not end. End it by hand.`);
  await until(async () => (await isGone(outer)) && (await isGone(init)), END_MS, late);
  if (await succeeds("ip", "link", "show", machine.device))
    await run("ip", "link", "delete", machine.device).catch(() => {});
  await removeCgroups(machine);
}

/** Stops and starts it: its disk and its private address stay, its public address is another. @param {Machine} machine */
export async function restartElsewhere(machine) {
  const site = await siteOf(machine.state, machine.site);
  await stopMachine(machine);
  const moved = { ...machine, publicIp: await takePublicAddress(site) };
  await writeRecord(machineFolder(machine), moved);
  await giveAddressBack(site, machine.publicIp);
  await startMachine(moved);
  return moved;
}

/** @param {string} state @param {string} id */
export async function destroyMachine(state, id) {
  const machine = await machineOf(state, id);
  const folder = join(machinesOf(state), id);
  if (machine) {
    await stopMachine(machine);
    for (const address of [machine.privateIp, machine.publicIp])
      await giveAddressBack({ id: machine.site, state }, address);
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** @returns {Promise<Machine | undefined>} */
export const machineOf = (state, id) => readRecord(join(machinesOf(state), id));

export const machineIds = (state) => namesIn(machinesOf(state));

export async function isRunning(machine) {
  return (await initOf(machine)) !== undefined;
}

/** Of its own accord, as fakes/shutdown notes it; its power was not cut. */
export const hasShutItselfDown = async (machine) =>
  existsSync(join(machineFolder(machine), "root/var/lib/twin-shut-down")) && !(await isRunning(machine));

export const machineFolder = ({ state, id }) => join(machinesOf(state), id);

/** The machine's first process, as this computer numbers it. */
export async function initOf(machine) {
  const outer = await outerOf(machine);
  const children = outer && (await readFile(`/proc/${outer}/task/${outer}/children`, "utf8").catch(() => ""));
  return children ? Number(children.trim().split(" ")[0]) : undefined;
}

/** The process that was started for the machine: no other has its folder on the command line of `unshare`. */
async function outerOf(machine) {
  const words = ["unshare", boot, machineFolder(machine)];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const line = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
    if (words.every((word) => line.includes(word))) return Number(pid);
  }
  return undefined;
}

/** A first process becomes a zombie (Z) once all others in its space are gone. /proc/PID/stat is "PID (NAME) STATE …". */
async function isGone(pid) {
  const stat = pid === undefined ? "" : await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return /^$|\) [ZX] /.test(stat);
}

const CGROUPS = "/sys/fs/cgroup";
const cgroupOf = ({ id }) => `/gatebench-twin/${id}`;

/** Docker's were emptied when the machine ended, not removed. Version 1 has a tree for each controller. */
async function removeCgroups(machine) {
  const trees = existsSync(join(CGROUPS, "cgroup.controllers")) ? ["."] : await readdir(CGROUPS);
  for (const tree of trees) {
    await removeCgroup(join(CGROUPS, tree, cgroupOf(machine)));
    await rmdir(join(CGROUPS, tree, "gatebench-twin")).catch(() => {}); // Another machine's may be in it.
  }
}

async function removeCgroup(folder) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((entry) => entry.isDirectory())) await removeCgroup(join(folder, entry.name));
  await until(
    () =>
      rmdir(folder).then(
        () => true,
        ({ code }) => code !== "EBUSY",
      ),
    END_MS,
    () => fault("twin-cgroup", `${folder} stays busy.`),
  );
}

async function startFault(machine) {
  const [folder, { id }] = [machineFolder(machine), machine];
  const names = (await readdir(join(folder, "root/var/log"))).filter((name) => name.endsWith(".log"));
  const logs = ["boot.log", ...names.map((name) => join("root/var/log", name))].map((name) => join(folder, name));
  const said = await Promise.all(logs.map((log) => readFile(log, "utf8").catch(() => "")));
  const last = said.flatMap((text) => text.trim().split("\n").slice(-3)).filter(Boolean);
  return fault("twin-machine", `machine ${id} does not start within ${START_MS / 1000} s: ${last.join("; ")}`);
}

export async function until(holds, withinMs, late, pollMs = POLL_MS) {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw await late();
    await sleep(pollMs);
  }
}

/** @param {Machine} machine  Its host key, for a known_hosts file. */
export const hostKeyOf = (machine) =>
  readFile(join(machineFolder(machine), "upper/etc/ssh/ssh_host_ed25519_key.pub"), "utf8");
