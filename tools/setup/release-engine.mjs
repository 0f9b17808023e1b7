/**
 * Installs the official release of the engine: node release-engine.mjs DIRECTORY VERSION. A process of its own, because
 * the installer cannot be interrupted otherwise. Exit code 1: not to be had here.
 */
import { createRequire } from "node:module";

const REACHABLE_MS = 5_000;
const INSTALL_MS = 300_000;

const [root, version] = process.argv.slice(2);
const giveUp = () => process.exit(1);

try {
  // The installer itself would try an unreachable server for minutes.
  await fetch("https://get.pulumi.com/install.sh", { method: "HEAD", signal: AbortSignal.timeout(REACHABLE_MS) });
  setTimeout(giveUp, INSTALL_MS).unref();
  const require = createRequire(import.meta.url);
  const { PulumiCommand } = require("@pulumi/pulumi/automation");
  const { SemVer } = require("semver");
  await PulumiCommand.install({ root, version: new SemVer(version), skipVersionCheck: true });
} catch {
  giveUp();
}
