import { spawnSync } from "node:child_process";
import { plainEnvironment } from "./launch";

/** Programs print their version at once; one that does not has none. */
const withinMs = 2000;

/** The first number of three parts or more, with what a distribution added to it: 1.22.1, 4.1.0-3+b2. */
const versionNumber = /\d+\.\d+\.\d+[^\s/\])]*/;

/** What a program prints as its version, wherever it prints it and however it exits; else the first line of it. */
export function programVersion(command: readonly string[] | undefined): string | undefined {
  if (command === undefined) return undefined;
  const [program, ...argv] = command as [string, ...string[]];
  const { stdout, stderr } = spawnSync(program, argv, { encoding: "utf8", env: plainEnvironment(), timeout: withinMs });
  const lines = `${stdout ?? ""}\n${stderr ?? ""}`.split("\n").map((line) => line.trim());
  const [first] = lines.filter((line) => line !== "");
  return first && (versionNumber.exec(first)?.[0] ?? first.slice(0, 200));
}
