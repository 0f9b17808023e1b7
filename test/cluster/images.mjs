/** Gives nodes images, under the very names that manifests ask for. All nodes share the layers, by links to the same files. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { imageFor } from "../twin/images.mjs";
import { machineFolder, onMachine } from "../twin/machine.mjs";
import { run, succeeds } from "../twin/shell.mjs";
import { withIndex } from "./image-index.mjs";
import { layerOf } from "./image-layer.mjs";

/** What keeps a pod's network while its containers come and go: a program that waits, as anywhere. */
export const pauseImage = "gatebench.invalid/pause:1";
const pause = { name: "pause", programs: ["sleep"], command: ["sleep", "infinity"] };

/** @typedef {import("../twin/machine.mjs").Machine} Machine */

/** @param {readonly Machine[]} nodes @param {readonly string[]} names  As the adapters name them: `nginx:1.30.4`. */
export async function giveImages(nodes, names) {
  const images = [];
  for (const [recipe, fullNames] of byRecipe(names)) images.push({ layer: await layerOf(recipe), names: fullNames });
  await withIndex(images, (index) => Promise.all(nodes.map((node) => give(node, images, index))));
}

function byRecipe(names) {
  const recipes = new Map();
  for (const name of names) {
    const recipe = name === pauseImage ? pause : imageFor(name);
    const [, others] = recipes.get(recipe.name) ?? [recipe, []];
    recipes.set(recipe.name, [recipe, [...others, fullName(name)]]);
  }
  return recipes.values();
}

/** As Docker completes a name, and Kubernetes after it; of a name with tag and digest, the digest alone counts. */
function fullName(image) {
  const [first, ...rest] = image.split("/");
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const name = isHost ? image : `docker.io/${rest.length > 0 ? "" : "library/"}${image}`;
  const [, repository, tag = ":latest", digest] = /^(.*?)(:[^:/@]+)?(@sha256:.+)?$/.exec(name);
  return `${repository}${digest ?? tag}`;
}

/** Where a node finds what is being given to it. */
const PLACE = "/var/cache/images";

async function give(node, images, index) {
  const folder = join(machineFolder(node), "root", PLACE, `${process.pid}`);
  await mkdir(folder, { recursive: true });
  await run("cp", index, join(folder, "index.tar"));
  for (const { layer } of images) await link(layer.file, join(folder, layer.hash));
  const layers = images.map(({ layer: { hash, size } }) => `${hash} ${size}\n`).join("");
  await onMachine(node, "sh", "-euc", IMPORT, "sh", join(PLACE, `${process.pid}`), layers);
}

async function link(file, place) {
  if (!(await succeeds("cp", "--link", file, place))) await run("cp", file, place);
}

/**
 * What containerd finds among its contents it takes as it is: the layer is read only if it was cleared away between the two
 * lines. It is unpacked where a container is made from it, and no sooner.
 */
const IMPORT = `
cd "$1"
contents=/var/lib/containerd/io.containerd.content.v1.content/blobs/sha256
mkdir -p "$contents"
ctr --namespace k8s.io images import --no-unpack index.tar > /dev/null
printf %s "$2" | while read -r hash size; do
  ln -f "$hash" "$contents/$hash"
  ctr --namespace k8s.io content ingest --expected-digest "sha256:$hash" --expected-size "$size" "$hash-$$" < "$hash"
done
cd /
rm -r "$1"
`;
