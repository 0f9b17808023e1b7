import type * as pulumi from "@pulumi/pulumi";
import { LocalTopology } from "@gatebench/core/local";
import { staticPayload } from "@gatebench/core/upstreams";
import type { BenchPlan } from "./bench-plan";
import { declareBenchmarks, type ProgrammedBenchmark } from "./lanes/declare-benchmarks";

/** Names the topology, and with it the place of everything a bench starts. */
export const siteName = "site";

/** The Pulumi program of a bench. */
export function benchProgram(
  { benchmarks, protocol, options }: BenchPlan,
  runId: string,
  secrets: pulumi.Input<Record<string, string>> = {},
): readonly ProgrammedBenchmark[] {
  const { portBase, generatorWorkers, seed, workers, observe, scrapeInterval } = options;
  const site = new LocalTopology(siteName, { portBase, workers: generatorWorkers, credentials: secrets });
  return declareBenchmarks(site, {
    ...{ benchmarks, protocol, seed, workers, runId, app: staticPayload() },
    ...(observe ? { scrapeInterval } : {}),
  });
}
