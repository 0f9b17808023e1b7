import { closeSync, mkdtempSync, openSync } from "node:fs";
import { join } from "node:path";
import { makeWorkFolder, remove } from "./files";
import { readText } from "./process";
import { runProgram, type Program } from "./program";

/** Programs print their version at once; one that does not has none. */
const withinS = 2;

/** The first number of three parts or more, with what a distribution added to it: 1.22.1, 4.1.0-3+b2. */
const versionNumber = /\d+\.\d+\.\d+[^\s/\])]*/;

/** What a program prints as its version, wherever it prints it and however it exits; else the first line of it. */
export async function programVersion(
  command: readonly string[] | undefined,
  { image, dockerfile, folder: within }: Pick<Program, "image" | "dockerfile" | "folder">,
): Promise<string | undefined> {
  if (command === undefined) return undefined;
  const folder = mkdtempSync(join(within, ".version-"));
  makeWorkFolder(folder);
  const said = ["stdout", "stderr"].map((name) => join(folder, name));
  const [stdout, stderr] = said.map((path) => openSync(path, "w")) as [number, number];
  try {
    await runProgram({ image, dockerfile, command, env: {}, folder }, { stdout, stderr }, withinS);
    return versionIn(said.map((path) => readText(path) ?? "").join("\n"));
  } finally {
    closeSync(stdout);
    closeSync(stderr);
    remove(folder);
  }
}

function versionIn(said: string): string | undefined {
  const first = said
    .split("\n")
    .find((line) => line.trim() !== "")
    ?.trim();
  return first && (versionNumber.exec(first)?.[0] ?? first.slice(0, 200));
}
