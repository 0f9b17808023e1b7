/**
 * Runs one of the project's commands with everything it needs set up first: npm packages, the build, the Pulumi engine,
 * the gateways and generators it is about to use. A second run finds it all in place.
 *
 *   node tools/setup/run.mjs bench|fidelity|generators|test|test:all|cli|env ARGS…
 *
 * Nothing here may need an npm package before `npm ci` has run.
 */
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { allBinaries, installBinaries, testBinaries } from "./binaries.mjs";
import { runChecks } from "./checks.mjs";
import { installClusterPrograms } from "./cluster-programs.mjs";
import { commandsEnded, interactive, output, signalCommands } from "./commands.mjs";
import { build, installDependencies } from "./dependencies.mjs";
import { engine } from "./engine.mjs";
import { environment, exports, stateEnvironment } from "./environment.mjs";
import { locked } from "./lock.mjs";
import { fault, say } from "./messages.mjs";
import { cache, cli, local } from "./paths.mjs";
import { requireLinux } from "./platform.mjs";

const [command, ...args] = process.argv.slice(2);

/** @type {Record<string, { binaries: () => Promise<string[]>, more?: () => Promise<unknown>, run: (env: Record<string, string>) => Promise<number> }>} */
const commands = {
  bench: { binaries: () => needed(["bench", ...args]), run: (env) => gatebench(["bench", ...args], env) },
  cli: { binaries: () => needed(args), run: (env) => gatebench(args, env) },
  generators: {
    binaries: () => needed(["generators", ...args]),
    run: (env) => gatebench(["generators", ...args], env),
  },
  fidelity: { binaries: async () => allBinaries, run: (env) => gatebench(["fidelity", ...args], env) },
  test: tests(false),
  "test:all": tests(true),
  env: { binaries: async () => allBinaries, run: printEnvironment },
};

function tests(isAll) {
  return {
    binaries: async () => testBinaries,
    more: installClusterPrograms,
    run: (env) => runChecks(args, { ...process.env, ...env }, isAll),
  };
}

/** @returns {Promise<number>} the exit code */
async function main() {
  requireLinux();
  const chosen = commands[command] ?? unknown();
  await locked(join(local, "setup.lock"), prepareClone);
  if (asksForHelp()) return chosen.run({});
  const binaries = await chosen.binaries();
  const found = await locked(join(cache, "setup.lock"), () => prepareMachine(binaries, chosen.more));
  isSetUp = true;
  return chosen.run(environment(found));
}

async function prepareClone() {
  await installDependencies();
  await build();
}

async function prepareMachine(binaries, more) {
  const found = await engine();
  await installBinaries(binaries);
  await more?.();
  return found;
}

const questions = ["--help", "-h", "help", "--version", "-V"];
const asksForHelp = () => args.some((arg) => questions.includes(arg)) || (command === "cli" && args.length === 0);

/** The command line tool alone knows which gateways its arguments mean; it also knows whether they mean anything. */
async function needed(cliArgs) {
  if (!existsSync(cli)) return allBinaries;
  const { code, stdout, stderr } = await output(process.execPath, [cli, "needs", ...cliArgs]);
  if (code === 0) return JSON.parse(stdout);
  process.stderr.write(stderr);
  process.exit(code);
}

const gatebench = (cliArgs, env) =>
  interactive(process.execPath, [cli, ...cliArgs], { env: { ...process.env, ...env } });

async function printEnvironment(env) {
  process.stdout.write(exports({ ...env, ...(await stateEnvironment()) }));
  return 0;
}

function unknown() {
  const possible = Object.keys(commands).join(", ");
  throw fault("unknown-command", `set-up does not know "${command ?? ""}". It knows: ${possible}.`);
}

let isSetUp = false;

/** A running command decides itself how to end; set-up ends with whatever it was installing. */
async function passOn(signal) {
  if (!(signal === "SIGINT" && isTerminals())) signalCommands(signal);
  if (isSetUp) return;
  await commandsEnded();
  process.exit(128 + constants.signals[signal]);
}

/** Ctrl-C in a terminal reaches all its programs; a second SIGINT would mean "at once" to them. */
const isTerminals = () => process.stdin.isTTY || process.stderr.isTTY;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => void passOn(signal));

function report(error) {
  if (!error.isFault) throw error;
  say(`${error.code}: ${error.message}`);
  return 1;
}

process.exitCode = await main().catch(report);
