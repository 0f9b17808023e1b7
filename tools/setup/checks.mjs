/** `npm test`: style and the tests' own types, the services' tests, the unit tests, then the tests that run real gateways. */
import { join } from "node:path";
import { interactive } from "./commands.mjs";
import { goCommand } from "./go.mjs";
import { say } from "./messages.mjs";
import { nodeModules, repository, services } from "./paths.mjs";

const bin = (name) => join(nodeModules, ".bin", name);

/**
 * Every step runs, whatever came of those before it. Jest's summary of the last one ends the output, so what has failed
 * by then is named just ahead of it.
 */
export async function runChecks(args, env) {
  const failed = [];
  for (const step of steps(args, await goCommand("testing the services"))) {
    const { name } = step;
    if (name === LAST && failed.length > 0) say(`failed so far: ${failed.join(", ")}`);
    let code = await carryOut(step, env);
    if (code !== 0 && code < 128 && step.isTimed && env.CI) code = await carryOut(step, env);
    if (code >= 128) return code; // Interrupted: nobody waits for the rest.
    if (code !== 0) failed.push(name);
  }
  return failed.length > 0 ? 1 : 0;
}

const carryOut = ({ command: [program, ...args], cwd = repository }, env) => interactive(program, args, { cwd, env });

const LAST = "jest (e2e)";

/**
 * The e2e tests share ports and processors, so they run one after the other. What is timed has a second try where CI is set,
 * as each of these tests has (test/e2e/second-try.ts).
 */
const steps = (args, go) => [
  { name: "eslint", command: [bin("eslint"), "."] },
  { name: "prettier", command: [bin("prettier"), "--check", "."] },
  { name: "tsc", command: [bin("tsc"), "-p", "test"] },
  { name: "go vet", command: [go, "vet", "./..."], cwd: services },
  { name: "go test", command: [go, "test", "./..."], cwd: services, isTimed: true },
  { name: "jest (unit)", command: [bin("jest"), "--selectProjects=unit", "--passWithNoTests", ...args] },
  { name: LAST, command: [bin("jest"), "--selectProjects=e2e", "--runInBand", "--passWithNoTests", ...args] },
];
