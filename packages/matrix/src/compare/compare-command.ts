import type { Command } from "commander";
import { fault, FaultError } from "@gatebench/core";
import { comparisonLimits } from "@gatebench/core/measure";
import { lookOf } from "../look";
import { noiseFileName } from "../noise/noise-command";
import { storedNoise } from "../noise/noise-file";
import { answerOf, compareResults } from "./compare-results";
import { compareMarkdown, compareTable } from "./compare-tables";
import { readResult } from "../report/read-result";
import { noiseNotes } from "./noise-notes";

interface Given {
  readonly failOnRegression?: string | true;
  readonly json?: true;
  readonly markdown?: true;
  readonly noise: string;
}

/** `gatebench compare A B`: what changed from A to B. Ends with 1 only where a regression was found and that was asked. */
export function compareCommand(command: Command): void {
  describedCompare(command).action((a: string, b: string, given: Given) => {
    const regression = percentOf(given.failOnRegression);
    const options = { matters: regression ?? comparisonLimits.matters, regression: regression ?? 0 };
    const [ours, theirs] = [readResult(a).result, readResult(b).result];
    const results = compareResults(ours, theirs, options);
    const answer = answerOf(results);
    if (given.json) print(JSON.stringify({ answer, ...withoutRuns(results) }, null, 2));
    else {
      const notes = noiseNotes(results, storedNoise(given.noise), ours, theirs);
      print(given.markdown ? compareMarkdown(results, notes) : compareTable(results, notes, lookOf(process.stdout)));
    }
    if (answer === "regression" && given.failOnRegression !== undefined) process.exitCode = 1;
  });
}

/** The same arguments, for a command that only wants to know what they need. */
export function describedCompare(command: Command): Command {
  return command
    .description("B against A, cell by cell, each with its interval and the smallest difference that could be told")
    .argument("<a>", "a result.json, or a folder that holds one")
    .argument("<b>", "the same, of what is to be judged")
    .option(
      "--fail-on-regression [percent]",
      "end with 1 where B is found to be worse (by at least so many percent); with 0 where this rig cannot tell",
    )
    .option("--noise <file>", "what gatebench noise found out about rigs", noiseFileName)
    .option("--json", "print the comparisons as JSON")
    .option("--markdown", "print them as Markdown")
    .addHelpText(
      "after",
      `
What differs in scenario, load, generator or in what its latencies are made of is refused. P99 is compared at equal
offered rate only (--rate, --pace). Invalid figures are not compared.

  gatebench compare results/2026-01-01T00-00-00-000Z results/2026-01-02T00-00-00-000Z --fail-on-regression 3`,
    )
    .allowExcessArguments(false);
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

function percentOf(written: string | true | undefined): number | undefined {
  if (written === undefined || written === true) return undefined;
  const percent = Number(written);
  if (written.trim() !== "" && percent > 0 && percent < 100) return percent / 100;
  throw new FaultError([
    fault("invalid-option", `--fail-on-regression: "${written}" is not a number of percent above 0 and below 100.`),
  ]);
}

/** Which cells, without the runs that stand in A and B already. */
function withoutRuns({ cells, onlyA, onlyB, matters }: ReturnType<typeof compareResults>) {
  return {
    matters,
    cells: cells.map(({ a, b, isPath, figures }) => ({ a: a.id, b: b.id, isPath, figures })),
    onlyA: onlyA.map(({ id }) => id),
    onlyB: onlyB.map(({ id }) => id),
  };
}
