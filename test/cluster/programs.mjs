/** The cluster's programs on its machines: as links to what set-up has built, where one file system allows it. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { run, succeeds } from "../twin/shell.mjs";

/** @param {string} folder  The machine's. @param {Record<string, string>} programs  Files by name. @param {string[]} names */
export async function addPrograms(folder, programs, names) {
  const bin = join(folder, "local/bin");
  await mkdir(bin, { recursive: true });
  const files = names.map((name) => programs[name]);
  if (!(await succeeds("cp", "--link", ...files, bin))) await run("cp", "--force", ...files, bin);
}
