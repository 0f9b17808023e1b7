/**
 * A stand-in for the official language host of Node programs (pulumi-language-nodejs), for machines that reach package
 * registries only: it ships with the official engine and in no registry. With it `pulumi preview` and `pulumi up` work in
 * a project with `runtime: nodejs`, TypeScript included; programs run inline by the Automation API need no host at all.
 * Not served: installing dependencies (use npm), source plug-ins, code generation, the debugger.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { empty, engineAddress, serve } from "./plugin.mjs";

const require = createRequire(import.meta.url);
const { LanguageRuntimeService } = require("@pulumi/pulumi/proto/language_grpc_pb.js");
const messages = require("@pulumi/pulumi/proto/language_pb.js");
const { version } = require("@pulumi/pulumi/package.json");

// The SDK's own code for "the program has reported its error to the user already".
const REPORTED_EXIT_CODE = 32;
const KILL_AFTER_MS = 5_000;

/** @type {Set<import("node:child_process").ChildProcess>} */
const programs = new Set();
let engine = engineAddress();

export function serveLanguageHost() {
  serve({ service: LanguageRuntimeService, handlers, streams, version, end: endPrograms });
}

/** @type {Record<string, import("./plugin.mjs").Handler>} */
const handlers = {
  handshake: (request) => {
    engine = request.getEngineAddress();
    return new messages.LanguageHandshakeResponse();
  },
  // No plug-in is announced: the engine looks each up when the first resource of its package is declared.
  getRequiredPlugins: () => new messages.GetRequiredPluginsResponse(),
  getRequiredPackages: () => new messages.GetRequiredPackagesResponse(),
  runtimeOptionsPrompts: () => new messages.RuntimeOptionsResponse(),
  template: () => new messages.TemplateResponse(),
  about: () => new messages.AboutResponse().setExecutable(process.execPath).setVersion(process.version),
  getProgramDependencies,
  run,
  cancel: async () => {
    await endPrograms();
    return empty();
  },
};

const streams = {
  installDependencies: (call) => {
    const stdout = Buffer.from("Dependencies are installed with npm, not by this language host.\n");
    call.write(new messages.InstallDependenciesResponse().setStdout(stdout));
    call.end();
  },
};

async function run(request, call) {
  const runner = runnerOf(request.getInfo().getProgramDirectory());
  if (!runner) {
    const error = "It looks like the Pulumi SDK has not been installed. Have you run npm install?";
    return new messages.RunResponse().setError(error);
  }
  const program = start(runner, request);
  call.on("cancelled", () => end(program));
  return response(await outcome(program));
}

/** The SDK that runs a program is the program's own. */
function runnerOf(programDirectory) {
  try {
    return createRequire(join(programDirectory, "package.json")).resolve("@pulumi/pulumi/cmd/run");
  } catch {
    return undefined;
  }
}

function start(runner, request) {
  const { typescript = true, tsconfig, nodeargs = "" } = options(request);
  const environment = {
    ...process.env,
    PULUMI_CONFIG: JSON.stringify(config(request)),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    ...(typescript && { PULUMI_NODEJS_TYPESCRIPT: "true" }),
    ...(tsconfig && { PULUMI_NODEJS_TSCONFIG_PATH: tsconfig }),
  };
  const nodeArguments = nodeargs.split(/\s+/).filter(Boolean);
  const args = [
    ...nodeArguments,
    runner,
    ...flags(request),
    request.getInfo().getEntryPoint(),
    ...request.getArgsList(),
  ];
  const program = spawn(process.execPath, args, { env: environment, stdio: ["ignore", "inherit", "inherit"] });
  programs.add(program);
  return program;
}

function flags(request) {
  const named = {
    monitor: request.getMonitorAddress(),
    engine,
    organization: request.getOrganization(),
    project: request.getProject(),
    "root-directory": request.getInfo().getRootDirectory(),
    stack: request.getStack(),
    pwd: request.getInfo().getProgramDirectory(),
    parallel: String(request.getParallel()),
  };
  const given = Object.entries(named).filter(([, value]) => value);
  return [...given.flatMap(([name, value]) => [`--${name}`, value]), ...(request.getDryrun() ? ["--dry-run"] : [])];
}

const options = (request) => request.getInfo().getOptions()?.toJavaScript() ?? {};

/** The SDK expects the old form of a key: project:config:name. */
function config(request) {
  const entries = request.getConfigMap().getEntryList();
  return Object.fromEntries(entries.map(([key, value]) => [key.replace(/^([^:]+):(?!config:)/, "$1:config:"), value]));
}

async function outcome(program) {
  const ended = await new Promise((resolve) => {
    program.on("error", (error) => resolve({ error }));
    program.on("exit", (code, signal) => resolve({ code, signal }));
  });
  programs.delete(program);
  return ended;
}

function response({ error, code, signal }) {
  const answer = new messages.RunResponse();
  if (code === 0) return answer;
  if (code === REPORTED_EXIT_CODE) return answer.setBail(true);
  if (error) return answer.setError(`Problem executing program (could not run language executor): ${error.message}`);
  return answer.setError(signal ? `Program ended by ${signal}` : `Program exited with non-zero exit code: ${code}`);
}

async function endPrograms() {
  await Promise.all([...programs].map(end));
}

function end(program) {
  const timer = setTimeout(() => program.kill("SIGKILL"), KILL_AFTER_MS);
  program.kill("SIGINT");
  return new Promise((resolve) => program.once("exit", resolve)).finally(() => clearTimeout(timer));
}

function getProgramDependencies(request) {
  const directory = request.getInfo().getProgramDirectory();
  const { dependencies = {} } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const listed = Object.entries(dependencies).map(([name, wanted]) =>
    new messages.DependencyInfo().setName(name).setVersion(installedVersion(directory, name) ?? wanted),
  );
  return new messages.GetProgramDependenciesResponse().setDependenciesList(listed);
}

function installedVersion(directory, name) {
  try {
    return createRequire(join(directory, "package.json"))(`${name}/package.json`).version;
  } catch {
    return undefined; // A package need not export its package.json.
  }
}
