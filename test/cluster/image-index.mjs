/** Images without their layers, as one small file that containerd can import: https://github.com/opencontainers/image-spec */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../twin/shell.mjs";

const OCI = "application/vnd.oci.image";

/** @typedef {{ layer: import("./image-layer.mjs").Layer, names: readonly string[] }} Image  With the names it is to have. */

/** @template T @param {readonly Image[]} images @param {(file: string) => Promise<T>} use @returns {Promise<T>} */
export async function withIndex(images, use) {
  const work = await mkdtemp(join(tmpdir(), "gatebench-images-"));
  try {
    const folder = join(work, "layout");
    await mkdir(join(folder, "blobs/sha256"), { recursive: true });
    const manifests = await Promise.all(images.map((image) => entriesOf(folder, image)));
    await writeFile(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
    await writeFile(join(folder, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: manifests.flat() }));
    await run("tar", "-C", folder, "-cf", join(work, "index.tar"), "oci-layout", "index.json", "blobs");
    return await use(join(work, "index.tar"));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function entriesOf(folder, { layer: { hash, size, config }, names }) {
  const layer = { mediaType: `${OCI}.layer.v1.tar`, digest: `sha256:${hash}`, size };
  const manifest = {
    ...{ schemaVersion: 2, mediaType: `${OCI}.manifest.v1+json` },
    config: await blob(folder, config, `${OCI}.config.v1+json`),
    layers: [layer],
  };
  const entry = await blob(folder, JSON.stringify(manifest), manifest.mediaType);
  return names.map((name) => ({ ...entry, annotations: { "io.containerd.image.name": name } }));
}

async function blob(folder, text, mediaType) {
  const hash = createHash("sha256").update(text).digest("hex");
  await writeFile(join(folder, "blobs/sha256", hash), text);
  return { mediaType, digest: `sha256:${hash}`, size: Buffer.byteLength(text) };
}
