import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { processesOf } from "./tools";

const execute = promisify(execFile);
const folder = join(__dirname, "..", "twin");
const program = join(folder, "twin.mjs");

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
  /** test/twin/twin.mjs. */
  readonly program: string;
  /** Runs it; what it is asked for stands there. */
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
    (await execute(process.execPath, [program, ...args], { env: { ...process.env, ...env } })).stdout;
  return {
    state,
    env,
    program,
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

/** What a twin has made so far: to be asked for before it is destroyed, and looked for afterwards. */
export interface Made {
  readonly devices: readonly string[];
  /** Of its running machines, by the kernel's numbers. */
  readonly namespaces: readonly string[];
  readonly machines: readonly string[];
}

export async function madeBy({
  state,
  command,
  machines,
}: Pick<Twin, "state" | "command" | "machines">): Promise<Made> {
  const running = (await machines()).filter((machine) => machine.running);
  const namespaces = running.map(({ id }) => command("run", id, "readlink", "/proc/self/ns/net"));
  return {
    devices: records(state).flatMap(({ device, bridge }) => device ?? bridge ?? []),
    namespaces: (await Promise.all(namespaces)).map((name) => name.trim()),
    machines: namesIn(join(state, "machines")),
  };
}

function records(state: string): readonly { readonly device?: string; readonly bridge?: string }[] {
  const folders = ["sites", "machines"].map((kind) => join(state, kind));
  const files = folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, name, "record.json")));
  return files.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, "utf8")));
}

/** What of that is still on this computer, by kind; whatever else refers to the twin's folder besides. */
export function leftOf(state: string, made: Made): Readonly<Record<string, readonly string[]>> {
  const isThere = (path: string) => path.includes("gatebench-twin/") && made.machines.some((id) => path.endsWith(id));
  return {
    devices: made.devices.filter((name) => existsSync(join("/sys/class/net", name))),
    namespaces: made.namespaces.filter((name) => networkNamespaces().includes(name)),
    controlGroups: readdirSync("/sys/fs/cgroup", { recursive: true, encoding: "utf8" }).filter(isThere),
    processes: processesOf(state),
    mounts: linesOf("/proc/mounts").filter((line) => line.includes(state)),
    accounts: linesOf("/etc/passwd").filter((line) => line.startsWith("ec2-user:")),
    files: namesIn(state).filter((name) => !name.startsWith("key")),
  };
}

/** A program that was killed early has not made the folder. */
const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

const linesOf = (file: string) => readFileSync(file, "utf8").split("\n").filter(Boolean);

/** That of every process; one that has just ended has none. */
function networkNamespaces(): readonly string[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${name}/ns/net`)];
    } catch {
      return [];
    }
  });
}
