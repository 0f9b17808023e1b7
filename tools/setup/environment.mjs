/** What a command needs in its environment to find what set-up has installed. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { searchPath } from "./binaries.mjs";
import { local } from "./paths.mjs";

/** @param {import("./engine.mjs").Engine} engine @returns {Record<string, string>} */
export function environment(engine) {
  return {
    PATH: withoutRepeats([...engine.directories, searchPath()].join(":")),
    GATEBENCH_ENGINE: engine.text,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // Stand-ins are used where downloads are out of reach: the engine would try, and wait.
    ...(engine.hasStandIns && { PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true" }),
  };
}

/** For people who type `pulumi up` themselves: state in a folder of this clone, unless they have chosen another place. */
export async function stateEnvironment(given = process.env) {
  const directory = join(local, "state");
  await mkdir(directory, { recursive: true });
  const hasPassphrase = "PULUMI_CONFIG_PASSPHRASE" in given || "PULUMI_CONFIG_PASSPHRASE_FILE" in given;
  return {
    ...(!given.PULUMI_BACKEND_URL && { PULUMI_BACKEND_URL: `file://${directory}` }),
    ...(!hasPassphrase && { PULUMI_CONFIG_PASSPHRASE: "" }),
  };
}

/** @param {Record<string, string>} variables @returns {string} lines for a shell's eval */
export function exports(variables) {
  const line = ([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`;
  return Object.entries(variables).map(line).join("");
}

const withoutRepeats = (path) => [...new Set(path.split(":"))].join(":");
