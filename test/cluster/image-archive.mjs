/** Images as files that containerd can import: a docker-archive of one layer, made once from a recipe of the twin's. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { locked } from "../../tools/setup/lock.mjs";
import { cache } from "../../tools/setup/paths.mjs";
import { fingerprintOf, writeImageRoot } from "../twin/image-root.mjs";
import { PATH, run } from "../twin/shell.mjs";

const archives = join(cache, "cluster/images");

/** @typedef {{ file: string, name: string }} Archive  And the image's name in it. */

/** @param {import("../twin/images.mjs").Recipe} recipe @returns {Promise<Archive>} */
export async function archiveOf(recipe) {
  const fingerprint = (await fingerprintOf(recipe)).slice(0, 16);
  const name = `gatebench.invalid/${recipe.name}:${fingerprint}`;
  const file = join(archives, `${recipe.name}-${fingerprint}.tar`);
  await mkdir(archives, { recursive: true });
  await locked(join(archives, `${recipe.name}.lock`), async () => {
    if (!(await isThere(file))) await made(recipe, name, file);
  });
  return { file, name };
}

async function made(recipe, name, file) {
  const work = await mkdtemp(join(archives, "work-"));
  try {
    const [root, image] = [join(work, "root"), join(work, "image")];
    await Promise.all([mkdir(root), mkdir(image)]);
    await writeImageRoot(recipe, root);
    await run("tar", "-C", root, "--numeric-owner", "-cf", join(image, "layer.tar"), ".");
    const config = JSON.stringify(configOf(recipe, await sha256(join(image, "layer.tar"))));
    await writeFile(join(image, "config.json"), config);
    const manifest = [{ Config: "config.json", RepoTags: [name], Layers: ["layer.tar"] }];
    await writeFile(join(image, "manifest.json"), JSON.stringify(manifest));
    await run("tar", "-C", image, "-cf", join(work, "image.tar"), "manifest.json", "config.json", "layer.tar");
    await removeOlder(recipe);
    await rename(join(work, "image.tar"), file);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** https://github.com/opencontainers/image-spec/blob/main/config.md */
const configOf = ({ command, entrypoint, user, standsInFor }, layer) => ({
  architecture: { x64: "amd64", arm64: "arm64" }[process.arch],
  os: "linux",
  config: {
    Env: [`PATH=${PATH}`],
    ...(entrypoint ? { Entrypoint: entrypoint } : { Cmd: command ?? ["sh"] }),
    ...(user && { User: user }),
    ...(standsInFor && { Labels: { "gatebench.stand-in-for": standsInFor } }),
  },
  rootfs: { type: "layers", diff_ids: [`sha256:${layer}`] },
});

async function sha256(file) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** Of a program that was updated since. Whoever imports one at this moment has it open. */
async function removeOlder({ name }) {
  const older = new RegExp(`^${name}-[0-9a-f]{16}\\.tar$`);
  const files = (await readdir(archives)).filter((file) => older.test(file));
  await Promise.all(files.map((file) => rm(join(archives, file), { force: true })));
}

const isThere = (file) =>
  access(file).then(
    () => true,
    () => false,
  );
