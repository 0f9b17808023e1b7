/** `npm test`: style and the tests' own types, then the unit tests, then the tests that run real gateways. */
import { join } from "node:path";
import { interactive } from "./commands.mjs";
import { say } from "./messages.mjs";
import { nodeModules, repository } from "./paths.mjs";

const bin = (name) => join(nodeModules, ".bin", name);

/**
 * Every step runs, whatever came of those before it. Jest's summary of the last one ends the output, so what has failed
 * by then is named just ahead of it.
 */
export async function runChecks(args, env) {
  const failed = [];
  for (const [name, ...stepArgs] of steps(args)) {
    if (name === LAST && failed.length > 0) say(`failed so far: ${failed.join(", ")}`);
    const [program] = name.split(" ");
    const code = await interactive(bin(program), stepArgs, { cwd: repository, env });
    if (code >= 128) return code; // Interrupted: nobody waits for the rest.
    if (code !== 0) failed.push(name);
  }
  return failed.length > 0 ? 1 : 0;
}

const LAST = "jest (e2e)";

/** The e2e tests share ports and processors, so they run one after the other. */
const steps = (args) => [
  ["eslint", "."],
  ["prettier", "--check", "."],
  ["tsc", "-p", "test"],
  ["jest (unit)", "--selectProjects=unit", "--passWithNoTests", ...args],
  [LAST, "--selectProjects=e2e", "--runInBand", "--passWithNoTests", ...args],
];
