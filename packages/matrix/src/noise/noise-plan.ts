import { fault, refuse } from "@gatebench/core";
import type { BenchOptions } from "../bench-options";
import { planBench, type BenchPlan } from "../bench-plan";
import type { PlannedBenchmark } from "../matrix/expansion";

/** One gateway under two names in the same rounds: whatever differs between them is noise. */
export async function planNoise(options: BenchOptions): Promise<BenchPlan> {
  refuse((["gateway", "scenario", "generator"] as const).flatMap((name) => severalFaults(name, options[name])));
  const plan = await planBench(options);
  return { ...plan, benchmarks: plan.benchmarks.map(twice), skipped: [] };
}

const severalFaults = (name: string, given: readonly string[]) =>
  given.length === 1
    ? []
    : [
        fault(
          "invalid-option",
          `--${name}: noise is measured of one ${name} at a time, not of ${given.length}; give one.`,
        ),
      ];

/** The path without a gateway is left out, unless it is what was asked for: it would only take time. */
function twice({ targets, ...rest }: PlannedBenchmark): PlannedBenchmark {
  const target = targets.at(-1) as PlannedBenchmark["targets"][number];
  return { ...rest, targets: [target, { ...target, name: `${target.name}-again` }] };
}
