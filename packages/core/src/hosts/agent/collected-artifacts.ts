import {
  appendFileSync,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
} from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Artifact } from "../../contract";
import { fault, lineOf } from "../../contract/fault";
import { onPath } from "../local/binaries";
import { clusterPrograms, overKubectl, type ClusterAddress } from "./cluster-client";
import { artifact, remove } from "./files";
import { whyNot } from "./reached-host";
import { notConnected, overSsh, sshPrograms, unusableKey, type SshAddress } from "./ssh-client";

/** What a run left on its host, to be kept on this machine. */
export interface Collection {
  /** As results name the host. */
  readonly label: string;
  /** On the host. */
  readonly folder: string;
  readonly artifacts: readonly Artifact[];
  /** On this machine. It appears with everything in it, or not at all. */
  readonly to: string;
  /** Where the host is another machine: how it is reached, and the command that prints them there. */
  readonly over?: OverSsh | OverCluster;
}

interface OverSsh {
  readonly address: SshAddress;
  readonly command: string;
}

interface OverCluster {
  readonly cluster: ClusterAddress;
  readonly command: readonly string[];
}

/** Brings the artifacts of one run here and holds each against what its record says of it. */
export async function collectArtifacts(collection: Collection): Promise<void> {
  const { artifacts, to } = collection;
  if (artifacts.every((each) => isThere(to, each))) return;
  const outside = artifacts.find(({ path }) => /^(\.\.|\/)/.test(normalize(path)));
  if (outside) throw new Error(lineOf(lostFault(collection, `${outside.path} lies outside`)));
  mkdirSync(dirname(to), { recursive: true });
  const arriving = mkdtempSync(join(dirname(to), ".arriving-"));
  try {
    await (collection.over ? fetched(collection, collection.over, arriving) : copied(collection, arriving));
    const [astray] = artifacts.filter((each) => !isThere(arriving, each));
    if (astray) throw new Error(lineOf(lostFault(collection, `${astray.path} is not what the run left there`)));
    remove(to);
    renameSync(arriving, to);
  } finally {
    remove(arriving);
  }
}

function isThere(folder: string, { path, bytes, sha256 }: Artifact): boolean {
  if (!existsSync(join(folder, path))) return false;
  const found = artifact(folder, path);
  return found.bytes === bytes && found.sha256 === sha256;
}

function copied({ folder, artifacts }: Collection, arriving: string): void {
  for (const { path } of artifacts.filter((each) => existsSync(join(folder, each.path)))) {
    mkdirSync(dirname(join(arriving, path)), { recursive: true });
    copyFileSync(join(folder, path), join(arriving, path));
  }
}

async function fetched(collection: Collection, over: OverSsh | OverCluster, arriving: string): Promise<void> {
  const programs = "cluster" in over ? clusterPrograms : sshPrograms;
  const missing = programs.filter((name) => !onPath(name));
  if (missing.length > 0) throw new Error(lineOf(missingFault(missing)));
  const read = (sent: Readable) => parted(sent, collection.artifacts, arriving);
  const answer =
    "cluster" in over
      ? await overKubectl(over.cluster, over.command, { read })
      : await overSsh(over.address, over.command, read);
  if ("address" in over && (answer.code === notConnected || answer.code === unusableKey))
    throw new Error(lineOf(whyNot({ label: collection.label, address: over.address }, answer)));
  if (answer.code !== 0)
    throw new Error(lineOf(lostFault(collection, answer.stderr.trim() || `exit code ${answer.code}`)));
}

/** What the host prints for it: the files one behind the other, compressed. How long each is stands in the run's record. */
export async function sendArtifacts(folder: string, paths: string): Promise<void> {
  const files = async function* () {
    for (const path of JSON.parse(paths) as readonly string[]) yield* createReadStream(join(folder, path));
  };
  await pipeline(files, createGzip(), process.stdout, { end: false });
}

/** What does not arrive whole is missed afterwards. */
async function parted(sent: Readable, artifacts: readonly Artifact[], folder: string): Promise<void> {
  const waiting = artifacts.map(({ path, bytes }) => ({ path: join(folder, path), bytes }));
  for (const { path } of waiting) mkdirSync(dirname(path), { recursive: true });
  await pipeline(sent, createGunzip(), async (all: AsyncIterable<Buffer>) => {
    for await (let chunk of all)
      for (let [file] = waiting; file && chunk.length > 0; [file] = waiting) {
        const part = chunk.subarray(0, file.bytes);
        appendFileSync(file.path, part);
        file.bytes -= part.length;
        chunk = chunk.subarray(part.length);
        if (file.bytes === 0) waiting.shift();
      }
  }).catch(() => {});
}

const lostFault = ({ label, folder }: Collection, why: string) =>
  fault(
    "artifacts-lost",
    `raw output of a run in ${folder} of ${label} could not be copied here: ${why}. Run up again; where it is gone from there, up with another runId measures anew, and without results it stays where it is.`,
  );

const missingFault = (names: readonly string[]) =>
  fault(
    "missing-binary",
    `raw output cannot be copied from another machine: ${names.join(", ")} not on PATH. Install it, or leave results out.`,
  );
