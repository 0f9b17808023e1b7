/** Programs of the system that the twin runs, and its faults. */
import { execFile, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";

const execute = promisify(execFile);
/** Debian keeps `ip` and `sshd` out of an ordinary PATH. */
export const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** One line: what, where, what is possible, what to do. @param {string} code @param {string} sentence */
export const fault = (code, sentence) => Object.assign(new Error(`${code}: ${sentence}`), { code });

/** @param {string} program @param {...string} args @returns {Promise<string>} what it printed */
export async function run(program, ...args) {
  try {
    const { stdout } = await execute(program, args, { env: environment, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  } catch (error) {
    throw failed(program, args, error.stderr || error.message);
  }
}

/** Like `run`, with something for the program to read. @param {import("node:stream").Readable | string} input */
export async function runWith(input, program, ...args) {
  const child = spawn(program, args, { env: environment, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => {}); // It may end without having read it all; then its exit code says why.
  if (typeof input === "string") child.stdin.end(input);
  else input.pipe(child.stdin);
  const ended = new Promise((resolve) => child.on("error", resolve).on("close", resolve));
  const [stdout, stderr, outcome] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (outcome !== 0) throw failed(program, args, stderr || String(outcome));
  return stdout;
}

/** Whether a program ended well. */
export const succeeds = (program, ...args) =>
  run(program, ...args).then(
    () => true,
    () => false,
  );

export const environment = { PATH, LANG: "C.UTF-8", HOME: "/root" };

const failed = (program, args, said) =>
  fault(
    "twin-command",
    `${[program, ...args].join(" ").slice(0, 300)}: ${said.trim().split("\n").slice(-3).join("; ")}`,
  );
