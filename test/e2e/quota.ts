import { fileOf, type GatewayAdapter } from "@gatebench/core";
import { alteredWorkload } from "./altered";

/**
 * A gateway that may run for a share of the time only, as under a CPU quota of the kernel's: it is stopped for the rest of
 * every 25 ms or so. Unlike a kernel's quota it needs no rights, and takes the same share whatever the gateway would use.
 */
export const withQuota = (adapter: GatewayAdapter, share: number): GatewayAdapter =>
  alteredWorkload(adapter, (workload) => ({
    ...workload,
    programs: ["node", workload.command[0] as string],
    files: { ...workload.files, "quota.cjs": quota },
    command: ["node", fileOf("quota.cjs"), String(share), ...workload.command],
  }));

/** What was stopped too long once is stopped less later: the share holds over any second. */
const quota = `
const { spawn } = require("node:child_process");
const { readFileSync } = require("node:fs");

const [share, ...command] = process.argv.slice(2);
const gateway = spawn(command[0], command.slice(1), { stdio: "inherit" });
gateway.on("exit", (code) => process.exit(code ?? 1));

const treeOf = (pid) =>
  [pid, ...readFileSync(\`/proc/\${pid}/task/\${pid}/children\`, "utf8").split(" ").filter(Boolean).map(Number).flatMap(treeOf)];
function signal(name) {
  try {
    for (const pid of treeOf(gateway.pid)) process.kill(pid, name);
  } catch {
    // It is ending.
  }
}
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** It starts at its ease: readiness is no part of a quota. */
async function hold() {
  await sleep(1000);
  let [began, stopped] = [performance.now(), 0];
  for (;;) {
    await sleep(25);
    const owed = (1 - share) * (performance.now() - began) - stopped;
    if (owed < 1) continue;
    const from = performance.now();
    signal("SIGSTOP");
    await sleep(owed);
    signal("SIGCONT");
    stopped += performance.now() - from;
    // A second at a time, so that a pause of the machine's own is not made up for at once.
    if (from - began > 1000) [began, stopped] = [performance.now(), 0];
  }
}
void hold();
`;
