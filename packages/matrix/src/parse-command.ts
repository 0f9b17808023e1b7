import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Command } from "commander";
import {
  fault,
  faultsBehind,
  FaultError,
  isFault,
  listed,
  loadGenerator,
  refuse,
  writtenCount,
  type Fault,
  type GeneratorAdapter,
  type LoadResult,
} from "@gatebench/core";
import { mergedResult } from "@gatebench/core/measure";
import { generators } from "@gatebench/generators";

/** `gatebench parse TOOL FILE…`: the normalised record of outputs a tool left. */
export function parseCommand(command: Command): void {
  describedParse(command).action(async (tool: string, files: readonly string[], { exitCode }: { exitCode: string }) => {
    const result = await parsedFiles(tool, files, exitCode);
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  });
}

/** The same arguments, for a command that only wants to know what they need. */
export function describedParse(command: Command): Command {
  return command
    .description(
      "print the normalised record of a tool's output, as JSON; of several processes of one load, merged by histogram",
    )
    .argument("<tool>", `${listed(Object.keys(generators))}, a package or a path`)
    .argument("<files...>", "one for each process; - is standard input")
    .option("--exit-code <number>", "what the tool ended with", "0")
    .addHelpText(
      "after",
      `
Output that is not fully understood is refused, with the words that were not.

  wrk -d 10s --latency http://127.0.0.1:8080/ | gatebench parse wrk -
  gatebench parse k6 summary.json`,
    )
    .allowExcessArguments(false);
}

/** One result of all files; throws one line for each file that cannot be read or understood. */
export async function parsedFiles(tool: string, files: readonly string[], exitCode: string): Promise<LoadResult> {
  const adapter = await loadGenerator(tool, generators);
  const ended = writtenCount(255, 0).safeParse(exitCode);
  refuse([
    ...(isFault(adapter) ? [adapter] : []),
    ...(ended.success
      ? []
      : [fault("invalid-option", `--exit-code: "${exitCode}" is not a whole number from 0 to 255.`)]),
  ]);
  const read = files.map((file) => resultIn(file, adapter as GeneratorAdapter, ended.data as number));
  refuse(read.filter(isFault));
  return mergedResult(read as [LoadResult, ...LoadResult[]]);
}

function resultIn(file: string, adapter: GeneratorAdapter, exitCode: number): LoadResult | Fault {
  try {
    const text = textOf(file);
    return adapter.parse({ stdout: text, stderr: "", files: { [basename(file)]: text }, exitCode });
  } catch (error) {
    const [first] = faultsBehind(error) ?? [];
    if (first === undefined) throw error;
    return fault(first.code, `${file}: ${first.message}`);
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new FaultError([fault("invalid-option", `it cannot be read (${(error as Error).message}).`)]);
  }
}
