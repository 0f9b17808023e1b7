/** `npm test`: style and the tests' own types, the services' tests, the unit tests, then the tests that run real gateways. */
import { join } from "node:path";
import { interactive, output } from "./commands.mjs";
import { lanes } from "./e2e-lanes.mjs";
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
    if (step.name === LAST && failed.length > 0) say(`failed so far: ${failed.join(", ")}`);
    const [ended, endedBeside] = await Promise.all([outcome(step, env), step.beside && whispered(step.beside, env)]);
    if (ended >= 128) return ended; // Interrupted: nobody waits for the rest.
    if (ended !== 0) failed.push(step.name);
    if (endedBeside) failed.push(step.beside.name);
  }
  return failed.length > 0 ? 1 : 0;
}

async function outcome(step, env) {
  const code = await interactive(...carriedOut(step, env));
  return code !== 0 && code < 128 && step.isTimed && env.CI ? interactive(...carriedOut(step, env)) : code;
}

/** What goes on beside a step has its say when it has ended. */
async function whispered(step, env) {
  const { code, stdout, stderr } = await output(...carriedOut(step, env));
  process.stdout.write(`${stdout}${stderr}`);
  return code;
}

const carriedOut = ({ command: [program, ...args], cwd = repository }, env) => [program, args, { cwd, env }];

const LAST = "jest (e2e, timed)";

/**
 * End-to-end tests on machines of their own go on beside those on this one, and what is timed has it to itself. That has a
 * second try where CI is set, as each of these tests has (test/e2e/second-try.ts).
 */
const steps = (args, go) => [
  { name: "eslint", command: [bin("eslint"), "."] },
  { name: "prettier", command: [bin("prettier"), "--check", "."] },
  { name: "tsc", command: [bin("tsc"), "-p", "test"] },
  { name: "go vet", command: [go, "vet", "./..."], cwd: services },
  { name: "go test", command: [go, "test", "./..."], cwd: services, isTimed: true },
  { name: "jest (unit)", command: [bin("jest"), "--selectProjects=unit", "--passWithNoTests", ...args] },
  {
    ...e2e("jest (e2e, here)", lanes.here, args),
    beside: e2e("jest (e2e, elsewhere)", lanes.elsewhere, args),
  },
  e2e(LAST, lanes.timed, args),
];

const e2e = (name, lane, args) => ({
  name,
  command: [bin("jest"), "--selectProjects=e2e", "--passWithNoTests", ...lane, ...args],
});
