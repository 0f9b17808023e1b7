import { join } from "node:path";
import { buildSync } from "esbuild";
import { wholeAgent } from "./remote-agent";

/** The compiled agent, as this machine runs it. */
const agent = join(__dirname, "..", "agent", "main.js").replace(/([/\\])src\1/, "$1dist$1");

let bundled: string | undefined;

/** The agent as one file that needs nothing but Node: a machine reached over SSH has none of our packages. */
export function agentText(): string {
  bundled ??= buildSync({
    entryPoints: [agent],
    bundle: true,
    platform: "node",
    target: "node20",
    write: false,
    logLevel: "silent",
    footer: { js: wholeAgent },
  }).outputFiles[0]?.text.trimEnd();
  return bundled as string;
}
