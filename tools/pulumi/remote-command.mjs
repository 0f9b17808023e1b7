/** Runs the text of one command on another machine, through this machine's own ssh. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Go's default for connections: probes each 15 s, nine of them without an answer end it. */
const ALIVE = ["-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=9"];
/** The official plug-in's waits between dials: 100 ms, half as long again each time, 5 s at most. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
/** ssh's own exit code: it could not connect, or the connection was lost. */
const LOST = 255;

/**
 * Starts dialling; each attempt is a child of its own, handed to `run`, which resolves to its exit code.
 * @param {string} text
 * @param {{ connection: object, stdin?: string }} inputs
 * @param {(child: import("node:child_process").ChildProcess) => Promise<{ code: number | null, signal: string | null }>} run
 * @returns {Promise<string | undefined>} why it failed, in the words of the official plug-in
 */
export async function overSsh(text, { connection, stdin }, run) {
  const folder = mkdtempSync(join(tmpdir(), "gatebench-ssh-"));
  const watcher = removedWithUs(folder);
  try {
    const argv = argvOf(folder, connection);
    for (let dial = 1, waitMs = FIRST_WAIT_MS; ; dial++, waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS)) {
      const log = join(folder, "log");
      rmSync(log, { force: true });
      const { code, signal } = await run(started(argv, log, text, stdin));
      const wasIn = saidIn(log).includes("Authenticated to");
      if (wasIn || code !== LOST) return reasonOf(code, signal);
      if (connection.dialErrorLimit >= 0 && dial > connection.dialErrorLimit)
        return `after ${dial - 1} failed attempts: ${lastOf(saidIn(log))}`;
      await sleep(waitMs);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    watcher.stdin.end();
  }
}

/** The folder holds a private key: it goes when we are killed, too, which ends what the watcher reads. */
const removedWithUs = (folder) =>
  spawn("sh", ["-c", 'cat; rm -rf "$0"', folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });

function started(argv, log, text, stdin) {
  const child = spawn("ssh", ["-E", log, ...argv, text], { stdio: ["pipe", "pipe", "pipe"], detached: true });
  child.stdin.on("error", () => {}); // It may end without having read its input.
  child.stdin.end(stdin ?? "");
  return child;
}

function argvOf(folder, { host, port = 22, user = "root", privateKey, hostKey, perDialTimeout = 15 }) {
  const [key, known] = [join(folder, "key"), join(folder, "known")];
  writeFileSync(key, privateKey.endsWith("\n") ? privateKey : `${privateKey}\n`, { mode: 0o600 });
  writeFileSync(known, hostKey ? `[${host}]:${port} ${hostKey}\n${host} ${hostKey}\n` : "");
  const checking = ["-o", `StrictHostKeyChecking=${hostKey ? "yes" : "no"}`, "-o", `UserKnownHostsFile=${known}`];
  const quiet = ["-F", "none", "-o", "LogLevel=VERBOSE", "-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-T"];
  const timeout = ["-o", `ConnectTimeout=${perDialTimeout}`];
  return [...quiet, ...checking, ...timeout, ...ALIVE, "-i", key, "-p", String(port), "-l", user, host];
}

function reasonOf(code, signal) {
  if (signal) return `Process exited with status 1 from signal ${signal}`;
  if (code === LOST) return "wait: remote command exited without exit status or exit signal";
  return code ? `Process exited with status ${code}` : undefined;
}

function saidIn(log) {
  try {
    return readFileSync(log, "utf8");
  } catch {
    return "";
  }
}

const lastOf = (said) => said.trim().split("\n").at(-1) ?? "";
