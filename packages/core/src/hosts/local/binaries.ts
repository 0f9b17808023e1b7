import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { fault, type Fault } from "../../contract/fault";

/** What every local benchmark needs besides its gateways and generators: probes, certificates, the load lock. */
export const alwaysNeeded: readonly string[] = ["curl", "openssl", "flock"];

/** One line for each program that is not on PATH. */
export function missingBinaries(names: readonly string[]): readonly Fault[] {
  return [...new Set([...names, ...alwaysNeeded])]
    .filter((name) => !onPath(name))
    .map((name) => fault("missing-binary", name.includes("/") ? notThere(name) : notOnPath(name)));
}

const notOnPath = (name: string) =>
  `${name} is not on PATH. Install it, or run "npm run bench", which installs what it uses.`;
const notThere = (path: string) =>
  `${path} is not on this machine. Install the package it belongs to, or use a host with containers.`;

/** Whether a program can be started by that name. */
export function onPath(name: string): boolean {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return name.includes("/") ? executable(name) : folders.some((folder) => executable(join(folder, name)));
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
