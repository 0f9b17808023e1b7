/** The official plug-in hands out a kubeconfig that calls the aws command, and asks for it as soon as a cluster is previewed. */
import { execFileSync } from "node:child_process";
import { onPath } from "../../../tools/setup/commands.mjs";

const OLDEST = { 1: [1, 24, 0], 2: [2, 7, 0] };
const ADVICE =
  "See https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html for installation instructions.";

export function requireAwsCli() {
  const file = onPath("aws");
  if (!file) throw new Error(`Could not find aws CLI for EKS. ${ADVICE}`);
  const said = execFileSync(file, ["--version"], { stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" });
  const found = (/^aws-cli\/(\d+)\.(\d+)\.(\d+)/.exec(said) ?? []).slice(1).map(Number);
  const oldest = OLDEST[found[0] === 1 ? 1 : 2];
  if (isAtLeast(found, oldest)) return;
  throw new Error(
    `At least v${oldest.join(".")} of aws-cli is required. Current version is: ${found.join(".")}. ${ADVICE}`,
  );
}

function isAtLeast(found, oldest) {
  const at = oldest.findIndex((number, index) => found[index] !== number);
  return at < 0 || found[at] > oldest[at];
}
