/**
 * The Pulumi engine: the user's own, else the official release, else one built from its Go module. The release brings
 * the Node language host along; the command plug-in is a download of its own. Where one of these two cannot be had, its
 * stand-in from tools/pulumi takes its place.
 */
import { existsSync, realpathSync, statSync } from "node:fs";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isExecutable, onPath, output } from "./commands.mjs";
import { builtFromGo } from "./go-engine.mjs";
import { during, say } from "./messages.mjs";
import { cache, local, repository } from "./paths.mjs";

/** Kept equal to the version of @pulumi/pulumi in package-lock.json: engine and SDK are released as one. */
export const VERSION = "3.220.0";
const PLUGIN_VERSION = "1.2.1";
const HOST = "pulumi-language-nodejs";
const PLUGIN = "pulumi-resource-command";
const standIns = join(repository, "tools/pulumi/bin");
const released = join(cache, "engine", `${VERSION}-release`);
const built = join(cache, "engine", VERSION);
const PLUGIN_MS = 120_000;
const DAY_MS = 86_400_000;

/**
 * @typedef {object} Engine
 * @property {string[]} directories  For the front of PATH.
 * @property {boolean} hasStandIns
 * @property {string} text  Which parts are used, for people.
 */

/** @returns {Promise<Engine>} */
export async function engine() {
  const found = (await fromPath()) ?? fromCache() ?? (await fromRelease()) ?? (await fromGo());
  const missing = [...(hasHost(found.directory) ? [] : [HOST]), ...((await hasPlugin(found)) ? [] : [PLUGIN])];
  const standIn = missing.length > 0 ? [await standInDirectory(missing)] : [];
  const engine = {
    directories: [...standIn, found.directory],
    hasStandIns: missing.length > 0,
    text: text(found, missing),
  };
  say(`using ${engine.text}`);
  return engine;
}

function text({ version, origin }, missing) {
  const part = (name, words) => `${missing.includes(name) ? "gatebench's stand-in for the" : "the official"} ${words}`;
  const parts = [part(PLUGIN, `command plug-in ${PLUGIN_VERSION}`), part(HOST, "Node language host")];
  return `Pulumi ${version} ${origin}, with ${parts.join(" and ")}`;
}

/** The user's own engine, if it can run Node programs and understands what this version's SDK asks of it. */
async function fromPath() {
  const file = onPath("pulumi");
  const homes = file ? [dirname(file), dirname(realpathSync(file))] : [];
  const home = homes.find((home) => isExecutable(join(home, HOST)));
  if (!home) return undefined;
  const { stdout } = await output(file, ["version"], { env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" } });
  const [, version, major, minor] = /v?((\d+)\.(\d+)\.\S+)/.exec(stdout) ?? [];
  const [wantedMajor, wantedMinor] = VERSION.split(".").map(Number);
  if (Number(major) !== wantedMajor || Number(minor) < wantedMinor) return undefined;
  return { directory: home, version, origin: `from ${home}` };
}

function fromCache() {
  if (isExecutable(join(released, "bin/pulumi"))) return release;
  if (isExecutable(join(built, "pulumi"))) return build;
  return undefined;
}

const release = { directory: join(released, "bin"), version: VERSION, origin: "from its release" };
const build = { directory: built, version: VERSION, origin: "built from its Go module" };

/** The official installer; a machine without the internet falls through quickly and without a word. */
async function fromRelease() {
  const partial = `${released}.partial`;
  await rm(partial, { recursive: true, force: true });
  const installer = join(dirname(fileURLToPath(import.meta.url)), "release-engine.mjs");
  const installing = () => output(process.execPath, [installer, partial, VERSION]);
  const { code } = await during(`installing the Pulumi engine ${VERSION} (about 100 MB, once)`, installing);
  if (code === 0) await rename(partial, released);
  await rm(partial, { recursive: true, force: true });
  return code === 0 ? release : undefined;
}

async function fromGo() {
  await builtFromGo(VERSION, built);
  return build;
}

const hasHost = (directory) => isExecutable(join(directory, HOST)) || isOfficialOnPath(HOST);

/** An earlier set-up may have put stand-ins on this very PATH, this clone's or another's. */
const isOfficialOnPath = (name) =>
  (process.env.PATH ?? "").split(delimiter).some((directory) => {
    const file = join(directory, name);
    return isExecutable(file) && !dirname(realpathSync(file)).endsWith("/tools/pulumi/bin");
  });

async function hasPlugin(found) {
  if (isOfficialOnPath(PLUGIN)) return true;
  const plugins = join(process.env.PULUMI_HOME || join(homedir(), ".pulumi"), "plugins");
  if (existsSync(join(plugins, `resource-command-v${PLUGIN_VERSION}`))) return true;
  return found !== build && (await installedPlugin(found));
}

/**
 * Only asked of an official engine: where that could not be had, its plug-ins cannot either. The engine tries for ten
 * seconds, so a failure is remembered for a day.
 */
async function installedPlugin(found) {
  const failure = join(cache, "command-plugin-unreachable");
  if (existsSync(failure) && Date.now() - statSync(failure).mtimeMs < DAY_MS) return false;
  const install = ["plugin", "install", "resource", "command", `v${PLUGIN_VERSION}`];
  const installing = () => output(join(found.directory, "pulumi"), install, { timeout: PLUGIN_MS });
  const { code } = await during(`installing the command plug-in ${PLUGIN_VERSION} of the Pulumi engine`, installing);
  if (code !== 0) await writeFile(failure, "");
  return code === 0;
}

const standInsInUse = join(local, "stand-ins");

/** A directory with links to just the stand-ins that are used: on PATH they come before any official part. */
async function standInDirectory(names) {
  await mkdir(standInsInUse, { recursive: true });
  for (const name of [HOST, PLUGIN]) {
    const link = join(standInsInUse, name);
    await rm(link, { force: true });
    if (names.includes(name)) await symlink(join(standIns, name), link);
  }
  return standInsInUse;
}
