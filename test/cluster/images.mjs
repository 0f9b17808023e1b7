/** Gives nodes images, under the very names that manifests ask for. */
import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { imageFor } from "../twin/images.mjs";
import { enter, initOf, onMachine } from "../twin/machine.mjs";
import { environment, fault } from "../twin/shell.mjs";
import { archiveOf } from "./image-archive.mjs";

/** What keeps a pod's network while its containers come and go: a program that waits, as anywhere. */
export const pauseImage = "gatebench.invalid/pause:1";
const pause = { name: "pause", programs: ["sleep"], command: ["sleep", "infinity"] };

/** @typedef {import("../twin/machine.mjs").Machine} Machine */

/** @param {readonly Machine[]} nodes @param {readonly string[]} images  As the adapters name them: `nginx:1.30.4`. */
export async function giveImages(nodes, images) {
  for (const [recipe, names] of byRecipe(images)) {
    const archive = await archiveOf(recipe);
    await Promise.all(nodes.map((node) => give(node, archive, names)));
  }
}

function byRecipe(images) {
  const recipes = new Map();
  for (const image of images) {
    const recipe = image === pauseImage ? pause : imageFor(image);
    const [, names] = recipes.get(recipe.name) ?? [recipe, []];
    recipes.set(recipe.name, [recipe, [...names, image]]);
  }
  return recipes.values();
}

async function give(node, { file, name }, images) {
  const known = (await containerd(node, "images", "ls", "-q")).split("\n");
  if (!known.includes(name)) await imported(node, file);
  for (const image of images) await containerd(node, "images", "tag", "--force", name, fullName(image));
}

/** As Docker completes a name, and Kubernetes after it; of a name with tag and digest, the digest alone counts. */
export function fullName(image) {
  const [first, ...rest] = image.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const name = isHost ? image : `docker.io/${rest.length > 0 ? "" : "library/"}${image}`;
  const [, repository, tag = "", digest] = /^(.*?)(:[^:/@]+)?(@sha256:.+)?$/.exec(name);
  return `${repository}${digest ?? (tag || ":latest")}`;
}

const containerd = (node, ...args) => onMachine(node, "ctr", "--namespace", "k8s.io", ...args);

/** A layer is unpacked where a container is made from it, and no sooner. */
async function imported(node, file) {
  const archive = await open(file);
  try {
    const command = ["ctr", "--namespace", "k8s.io", "images", "import", "--no-unpack", "-"];
    const stdio = [archive.fd, "ignore", "pipe"];
    const child = spawn("nsenter", [...enter(await initOf(node)), ...command], { stdio, env: environment });
    const ended = new Promise((resolve) => child.on("error", resolve).on("close", resolve));
    const said = await text(child.stderr);
    if ((await ended) !== 0) throw fault("cluster-image", `node ${node.hostname} does not import ${file}: ${said}`);
  } finally {
    await archive.close();
  }
}
