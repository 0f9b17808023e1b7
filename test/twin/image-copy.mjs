/** Gives a machine's Docker Engine the images of a store, under the names that are wanted and no others. */
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run, succeeds } from "./shell.mjs";

/** @param {import("./image-store.mjs").Store} store @param {string} docker  The machine's /var/lib/docker. */
export async function copyImages({ folder, images }, docker) {
  await mkdir(docker, { recursive: true });
  const layers = join(folder, "overlay2");
  // Links need one file system; across two, the layers are copied.
  if (!(await succeeds("cp", "-a", "--link", layers, docker))) await run("cp", "-a", "--reflink=auto", layers, docker);
  await run("cp", "-a", join(folder, "image"), docker);
  await removeOthers(join(docker, "image/overlay2/imagedb/content/sha256"), Object.values(images));
  await writeFile(
    join(docker, "image/overlay2/repositories.json"),
    JSON.stringify({ Repositories: repositories(images) }),
  );
}

async function removeOthers(folder, ids) {
  const others = (await readdir(folder)).filter((id) => !ids.includes(`sha256:${id}`));
  await Promise.all(others.map((id) => rm(join(folder, id))));
}

/** As Docker writes it: repository → name with tag or digest → id. A name with both is known by its digest. */
function repositories(images) {
  const named = {};
  for (const [image, id] of Object.entries(images)) {
    const repository = image.replace(/@sha256:.*$/, "").replace(/:[^:/]+$/, "");
    const digest = /@sha256:.*$/.exec(image)?.[0];
    const name = digest ? `${repository}${digest}` : image.slice(repository.length) ? image : `${image}:latest`;
    named[repository] = { ...named[repository], [name]: id };
  }
  return named;
}
