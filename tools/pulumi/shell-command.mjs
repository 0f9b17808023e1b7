/** Runs the text of one command in its shell and keeps what it prints. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { StringDecoder } from "node:string_decoder";
import { lineSplitter, logLine } from "./engine-log.mjs";

const KILL_AFTER_MS = 2_000;
// An error travels in an HTTP/2 header, of which Node sends 64 KiB at most, a newline counting as three characters.
const MAX_ERROR_OUTPUT = 12_000;

/** @type {Set<() => Promise<void>>} The `end` of every command that runs now. */
const running = new Set();
let cancelled = false;

/** Ends every running command and refuses new ones: the engine has been told to stop. */
export async function endCommands() {
  cancelled = true;
  await Promise.all([...running].map((end) => end()));
}

/**
 * @typedef {object} CommandInputs  Inputs of command:local:Command without secrets' wrapping.
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
  if (cancelled) throw failure("context canceled", text, "");
  const child = start(text, inputs, previous);
  const output = capture(child, inputs.logging ?? "stdoutAndStderr", urn);
  const end = () => endGroup(child);
  const timer = timeoutS > 0 ? setTimeout(end, timeoutS * 1000) : undefined;
  running.add(end);
  try {
    const ended = await outcome(child);
    await output.logged();
    if (ended !== undefined) throw failure(ended, text, output.both());
    return { stdout: trimmed(output.stdout()), stderr: trimmed(output.stderr()) };
  } finally {
    running.delete(end);
    clearTimeout(timer);
  }
}

/** A session of its own (`detached`) lets a cancelled command be ended with all it started. */
function start(text, inputs, previous) {
  const [program, ...args] = inputs.interpreter?.length ? inputs.interpreter : ["/bin/sh", "-c"];
  const child = spawn(program, [...args, text], {
    cwd: inputs.dir,
    env: { ...process.env, ...inputs.environment, ...previousOutput(inputs, previous) },
    stdio: [inputs.stdin ? "pipe" : "ignore", "pipe", "pipe"],
    detached: true,
  });
  child.stdin?.on("error", () => {}); // a command may end without reading its input
  child.stdin?.end(inputs.stdin);
  return child;
}

function previousOutput({ addPreviousOutputInEnv = true }, { stdout, stderr }) {
  if (!addPreviousOutputInEnv) return {};
  return { ...(stdout && { PULUMI_COMMAND_STDOUT: stdout }), ...(stderr && { PULUMI_COMMAND_STDERR: stderr }) };
}

function capture(child, logging, urn) {
  const both = [];
  const streams = ["stdout", "stderr"].map((name) => {
    const logs = logging === name || logging === "stdoutAndStderr";
    return collect(child[name], both, logs ? lineSplitter((line) => logLine(urn, line)) : undefined);
  });
  return {
    stdout: () => streams[0].join(""),
    stderr: () => streams[1].join(""),
    both: () => both.join(""),
    logged: () => logging !== "none" && logLine.settled(),
  };
}

function collect(stream, both, lines) {
  const chunks = [];
  const decoder = new StringDecoder("utf8");
  const add = (text) => [chunks, both].forEach((list) => list.push(text)) ?? lines?.write(text);
  stream.on("data", (data) => add(decoder.write(data)));
  stream.on("end", () => lines?.end());
  return chunks;
}

/** How the command failed, in the words of the official plug-in, or undefined if it did not. */
function outcome(child) {
  return new Promise((resolve) => {
    child.on("error", (error) => resolve(`${error.path}: ${error.code}`));
    child.on("close", (code, signal) =>
      resolve(signal ? `signal: ${signalText[signal] ?? signal}` : code ? `exit status ${code}` : undefined),
    );
  });
}
const signalText = { SIGINT: "interrupt", SIGTERM: "terminated", SIGKILL: "killed", SIGHUP: "hangup" };

async function endGroup(child) {
  const closed = once(child, "close");
}

function failure(reason, text, output) {
  return new Error(`${reason}: running ${goQuoted(text)}:\n${output}`);
}
