/** What images are made of, as containerd keeps it: one layer and what is said of it, made once from a recipe of the twin's. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { locked } from "../../tools/setup/lock.mjs";
import { cache } from "../../tools/setup/paths.mjs";
import { fingerprintOf, writeImageRoot } from "../twin/image-root.mjs";
import { PATH, run } from "../twin/shell.mjs";

const layers = join(cache, "cluster/images");

/** @typedef {{ file: string, hash: string, size: number, config: string }} Layer  A tar, and its image's configuration. */

/** @param {import("../twin/images.mjs").Recipe} recipe @returns {Promise<Layer>} */
export async function layerOf(recipe) {
  const folder = join(layers, `${recipe.name}-${(await fingerprintOf(recipe)).slice(0, 16)}`);
  await mkdir(layers, { recursive: true });
  await locked(join(layers, `${recipe.name}.lock`), async () => {
    if (!(await isThere(folder))) await made(recipe, folder);
  });
  const file = join(folder, "layer.tar");
  const [hash, { size }] = [await readFile(join(folder, "hash"), "utf8"), await stat(file)];
  return { file, hash, size, config: JSON.stringify(configOf(recipe, hash)) };
}

async function made(recipe, folder) {
  const work = await mkdtemp(join(layers, "work-"));
  try {
    const [root, image] = [join(work, "root"), join(work, "image")];
    await Promise.all([mkdir(root), mkdir(image)]);
    await writeImageRoot(recipe, root);
    const file = join(image, "layer.tar");
    await run("tar", "-C", root, "--numeric-owner", "--owner=0", "--group=0", "-cf", file, ".");
    await writeFile(join(image, "hash"), await sha256(file));
    await removeOlder(recipe);
    await rename(image, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** https://github.com/opencontainers/image-spec/blob/main/config.md */
const configOf = ({ command, entrypoint, user, standsInFor }, hash) => ({
  architecture: { x64: "amd64", arm64: "arm64" }[process.arch],
  os: "linux",
  config: {
    Env: [`PATH=${PATH}`],
    ...(entrypoint ? { Entrypoint: entrypoint } : { Cmd: command ?? ["sh"] }),
    ...(user && { User: user }),
    ...(standsInFor && { Labels: { "gatebench.stand-in-for": standsInFor } }),
  },
  rootfs: { type: "layers", diff_ids: [`sha256:${hash}`] },
});

async function sha256(file) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** Of a program that was updated since. Nodes that have it keep their links to it. */
async function removeOlder({ name }) {
  const older = new RegExp(`^${name}-[0-9a-f]{16}$`);
  const folders = (await readdir(layers)).filter((folder) => older.test(folder));
  await Promise.all(folders.map((folder) => rm(join(layers, folder), { recursive: true, force: true })));
}

const isThere = (path) =>
  stat(path).then(
    () => true,
    () => false,
  );
