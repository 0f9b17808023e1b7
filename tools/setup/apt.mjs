/** Debian and Ubuntu packages, installed without a question and without starting any service. */
import { must, onPath, output } from "./commands.mjs";
import { during, fault } from "./messages.mjs";

/** @param {string[]} packages @param {string} reason  What they are wanted for, for the user to read. */
export async function installPackages(packages, reason) {
  const list = packages.join(" ");
  if (!onPath("apt-get")) {
    const advice = `Install ${list} with this machine's package manager and run this again.`;
    throw fault("no-apt", `${list} must be installed (for ${reason}), and set-up knows apt only. ${advice}`);
  }
  const [program, ...args] = [...(await rootPrefix(list, reason)), "sh", "-c", script(packages)];
  const installing = () => must("apt-install", `Installing ${list}`, program, args);
  await during(`installing ${list} with apt (for ${reason})`, installing);
}

/** What to put before a command so that it runs as root. */
async function rootPrefix(list, reason) {
  if (process.getuid?.() === 0) return [];
  if (onPath("sudo") && (await output("sudo", ["-n", "true"])).code === 0) return ["sudo", "-n"];
  throw fault(
    "needs-root",
    `${list} must be installed (for ${reason}), which needs root. Type: sudo apt-get install -y ${list}`,
  );
}

/**
 * One shell script, so that its trap takes the policy file away whatever ends it. While that file exists, packages start
 * no service: an nginx of the system's on port 80 would be measured, or stand in the way. The package lists are fetched
 * only if they do not do as they are.
 */
const script = (packages) => `
set -eu
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
policy=/usr/sbin/policy-rc.d
grep -qs '${MARK}' "$policy" && rm -f "$policy"
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' HUP TERM
  printf '#!/bin/sh\\n# ${MARK}: start no service\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
fi
install() {
  apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 \\
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold ${packages.join(" ")}
}
install >/dev/null 2>&1 || { apt-get update -q -o DPkg::Lock::Timeout=300 && install; }
${packages
  .flatMap((name) => services[name] ?? [])
  .map(disabled)
  .join("\n")}
`;

/** Packages that bring a service, by the name it has; at the next boot it would start. */
const services = {
  "nginx-light": ["nginx"],
  "redis-server": ["redis-server"],
  prometheus: ["prometheus"],
  "prometheus-node-exporter": ["prometheus-node-exporter"],
  "docker.io": ["docker.service", "docker.socket", "containerd"],
  "openssh-server": ["ssh"],
  "etcd-server": ["etcd"],
};
const disabled = (service) => `[ ! -d /run/systemd/system ] || systemctl disable --now ${service}`;

/** Marks the policy file as ours: one left behind by a killed set-up is not the machine's own. */
const MARK = "gatebench set-up";
