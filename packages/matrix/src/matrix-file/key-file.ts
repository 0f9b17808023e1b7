import { homedir } from "node:os";
import { resolve } from "node:path";

/** Where a key is, from the matrix file's folder; `~` is one's own. */
export const keyFileOf = (path: string, folder: string): string => resolve(folder, path.replace(/^~(?=\/)/, homedir()));
