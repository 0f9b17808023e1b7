import { spawnSync } from "node:child_process";
import { plainEnvironment } from "./launch";

/** Programs print their version at once; one that does not has none. */
const withinMs = 2000;

/** The first line a program prints of its version, wherever it prints it and however it exits. */
export function programVersion(command: readonly string[] | undefined): string | undefined {
  if (command === undefined) return undefined;
  const [program, ...argv] = command as [string, ...string[]];
  const { stdout, stderr } = spawnSync(program, argv, { encoding: "utf8", env: plainEnvironment(), timeout: withinMs });
  const lines = `${stdout ?? ""}\n${stderr ?? ""}`.split("\n").map((line) => line.trim());
  return lines.find((line) => line !== "")?.slice(0, 200);
}
