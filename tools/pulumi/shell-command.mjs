/** Runs the text of one command in its shell and keeps what it prints. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { lineSplitter, logged, logLine } from "./engine-log.mjs";
import { overSsh } from "./remote-command.mjs";

const KILL_AFTER_MS = 2_000;
const ABANDON_AFTER_MS = 3_000;
// An error travels in an HTTP/2 header, of which Node sends 64 KiB at most, and a byte can take three there.
const MAX_TEXT_BYTES = 8_000;
const MAX_OUTPUT_BYTES = 12_000;

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
/** Commands we ended: they have failed, whatever exit code they choose on their way out. */
const ended = new WeakSet();
let cancelled = false;

/** Ends every running command and refuses new ones: the engine stops. */
export async function endCommands() {
  cancelled = true;
  await Promise.all([...running].map(end));
}

/**
 * @typedef {object} CommandInputs  Inputs of command:local:Command, secrets laid open.
 * @property {string} [create]
 * @property {string} [update]
 * @property {string} [delete]
 * @property {string} [stdin]
 * @property {string[]} [interpreter]
 * @property {string} [dir]
 * @property {Record<string, string>} [environment]
 * @property {"stdout" | "stderr" | "stdoutAndStderr" | "none"} [logging]
 * @property {boolean} [addPreviousOutputInEnv]
 */

/**
 * @param {string} text
 * @param {CommandInputs} inputs
 * @param {{ urn: string, timeoutS: number, previous?: { stdout?: string, stderr?: string } }} circumstances
 * @returns {Promise<{ stdout: string, stderr: string }>} each without its last newline
 */
export async function runCommand(text, inputs, { urn, timeoutS, previous = {} }) {
  if (cancelled) throw failure("context canceled", text);
  if (inputs.dir && !existsSync(inputs.dir)) throw failure(`chdir ${inputs.dir}: no such file or directory`, text);
  const child = start(text, inputs, previous);
  const output = capture(child, inputs.logging ?? "stdoutAndStderr", urn);
  const reason = await outcome(child, timeoutS);
  await logged();
  if (reason) throw failure(reason, text, output.both.join(""));
  return { stdout: trimmed(output.stdout), stderr: trimmed(output.stderr) };
}

/**
 * The same on another machine.
 * @param {string} text
 * @param {CommandInputs & { connection: object }} inputs
 * @param {{ urn: string, timeoutS: number }} circumstances
 */
export async function runRemoteCommand(text, inputs, { urn, timeoutS }) {
  if (cancelled) throw failure("context canceled", text);
  let output = { stdout: [], stderr: [], both: [] };
  const reason = await overSsh(text, inputs, (child) => {
    output = capture(child, inputs.logging ?? "stdoutAndStderr", urn);
    return ending(child, timeoutS);
  });
  await logged();
  if (reason) throw failure(reason, text, output.both.join(""));
  return { stdout: trimmed(output.stdout), stderr: trimmed(output.stderr) };
}

/** A session of its own (`detached`) lets a cancelled command be ended together with all it started. */
function start(text, inputs, previous) {
  const [program, ...args] = inputs.interpreter?.length ? inputs.interpreter : ["/bin/sh", "-c"];
  const child = spawn(program, [...args, text], {
    cwd: inputs.dir,
    env: { ...process.env, ...inputs.environment, ...previousOutput(inputs, previous) },
    stdio: [inputs.stdin ? "pipe" : "ignore", "pipe", "pipe"],
    detached: true,
  });
  child.stdin?.on("error", () => {}); // A command may end without having read its input.
  child.stdin?.end(inputs.stdin);
  return child;
}

function previousOutput({ addPreviousOutputInEnv = true }, { stdout, stderr }) {
  if (!addPreviousOutputInEnv) return {};
  return { ...(stdout && { PULUMI_COMMAND_STDOUT: stdout }), ...(stderr && { PULUMI_COMMAND_STDERR: stderr }) };
}

/** Keeps both streams, alone and as they came, and shows the wanted ones line by line while the command runs. */
function capture(child, logging, urn) {
  const output = { stdout: [], stderr: [], both: [] };
  for (const name of ["stdout", "stderr"]) {
    const shown = logging === name || logging === "stdoutAndStderr";
    const lines = lineSplitter(shown ? (line) => logLine(urn, line) : () => {});
    const decoder = new StringDecoder("utf8");
    const keep = (text) => {
      output[name].push(text);
      output.both.push(text);
      lines.write(text);
    };
    child[name].on("data", (data) => keep(decoder.write(data)));
    child[name].on("close", () => lines.end());
  }
  return output;
}

/** Why the command failed, in the words of the official plug-in; undefined when it did not. */
async function outcome(child, timeoutS) {
  const { code, signal, error } = await ending(child, timeoutS);
  if (error) return `fork/exec ${error.path}: ${spawnErrors[error.code] ?? error.code}`;
  if (signal) return `signal: ${signalWords[signal] ?? signal}`;
  return code ? `exit status ${code}` : undefined;
}

/** How it ended; what we ended was ended by a signal, whatever it chose to exit with. */
async function ending(child, timeoutS) {
  running.add(child);
  const timer = timeoutS > 0 ? setTimeout(() => end(child), timeoutS * 1000) : undefined;
  const how = await new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: null, signal: null, error }));
    child.on("close", (code, signal) => resolve({ code, signal: ended.has(child) ? "SIGTERM" : signal }));
  });
  clearTimeout(timer);
  running.delete(child);
  return how;
}

const spawnErrors = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  E2BIG: "argument list too long",
};
const signalWords = { SIGHUP: "hangup", SIGINT: "interrupt", SIGKILL: "killed", SIGTERM: "terminated" };

/** Asks the command and all it started to end, then insists; a process that left its session cannot hold us up. */
function end(child) {
  ended.add(child);
  const timers = [
    setTimeout(() => signalGroup(child, "SIGKILL"), KILL_AFTER_MS),
    setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), ABANDON_AFTER_MS),
  ];
  signalGroup(child, "SIGTERM");
  return new Promise((resolve) => child.once("close", resolve)).finally(() => timers.forEach(clearTimeout));
}

function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended by itself in the meantime.
  }
}

function failure(reason, text, output = "") {
  return new Error(`${reason}: running ${quoted(firstBytes(text))}:\n${lastBytes(output)}`);
}

function firstBytes(text) {
  const bytes = Buffer.from(text);
  return bytes.length <= MAX_TEXT_BYTES ? text : `${bytes.subarray(0, MAX_TEXT_BYTES)}…`;
}

function lastBytes(text) {
  const bytes = Buffer.from(text);
  return bytes.length <= MAX_OUTPUT_BYTES ? text : `…${bytes.subarray(-MAX_OUTPUT_BYTES)}`;
}

/** A string as Go's %q prints it, as far as commands are concerned. */
const quoted = (text) =>
  JSON.stringify(text)
    .replace(/\\u00([01])/g, "\\x$1")
    .replaceAll("\x7f", "\\x7f");

const trimmed = (chunks) => chunks.join("").replace(/\n$/, "");
