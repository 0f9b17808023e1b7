import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { Option, type Command } from "commander";
import { fault, FaultError, writtenCount } from "@gatebench/core";
import { readResult } from "./read-result";
import { forms, writeReports, type Form } from "./report-files";
import type { FitLimit } from "./scaling";

type Given = Readonly<Partial<Record<Form, boolean>>> & { readonly out?: string; readonly fitUpTo?: string };

/** `gatebench report RESULT`: the report of what was measured earlier, or of what others published. */
export function reportCommand(command: Command): void {
  describedReport(command).action((path: string, given: Given) => {
    for (const file of reported(path, given)) process.stdout.write(`${file}\n`);
  });
}

/** The same arguments, for a command that only wants to know what they need. */
export function describedReport(command: Command): Command {
  return command
    .description("write the report of a result: HTML in one file, Markdown and CSV")
    .argument("<result>", "a results folder, a result.json, or figures somebody published (examples/published)")
    .option("--html", "report.html; without any of these four: html, md and csv")
    .option("--md", "report.md")
    .option("--csv", "report.csv: a line for each cell, columns as in docs/report.md")
    .option("--svg", "each chart as a file of its own")
    .option("--out <folder>", "where to write (default: beside the result)")
    .addOption(
      new Option("--fit-up-to <cpus>", "fit the scalability law up to here: the cores of a machine with hyper-threads"),
    )
    .allowExcessArguments(false);
}

/** Writes what was asked for and says where. */
export function reported(path: string, given: Given): readonly string[] {
  const { result, options, folder } = readResult(path);
  const chosen = forms.filter((form) => given[form]);
  const out = resolve(given.out ?? folder);
  const fitLimit = given.fitUpTo === undefined ? options.fitLimit : limitOf(given.fitUpTo);
  try {
    mkdirSync(out, { recursive: true });
    return writeReports(result, out, chosen.length > 0 ? chosen : undefined, { ...options, fitLimit });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new FaultError([
      fault("results-folder", `"${out}" cannot be written (${code}). Give another folder with --out.`),
    ]);
  }
}

const mostCpus = 10_000;

function limitOf(written: string): FitLimit {
  const cpus = writtenCount(mostCpus).safeParse(written);
  if (cpus.success) return { cpus: cpus.data, beyond: "CPUs of another kind, such as hyper-threads" };
  throw new FaultError([
    fault("invalid-option", `--fit-up-to: "${written}" is not a whole number from 1 to ${mostCpus}.`),
  ]);
}
