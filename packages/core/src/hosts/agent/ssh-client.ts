import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { remove } from "./files";

/** How a machine is reached. */
export interface SshAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** PEM. */
  readonly privateKey: string;
  /** "ssh-ed25519 AAAA…". Default: whatever key the machine shows is believed. */
  readonly hostKey?: string;
}

/** How a command on another machine ended. */
export interface SshAnswer {
  readonly code: number | null;
  readonly stderr: string;
}

export const sshPrograms: readonly string[] = ["ssh", "ssh-agent", "ssh-add"];

/** ssh's own exit code: it could not connect, or the connection was lost. */
export const notConnected = 255;
/** Ours: the key is none that ssh can use. */
export const unusableKey = 254;

/**
 * The key never touches a disk: an agent is given it, and ended with the command it was started for. By itself it would
 * look only every ten seconds whether that is over, and hold the key until then.
 */
const withKey = `trap 'kill "$SSH_AGENT_PID"' EXIT; ssh-add -q - || exit ${unusableKey}; ssh -n "$@"`;

const connectWithinS = 15;
const alwaysOptions = [
  ...["BatchMode=yes", "IdentityFile=none", "PreferredAuthentications=publickey", "LogLevel=ERROR"],
  ...[`ConnectTimeout=${connectWithinS}`, "ServerAliveInterval=15", "ServerAliveCountMax=9"],
];

/**
 * Runs one command on another machine, through this machine's own ssh and none of its settings.
 * @param read  Takes all of its standard output.
 */
export async function overSsh(
  address: SshAddress,
  command: string,
  read: (stdout: Readable) => Promise<unknown>,
): Promise<SshAnswer> {
  const folder = mkdtempSync(join(tmpdir(), "gatebench-known-"));
  try {
    // A session of its own has no terminal on which somebody could be asked for a passphrase.
    const argv = ["sh", "-c", withKey, "sh", ...argvOf(address, folder), command];
    const child = spawn("ssh-agent", argv, { detached: true, stdio: "pipe" });
    child.stdin.on("error", () => {}); // It may end without having read the key.
    child.stdin.end(address.privateKey.endsWith("\n") ? address.privateKey : `${address.privateKey}\n`);
    const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
    const [code, stderr] = await Promise.all([ended, text(child.stderr), read(child.stdout)]);
    return { code, stderr };
  } finally {
    remove(folder);
  }
}

function argvOf({ host, port, user, hostKey }: SshAddress, folder: string): readonly string[] {
  const known = join(folder, "known");
  writeFileSync(known, hostKey === undefined ? "" : `[${host}]:${port} ${hostKey}\n${host} ${hostKey}\n`);
  const checking = [`StrictHostKeyChecking=${hostKey === undefined ? "no" : "yes"}`, `UserKnownHostsFile=${known}`];
  const options = [...alwaysOptions, ...checking, "GlobalKnownHostsFile=/dev/null"].flatMap((option) => ["-o", option]);
  return ["-F", "none", "-T", ...options, "-p", String(port), "-l", user, "--", host];
}
