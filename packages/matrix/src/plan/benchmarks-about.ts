import type { PlannedBenchmark } from "./expansion";
import { baselineName } from "./plan-group";

/** What of these benchmarks is about certain rows; each stands beside the path without a gateway. */
export function benchmarksAbout(
  benchmarks: readonly PlannedBenchmark[],
  isAsked: (benchmark: string, target: string) => boolean,
): readonly PlannedBenchmark[] {
  return benchmarks.flatMap((benchmark) => {
    const asked = benchmark.targets.filter(({ name }) => isAsked(benchmark.name, name));
    const targets = benchmark.targets.filter((one) => one.name === baselineName || asked.includes(one));
    return asked.length > 0 ? [{ ...benchmark, targets }] : [];
  });
}
