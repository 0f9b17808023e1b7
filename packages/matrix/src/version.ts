import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Of this package, as results state it. */
export const { version } = JSON.parse(readFileSync(join(__dirname, "..", "package.json"), "utf8")) as {
  version: string;
};
