import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const folder = join(__dirname, "..", "twin");

/** A machine of the twin of EC2 (test/twin): a network namespace of this computer, with real sshd and real Docker. */
export interface Machine {
  readonly id: string;
  readonly user: string;
  readonly privateIp: string;
  readonly publicIp: string;
  readonly running: boolean;
}

/** What a program printed and how it ended. */
export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One twin with a state folder and a key of its own; the caller destroys it. */
export interface Twin {
  readonly state: string;
  /** For a stack on the twin: which plug-in, which state, which images a machine's Docker Engine has. */
  readonly env: Readonly<Record<string, string>>;
  readonly privateKey: string;
  readonly publicKey: string;
  /** Runs test/twin/twin.mjs; what it is asked for stands there. */
  command(...args: readonly string[]): Promise<string>;
  machines(): Promise<readonly Machine[]>;
  ssh(address: string, command: string): Promise<Answer>;
  destroy(): Promise<void>;
}

/** @param images  What a registry would hold: adapters' image names. */
export function openTwin(images: readonly string[] = []): Twin {
  const state = mkdtempSync(join(tmpdir(), "gatebench-twin-"));
  const keyFile = join(state, "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", keyFile]);
  const env = {
    GATEBENCH_TWIN_STATE: state,
    GATEBENCH_TWIN_IMAGES: images.join(" "),
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    AWS_REGION: "eu-central-1",
  };
  const command = async (...args: readonly string[]) =>
    (await execute(process.execPath, [join(folder, "twin.mjs"), ...args], { env: { ...process.env, ...env } })).stdout;
  return {
    state,
    env,
    privateKey: readFileSync(keyFile, "utf8"),
    publicKey: readFileSync(`${keyFile}.pub`, "utf8").trim(),
    command,
    machines: async () => machinesIn(await command("list")),
    ssh: (address, line) => ssh(keyFile, address, line),
    destroy: async () => {
      await command("destroy");
      rmSync(state, { recursive: true, force: true });
    },
  };
}

export const machinesIn = (lines: string): readonly Machine[] =>
  lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Machine);

const CONNECT_S = 3;

async function ssh(key: string, address: string, command: string): Promise<Answer> {
  const known = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR", "IdentitiesOnly=yes"];
  const patience = [`ConnectTimeout=${CONNECT_S}`, "ServerAliveInterval=1", "ServerAliveCountMax=2", "BatchMode=yes"];
  const options = [...known, ...patience].flatMap((option) => ["-o", option]);
  try {
    const { stdout, stderr } = await execute("ssh", [...options, "-i", key, `ec2-user@${address}`, command]);
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as Answer;
    return { code, stdout, stderr };
  }
}

/** All that a twin could leave on this computer, by kind; a twin's names begin with gbt or gatebench-twin. */
export function leftOnComputer(state: string): Readonly<Record<string, readonly string[]>> {
  const lines = (text: string) => text.split("\n").filter(Boolean);
  const devices = lines(execFileSync("ip", ["-o", "link", "show"], { encoding: "utf8" }));
  return {
    devices: devices.filter((line) => line.includes("gbt")),
    processes: processesNaming(state),
    mounts: lines(readFileSync("/proc/mounts", "utf8")).filter((line) => line.includes(state)),
    controlGroups: readdirSync("/sys/fs/cgroup", { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith("gatebench-twin"),
    ),
    files: readdirSync(state).filter((name) => !name.startsWith("key")),
  };
}

/** Command lines in which the folder stands, and processes of any other network namespace than ours. */
function processesNaming(state: string): readonly string[] {
  const numbers = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return numbers.map(commandLine).filter((line) => line.includes(state));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
