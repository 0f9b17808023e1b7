import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Failure, JobOutput } from "../../contract";
import { substitute } from "../../contract/reference";
import type { JobRecord } from "../job-record";
import { CpuWatch } from "./cpu-watch";
import { writeTexts } from "./files";
import { readText } from "./process";
import { prepareProgram, type Ended, type Prepared } from "./program";
import type { Supervision } from "./supervision";
import { lastLines, mapValues } from "./workload";

/** Characters of each output that go into the record. More stays beside it: what `parse` needs is far smaller. */
const outputLimit = 1024 * 1024;

/** A tool that is ready to begin. */
export interface Tool extends Pick<Prepared, "discard"> {
  run(): Promise<ToolEnded>;
}

/** How the tool ended, and its CPU where only we could watch it. */
export interface ToolEnded extends Ended {
  readonly cpuS?: number;
}

/** The tool itself: its own argv and CPU set, a plain environment, output straight into files. It begins when it is run. */
export async function prepareTool({ folder, order: { job }, values }: Supervision): Promise<Tool> {
  const filled = (text: string) => substitute(text, values);
  const { image, dockerfile, cpuset, openFiles, ports } = job;
  const program = { image, dockerfile, cpuset, openFiles, ports, folder, command: job.command.map(filled) };
  const outputs = { stdout: join(folder, "stdout"), stderr: join(folder, "stderr") };
  const prepared = await prepareProgram({ ...program, env: mapValues(job.env ?? {}, filled) }, outputs);
  const watched = new CpuWatch();
  return {
    ...prepared,
    run: async () => {
      const ended = await prepared.run(job.killAfterS, ({ pid }) => watched.begin(pid));
      return { ...ended, ...watched.end() };
    },
  };
}

export function outcomeOf(supervision: Supervision, { exitCode, timedOut, error }: Ended): JobRecord["outcome"] {
  const output = maskedOutput(supervision, exitCode);
  const program = supervision.order.job.command[0] ?? "";
  if (error !== undefined) return { failure: failureOf(program, supervision.mask(error)) };
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

/** What has a code says what happened; anything else kept the program from starting. */
function failureOf(program: string, error: string): Failure {
  const [, code, message] = /^(job-failed|image-unavailable|host-unready|host-unreachable): (.+)$/s.exec(error) ?? [];
  return code === undefined
    ? { code: "job-failed", message: `${program} could not be started: ${error}` }
    : { code: code as Failure["code"], message: (message as string).replace(/\s+/g, " ") };
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
