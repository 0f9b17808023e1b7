/** What a computer must have for machines of the twin to stand on it; `npm test` installs what can be installed. */
import { searchPath } from "../../tools/setup/binaries.mjs";
import { onPath } from "../../tools/setup/commands.mjs";
import { fault, PATH } from "./shell.mjs";

const PROGRAMS = [
  "docker",
  "dockerd",
  "ip",
  "iptables",
  "nsenter",
  "pidof",
  "pivot_root",
  "ssh-keygen",
  "sshd",
  "sudo",
];
const MORE = ["sysctl", "tar", "tini", "unshare", "usermod"];

export function requireTwin() {
  if (process.platform !== "linux")
    throw fault("twin-platform", `the twin of EC2 runs on Linux, not on ${process.platform}.`);
  if (process.getuid() !== 0)
    throw fault("twin-root", "the twin of EC2 makes network namespaces, which takes root. Use sudo.");
  const missing = [...PROGRAMS, ...MORE].filter((name) => !onPath(name, `${searchPath()}:${PATH}`));
  if (missing.length === 0) return;
  throw fault(
    "twin-missing",
    `the twin of EC2 needs ${missing.join(", ")}. "npm test" installs what it needs with apt.`,
  );
}
