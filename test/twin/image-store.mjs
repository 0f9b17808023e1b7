/**
 * Images for every machine, made once: the folder of a Docker Engine in the user's cache, filled on a machine of its own.
 * A machine gets hard links to the layers, which Docker never writes to, and copies of the few files that name them:
 * some milliseconds, where loading Node's hundred megabytes into each machine takes seconds.
 */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { locked } from "../../tools/setup/lock.mjs";
import { cache } from "./folders.mjs";
import { fingerprintOf, writeImageRoot } from "./image-root.mjs";
import { imageFor } from "./images.mjs";
import { createMachine, enter, initOf, machineFolder, onMachine, stopMachine } from "./machine.mjs";
import { PATH, runWith } from "./shell.mjs";
import { createSite } from "./site.mjs";
import { destroyAll } from "./take-down.mjs";

const stores = join(cache, "stores");
const LATEST = join(cache, "latest-store");
/** Another twin may be copying from a store that has just been replaced. */
const KEPT_MS = 3_600_000;

/**
 * @typedef {object} Store  A Docker Engine's folder, and the images of it that are wanted: name → id.
 * @property {string} folder
 * @property {Record<string, string>} images
 */

/** @param {readonly string[]} images  As the adapters name them: `nginx:1.30.4`. @returns {Promise<Store>} */
export async function storeWith(images) {
  const recipes = images.map((image) => ({ image, recipe: imageFor(image) }));
  await mkdir(stores, { recursive: true });
  return locked(join(cache, "store.lock"), async () => {
    await clearWorkshops();
    const { folder, ids } = await withRecipes(await keyed(recipes.map(({ recipe }) => recipe)));
    return { folder, images: Object.fromEntries(recipes.map(({ image, recipe }) => [image, ids[recipe.name].id])) };
  });
}

const keyed = async (recipes) =>
  Object.fromEntries(
    await Promise.all(
      recipes.map(async (recipe) => [recipe.name, { recipe, fingerprint: await fingerprintOf(recipe) }]),
    ),
  );

async function withRecipes(wanted) {
  const latest = await latestStore();
  const missing = Object.values(wanted).filter(
    ({ recipe, fingerprint }) => latest?.ids[recipe.name]?.fingerprint !== fingerprint,
  );
  return missing.length === 0 && latest ? latest : extended(latest, missing);
}

/** While we have the lock, no workshop is at work: one that stands was left by a program that was killed. */
async function clearWorkshops() {
  const names = (await readdir(cache)).filter((name) => /^(workshop|image)-/.test(name));
  for (const name of names) {
    await destroyAll(join(cache, name));
    await rm(join(cache, name), { recursive: true, force: true });
  }
}

async function latestStore() {
  const folder = await readFile(LATEST, "utf8").catch(() => undefined);
  const ids = folder && (await readFile(join(folder, "ids.json"), "utf8").catch(() => undefined));
  return ids ? { folder, ids: JSON.parse(ids) } : undefined;
}

async function extended(latest, missing) {
  const state = await mkdtemp(join(cache, "workshop-"));
  const site = await createSite(state);
  const store = latest && { folder: latest.folder, images: imagesOf(latest.ids) };
  const workshop = await createMachine({ site, store });
  try {
    const ids = { ...latest?.ids };
    for (const { recipe, fingerprint } of missing)
      ids[recipe.name] = { id: await imported(workshop, recipe), fingerprint };
    await onMachine(workshop, "docker", "image", "prune", "--force"); // What an updated program has taken the name of.
    await stopMachine(workshop);
    return await kept(join(machineFolder(workshop), "root/var/lib/docker"), ids);
  } finally {
    await destroyAll(state);
    await rm(state, { recursive: true, force: true });
  }
}

const imagesOf = (ids) =>
  Object.fromEntries(Object.entries(ids).map(([name, { id }]) => [`gatebench-twin/${name}:latest`, id]));

/** @returns {Promise<string>} the image's id */
async function imported(workshop, recipe) {
  const root = await mkdtemp(join(cache, "image-"));
  try {
    await writeImageRoot(recipe, root);
    const tar = spawn("tar", ["-C", root, "-c", "."], { stdio: ["ignore", "pipe", "inherit"], env: { PATH } });
    const changes = changesOf(recipe).flatMap((change) => ["--change", change]);
    const tag = `gatebench-twin/${recipe.name.replaceAll(/[^a-z0-9]+/g, "-")}:latest`;
    const docker = [...enter(await initOf(workshop)), "docker", "import", ...changes, "-", tag];
    return (await runWith(tar.stdout, "nsenter", ...docker)).trim();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const changesOf = ({ command, entrypoint, user, standsInFor }) => [
  `ENV PATH=${PATH}`,
  ...(entrypoint ? [`ENTRYPOINT ${JSON.stringify(entrypoint)}`] : [`CMD ${JSON.stringify(command ?? ["sh"])}`]),
  ...(user ? [`USER ${user}`] : []),
  ...(standsInFor ? [`LABEL gatebench.stand-in-for=${JSON.stringify(standsInFor)}`] : []),
];

async function kept(docker, ids) {
  const text = JSON.stringify(ids);
  const folder = join(stores, createHash("sha256").update(text).digest("hex").slice(0, 16));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  for (const part of ["image", "overlay2"]) await rename(join(docker, part), join(folder, part));
  await writeFile(join(folder, "ids.json"), text);
  await writeFile(`${LATEST}.new`, folder);
  await rename(`${LATEST}.new`, LATEST);
  await removeOldStores(folder);
  return { folder, ids };
}

async function removeOldStores(latest) {
  for (const name of await readdir(stores)) {
    const folder = join(stores, name);
    const { mtimeMs } = await stat(folder);
    if (folder !== latest && Date.now() - mtimeMs > KEPT_MS) await rm(folder, { recursive: true, force: true });
  }
}
