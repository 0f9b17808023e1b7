/** What exists in the twin's account: one file for each resource, in the state folder. */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fault } from "../shell.mjs";

export const ACCOUNT = "123456789012";

/** Without this variable nothing is done: whoever has the stand-in on PATH by accident means the real cloud. */
export function state() {
  const folder = process.env.GATEBENCH_TWIN_STATE;
  if (folder) return folder;
  const advice = "Set it to a folder, or take the stand-in pulumi-resource-aws off PATH to use AWS itself.";
  throw fault("twin-state", `GATEBENCH_TWIN_STATE does not say where the twin of EC2 keeps its state. ${advice}`);
}

const folder = () => join(state(), "cloud");
/** Key pairs and placement groups are known by names that people choose: one of each may have the same. */
const fileOf = (type, id) => join(folder(), `${type.split(":").at(-1)}-${encodeURIComponent(id)}.json`);

/** @typedef {{ id: string, type: string, inputs: any, outputs: any }} Entry */

/** Whole or not at all. @param {Entry} entry @returns {Promise<Entry>} */
export async function put(entry) {
  await mkdir(folder(), { recursive: true });
  const partial = `${fileOf(entry.type, entry.id)}.${randomBytes(3).toString("hex")}.new`;
  await writeFile(partial, JSON.stringify(entry, undefined, 2), { mode: 0o600 });
  await rename(partial, fileOf(entry.type, entry.id));
  return entry;
}

/** @returns {Promise<Entry | undefined>} */
export async function get(type, id) {
  const text = await readFile(fileOf(type, String(id)), "utf8").catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

export const remove = (type, id) => rm(fileOf(type, id), { force: true });

/** @param {string} [type] @returns {Promise<Entry[]>} */
export async function all(type) {
  const names = (await readdir(folder()).catch(() => [])).filter((name) => name.endsWith(".json"));
  const entries = await Promise.all(
    names.map((name) => readFile(join(folder(), name), "utf8").then(JSON.parse, () => undefined)),
  );
  return entries.filter((entry) => entry && (!type || entry.type === type));
}

/** `vpc-0123456789abcdef0`: seventeen digits, as EC2 makes them. */
export const newId = (prefix) => `${prefix}-0${randomBytes(8).toString("hex")}`;
/** The same for the same text. */
export const idOf = (prefix, text) => `${prefix}-0${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;

export const arn = (region, what) => `arn:aws:ec2:${region}:${ACCOUNT}:${what}`;

/** As the provider words what EC2 answers. @param {string} action @param {string} operation @param {string} code @param {string} text */
export function apiError(action, operation, code, text) {
  const response = `https response error StatusCode: 400, RequestID: ${NO_REQUEST}`;
  return Object.assign(
    new Error(`${action}: operation error EC2: ${operation}, ${response}, api error ${code}: ${text}`),
    {},
  );
}

/** No request was made: this is the twin. */
const NO_REQUEST = "00000000-0000-0000-0000-000000000000";

/** The entry with this id, or EC2's complaint. */
export async function existing(type, id, complaint) {
  const found = await get(type, id);
  if (found) return found;
  throw complaint();
}
