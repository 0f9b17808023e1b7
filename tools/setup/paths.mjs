/** Where set-up keeps things: what belongs to this clone inside it, what any clone can use in the user's cache. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = resolve(fileURLToPath(import.meta.url), "../../..");
export const nodeModules = join(repository, "node_modules");
export const stamps = join(nodeModules, ".gatebench");
export const local = join(repository, ".gatebench");
export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "gatebench");
export const cachedBinaries = join(cache, "bin");
export const ownBinaries = join(local, "bin");
export const cli = join(repository, "packages/matrix/dist/bin.js");
export const services = join(repository, "services");
