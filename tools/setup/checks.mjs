/** `npm test`: style and the tests' own types, the services' tests, the unit tests, then the tests that run real gateways. */
import { join } from "node:path";
import { interactive } from "./commands.mjs";
import { runEndToEnd } from "./end-to-end.mjs";
import { goCommand } from "./go.mjs";
import { say } from "./messages.mjs";
import { nodeModules, repository, services } from "./paths.mjs";

/**
 * Every step runs, whatever came of those before it. Jest's summary of the last one ends the output, so what has failed
 * by then is named just ahead of it.
 * @param {string[]} args  Passed on to jest. @param {boolean} isAll  Whether the long end-to-end tests run as well.
 */
export async function runChecks(args, env, isAll) {
  const failed = [];
  for (const step of steps(args, await goCommand("testing the services"))) {
    let ended = await carriedOut(step, env);
    if (ended === 1 && step.isTimed && env.CI) ended = await carriedOut(step, env); // As runEndToEnd has a second try.
    if (isInterrupted(ended)) return ended; // Nobody waits for the rest.
    if (ended !== 0) failed.push(step.name);
  }
  if (failed.length > 0) say(`failed so far: ${failed.join(", ")}`);
  const ended = await runEndToEnd(args, env, isAll);
  return failed.length > 0 && !isInterrupted(ended) ? 1 : ended;
}

const carriedOut = ({ command: [program, ...args], cwd = repository }, env) => interactive(program, args, { cwd, env });

const isInterrupted = (code) => code >= 128;

const bin = (name) => join(nodeModules, ".bin", name);

const steps = (args, go) => [
  { name: "eslint", command: [bin("eslint"), "."] },
  { name: "prettier", command: [bin("prettier"), "--check", "."] },
  { name: "tsc", command: [bin("tsc"), "-p", "test"] },
  { name: "go vet", command: [go, "vet", "./..."], cwd: services },
  { name: "go test", command: [go, "test", "./..."], cwd: services, isTimed: true },
  { name: "jest (unit)", command: [bin("jest"), "--selectProjects=unit", "--passWithNoTests", ...args] },
];
