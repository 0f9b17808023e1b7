/** Where gatebench can measure at all. */
import { fault } from "./messages.mjs";

export function requireLinux(platform = process.platform) {
  if (platform === "linux") return;
  const reason = `gatebench reads the CPU time of gateways from Linux's /proc, which ${platform} has not`;
  throw fault(
    "unsupported-platform",
    `${reason}. Run it in a Linux VM: on macOS, "brew install lima" and "limactl start" give one.`,
  );
}
