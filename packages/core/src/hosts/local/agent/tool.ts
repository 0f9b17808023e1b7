import { spawn } from "node:child_process";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JobOutput } from "../../../contract";
import { substitute } from "../../../contract/reference";
import type { JobRecord } from "../../job-record";
import { writeTexts } from "./files";
import { onCpus, plainEnvironment, withFiles } from "./launch";
import { readText } from "./process";
import type { Supervision } from "./supervision";
import { lastLines, mapValues } from "./workload";

/** Characters of each output that go into the record. More stays beside it: what `parse` needs is far smaller. */
const outputLimit = 1024 * 1024;

/** How the tool ended. */
export interface Ended {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly error?: string;
}

/** The tool itself: its own argv and CPU set, a plain environment, output straight into files. */
export function runTool({ folder, order: { job }, values }: Supervision): Promise<Ended> {
  const [program, ...argv] = withFiles(job.openFiles, onCpus(job.cpuset, job.command)).map((word) =>
    substitute(word, values),
  ) as [string, ...string[]];
  const env = { ...plainEnvironment(), ...mapValues(job.env ?? {}, (text) => substitute(text, values)) };
  const [stdout, stderr] = ["stdout", "stderr"].map((name) => openSync(join(folder, name), "w", 0o600)) as [
    number,
    number,
  ];
  const child = spawn(program, argv, { cwd: folder, env, stdio: ["ignore", stdout, stderr] });
  closeSync(stdout);
  closeSync(stderr);
  return new Promise((resolve) => {
    let timedOut = false;
    const timer = setTimeout(() => (timedOut = child.kill("SIGKILL")), job.killAfterS * 1000);
    child.once("error", (error) => resolve({ exitCode: null, timedOut, error: error.message }));
    child.once("exit", (exitCode) => resolve({ exitCode, timedOut }));
    child.once("close", () => clearTimeout(timer));
  });
}

export function outcomeOf(supervision: Supervision, { exitCode, timedOut, error }: Ended): JobRecord["outcome"] {
  const output = maskedOutput(supervision, exitCode);
  const program = supervision.order.job.command[0] ?? "";
  if (error !== undefined)
    return { failure: { code: "job-failed", message: `${program} could not be started: ${supervision.mask(error)}` } };
  if (timedOut)
    return {
      failure: {
        code: "timed-out",
        message: `${program} was killed after ${supervision.order.job.killAfterS} s`,
        excerpt: lastLines(output.stderr || output.stdout),
      },
    };
  return { output };
}

/** The output with every secret masked, in the record and in the files that stay behind. */
function maskedOutput({ folder, order, mask }: Supervision, exitCode: number | null): JobOutput {
  const masked = (path: string): string => {
    const text = mask(readText(join(folder, path)) ?? "");
    writeFileSync(join(folder, path), text, { mode: 0o600 });
    return text.slice(0, outputLimit);
  };
  const files = Object.fromEntries((order.job.collect ?? []).map((path) => [path, masked(path)]));
  const output = { stdout: masked("stdout"), stderr: masked("stderr"), files, exitCode };
  writeTexts(folder, order.job.files ?? {}); // back to reference form: nothing in clear stays beside the result
  return output;
}
