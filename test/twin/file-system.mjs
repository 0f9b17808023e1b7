/**
 * What a machine's disk holds before it starts. /usr and /etc are this computer's, with changes of the machine's own;
 * everything else – /home, /root, /var, /usr/local – is the machine's alone. /tmp and /run are empty at each start.
 */
import { chmod, copyFile, mkdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { programsInImages } from "./images.mjs";
import { run, succeeds } from "./shell.mjs";

const here = dirname(fileURLToPath(import.meta.url));
/** Not on an Amazon Linux machine either: whatever needs one of these has to bring it in an image. */
const ABSENT = [...programsInImages, "npm", "npx", "corepack", "go", "cargo", "pulumi"];

const USER_ID = 1000;

/**
 * @param {string} folder  The machine's.
 * @param {{ hostname: string, user: string, groups: string[], authorizedKeys: string[], userData?: string }} machine
 */
export async function writeFileSystem(folder, machine) {
  await writeBareFileSystem(folder, machine);
  const [etc, root, local] = ["upper/etc", "root", "local"].map((name) => join(folder, name));
  await Promise.all([account(etc, root, machine), sshServer(etc, machine)]);
  await localPrograms(local);
  await write(join(root, "var/log/twin-calls.log"), "", 0o666);
  if (machine.userData !== undefined) await cloudInit(root, machine.userData);
}

/** A machine that nobody can log in to. @param {string} folder @param {{ hostname: string, start?: string }} machine */
export async function writeBareFileSystem(folder, { hostname, start = join(here, "start.sh") }) {
  const [etc, usr, root, local] = ["upper/etc", "upper/usr", "root", "local"].map((name) => join(folder, name));
  const mountPoints = ["usr", "etc", "proc", "sys", "dev", "run", "tmp"].map((name) => join(root, name));
  const own = ["root", "home", "mnt", "opt", "srv", "var/lib", "var/log", "var/empty", "var/cache"];
  const folders = [
    ...mountPoints,
    ...own.map((name) => join(root, name)),
    join(folder, "work/etc"),
    join(folder, "work/usr"),
  ];
  await Promise.all([...folders, etc, usr, local].map((path) => mkdir(path, { recursive: true })));
  await Promise.all([linkedFolders(root), names(etc, hostname), hide(usr)]);
  await install(start, join(local, "libexec/twin/start"));
}

/** /bin and its like are links into /usr on every distribution of today. */
async function linkedFolders(root) {
  for (const name of ["bin", "sbin", "lib", "lib64", "lib32", "libx32"]) {
    const target = await readlink(join("/", name)).catch(() => undefined);
    if (target) await symlink(target, join(root, name));
  }
  // Relative: whoever looks at the machine's disk from outside must not come to this computer's own /tmp by it.
  await symlink("../run", join(root, "var/run"));
  await symlink("../tmp", join(root, "var/tmp"));
}

/** The users of this computer's services, without its people; and one person. */
async function account(etc, root, { user, groups, authorizedKeys }) {
  const home = join(root, "home", user);
  const [passwd, group, shadow] = await Promise.all(
    ["passwd", "group", "shadow"].map((name) => readFile(join("/etc", name), "utf8")),
  );
  const members = (line) =>
    groups.includes(line.split(":")[0]) ? `${line}${line.endsWith(":") ? "" : ","}${user}` : line;
  await write(join(etc, "passwd"), `${services(passwd)}${user}:x:${USER_ID}:${USER_ID}::/home/${user}:/bin/bash\n`);
  await write(join(etc, "group"), `${services(group).split("\n").map(members).join("\n")}${user}:x:${USER_ID}:\n`);
  await write(join(etc, "shadow"), `${servicesAlone(shadow, passwd)}${user}:*:20000:0:99999:7:::\n`, 0o640);
  await write(join(etc, "sudoers.d/90-cloud-init-users"), `${user} ALL=(ALL) NOPASSWD:ALL\n`, 0o440);
  await write(join(home, ".ssh/authorized_keys"), authorizedKeys.map((key) => `${key.trim()}\n`).join(""), 0o600);
  await run("chown", "-R", `${USER_ID}:${USER_ID}`, home);
  await run("chmod", "700", home, join(home, ".ssh"), join(root, "root"));
}

const isService = (id) => Number(id) < USER_ID || Number(id) === 65_534;
const services = (text) => kept(text, (line) => isService(line.split(":")[2]));
const servicesAlone = (shadow, passwd) => {
  const known = new Set(
    services(passwd)
      .split("\n")
      .map((line) => line.split(":")[0]),
  );
  return kept(shadow, (line) => known.has(line.split(":")[0])).replaceAll(/^([^:]+):[^:]*/gm, "$1:*");
};
const kept = (text, isKept) =>
  text
    .split("\n")
    .filter((line) => line && isKept(line))
    .map((line) => `${line}\n`)
    .join("");

async function names(etc, hostname) {
  await write(join(etc, "hostname"), `${hostname}\n`);
  await write(join(etc, "resolv.conf"), "# No machine of the twin reaches a name server: a look-up fails at once.\n");
  await write(join(etc, "hosts"), `127.0.0.1 localhost ${hostname}\n::1 localhost\n`);
}

/** What Amazon Linux 2023 and OpenSSH have as they come: no password, no root, ten sessions a connection, no foreign variables. */
async function sshServer(etc, { user }) {
  const folder = join(etc, "ssh");
  const key = join(folder, "ssh_host_ed25519_key");
  await mkdir(folder, { recursive: true });
  await run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key, "-C", "");
  await write(
    join(folder, "sshd_config"),
    `HostKey /etc/ssh/ssh_host_ed25519_key
PermitRootLogin no
PasswordAuthentication no
KbdInteractiveAuthentication no
AllowUsers ${user}
UsePAM no
AcceptEnv LANG LC_CTYPE LC_NUMERIC LC_TIME LC_COLLATE LC_MONETARY LC_MESSAGES
AcceptEnv LC_PAPER LC_NAME LC_ADDRESS LC_TELEPHONE LC_MEASUREMENT
AcceptEnv LC_IDENTIFICATION LC_ALL LANGUAGE
AcceptEnv XMODIFIERS
PrintMotd no
SetEnv PATH=/usr/local/bin:/usr/bin:/usr/local/sbin:/usr/sbin
Subsystem sftp internal-sftp
`,
  );
}

/** A character device 0/0 in the upper layer hides the file below. */
async function hide(usr) {
  const files = ABSENT.flatMap((name) => [join(usr, "bin", name), join(usr, "sbin", name)]);
  await Promise.all([...new Set(files.map(dirname))].map((path) => mkdir(path, { recursive: true })));
  for (const file of files)
    if (await succeeds("test", "-e", file.replace(usr, "/usr"))) await run("mknod", file, "c", "0", "0");
}

/** Stand-ins for what a distribution or a cloud brings and this machine has not. Each notes its calls. */
async function localPrograms(local) {
  for (const name of ["dnf", "yum", "systemctl", "cloud-init"])
    await install(join(here, "fakes", name), join(local, "bin", name));
  // This computer's would ask for its own end.
  for (const name of ["shutdown", "poweroff"]) await install(join(here, "fakes/shutdown"), join(local, "sbin", name));
}

async function cloudInit(root, userData) {
  await write(join(root, "var/lib/cloud/instance/user-data.txt"), userData, 0o600);
  await install(join(here, "fakes/cloud-start"), join(root, "var/lib/cloud/start"));
}

export async function install(from, to) {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
  await chmod(to, 0o755);
}

export async function write(file, text, mode = 0o644) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, mode);
}
