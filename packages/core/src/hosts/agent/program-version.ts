import { mkdtempSync } from "node:fs";
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
  const said = { stdout: join(folder, "stdout"), stderr: join(folder, "stderr") };
  try {
    await runProgram({ image, dockerfile, command, env: {}, folder }, said, withinS);
    return versionIn(
      Object.values(said)
        .map((path) => readText(path) ?? "")
        .join("\n"),
    );
  } finally {
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
