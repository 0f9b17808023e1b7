import { regionsOf } from "../matrix-file/topology-asked";
import { fault, refuse } from "@gatebench/core";
import type { Command } from "commander";
import { awsPrices, datedPrices, type PriceTable } from "../prices";
import { estimate } from "./estimate";
import { budgetFaults, ttlFaults } from "./estimate-faults";
import { expand } from "./expand";
import type { Expansion } from "./expansion";
import type { Matrix } from "../matrix-file/matrix";
import { planText, type MatrixPlan } from "./plan-text";
import { readMatrix, type ReadMatrix } from "../matrix-file/read-matrix";

export interface PlanOptions {
  readonly json: boolean;
  readonly cells: boolean;
  readonly prices: string;
}

/** `gatebench plan FILE`: what a matrix is about to do, and what it takes; creates nothing, starts nothing. */
export function planCommand(command: Command): void {
  describedPlan(command).action(async (file: string, options: PlanOptions) => {
    const { json, cells } = options;
    const plan = await planMatrix(file, options);
    process.stdout.write(`${json ? JSON.stringify(planRecord(plan), null, 2) : planText(plan, { cells })}\n`);
    // Last, so that what it would take is there to be read beside why it is refused.
    refuse(plan.faults);
  });
}

/** The same arguments, for a command that only wants to know what they need. */
export function describedPlan(command: Command): Command {
  return command
    .description(
      "print the cells of a matrix, those left out and why, its hosts, and the time, cost and quota it takes",
    )
    .argument("<file>", "YAML, or TypeScript that exports one")
    .option("--cells", "each cell by its id, too", false)
    .option("--prices <source>", "dated: the table kept with gatebench; aws: AWS's own list as it is today", "dated")
    .option("--json", "for other programs", false)
    .addHelpText(
      "after",
      `
Creates nothing, starts nothing, and asks nobody, but for "--prices aws", which needs no account: it fetches AWS's list of the
region's prices, a quarter of a gigabyte, and keeps what it needs of it until AWS publishes another.`,
    )
    .allowExcessArguments(false);
}

/** The plan of a matrix file, and why it would not be begun; throws everything that is wrong with the file. */
export async function planMatrix(file: string, { prices }: Pick<PlanOptions, "prices">): Promise<MatrixPlan> {
  const matrix = await readMatrix(file);
  const expansion = expand(matrix);
  refuse(matrix.withPositions(expansion.faults));
  const { estimated, faults } = estimatedFor(matrix, expansion, await priceTable(prices, matrix));
  return { name: matrix.name, expansion, estimate: estimated, budgetUsd: matrix.file.budgetUsd, faults };
}

/** What these lanes take, and why they would not be begun. */
export function estimatedFor(matrix: ReadMatrix, lanes: Pick<Expansion, "lanes">, prices: PriceTable) {
  const estimated = estimate(lanes, matrix, prices);
  const faults = [...budgetFaults(estimated, matrix.file.budgetUsd), ...ttlFaults(estimated, matrix)];
  return { estimated, faults: matrix.withPositions(faults) };
}

/** The prices that were asked for, of the regions where a matrix rents machines. */
export async function priceTable(source: string, { places }: Pick<Matrix, "places">): Promise<PriceTable> {
  if (source === "dated") return datedPrices;
  if (source !== "aws")
    refuse([
      fault("invalid-option", `--prices: "${source}" is not one of dated, aws. Give one of them, or leave it out.`),
    ]);
  const regions = regionsOf(places.map(({ topology }) => topology));
  return regions.length === 0 ? datedPrices : awsPrices(regions);
}

/** A plan as other programs read it: plain data, adapters by name. */
export const planRecord = ({ name, expansion, estimate, budgetUsd, faults }: MatrixPlan) => ({
  ...{ matrix: name, cells: expansion.cells, skipped: expansion.skipped, budgetUsd: budgetUsd ?? null },
  ...{ estimate, faults },
});
