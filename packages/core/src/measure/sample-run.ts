import {
  resolveScenario,
  unstatedLatency,
  type HostUsage,
  type Load,
  type LoadResult,
  type Run,
  type Step,
} from "../contract";
import type { RunFacts } from "./run-facts";

/** A closed load of the kind every test here begins with. */
export const sampleLoad: Load = { model: "closed", connections: 50, duration: "30s" };

/** A result in which nothing is remarkable, for tests to change. */
export function sampleResult(changes: Partial<LoadResult> = {}): LoadResult {
  return {
    tool: { name: "fake" },
    durationS: 30,
    responses: 30_000,
    statuses: { "200": 30_000 },
    errors: {},
    rps: 1000,
    attemptsPerS: 1000,
    latencyMs: { ...unstatedLatency, p99: 12 },
    latencyBasis: {
      includes: { queue: false, connect: false, tls: false },
      population: "all",
      omission: "none",
      resolutionMs: 0.001,
      samples: 30_000,
    },
    caveats: [],
    ...changes,
  };
}

/** A host half idle over 30 s. */
export function sampleUsage(changes: Partial<HostUsage> = {}): HostUsage {
  return {
    ...{ host: "generator", roles: ["generator"], cpus: 8 },
    ...{ cpuFraction: 0.5, busiestCpuFraction: 0.6, softirqFraction: 0.05, stealFraction: 0 },
    ...{ throttledS: null, memoryUsedBytes: 1e9, allowance: null, harnessCpuS: 0.1, samples: 120 },
    network: { receivedBytes: 1e6, sentBytes: 1e6 },
    tcp: { sentSegments: 100_000, retransmittedSegments: 0, listenOverflows: 0 },
    workloads: [],
    ...changes,
  };
}

/** A run in which nothing is remarkable. */
export function sampleRun(changes: Partial<Run> = {}): Run {
  return {
    ...{ id: "run", order: 1, target: "nginx", purpose: "measure", asked: sampleLoad },
    ...{ startedAt: "2026-01-01T00:00:00.000Z", endedAt: "2026-01-01T00:00:30.000Z" },
    outcome: { result: sampleResult() },
    ...{ hosts: [], command: [], artifacts: [], warnings: [] },
    ...changes,
  };
}

/** The run a step asked for, with so many requests per second; null: it failed. */
export function runOf({ load, purpose }: Step, order: number, rps: number | null, changes: Partial<Run> = {}): Run {
  const failure = { code: "job-failed", message: "the tool ended with 1" } as const;
  const outcome = rps === null ? { failure } : { result: sampleResult({ rps }) };
  return sampleRun({ id: `run-${order}`, order, purpose, asked: load, outcome, ...changes });
}

/** A saturating run of a gateway with a machine for each role, in which all counters agree. */
export function sampleFacts(changes: Partial<RunFacts> = {}): RunFacts {
  const counted = { requests: 30_020, connections: 50, statuses: { "2xx": 30_020 } };
  const worker = { name: "nginx", role: "gateway", cores: 4, cpuS: 118, memoryBytes: 1e7 };
  return {
    asked: sampleLoad,
    result: sampleResult(),
    counters: { gateway: counted, upstream: { requests: 30_010, connections: 64 } },
    hosts: [
      sampleUsage({ host: "a", roles: ["upstream"] }),
      sampleUsage({ host: "b", roles: ["gateway"], cpuFraction: 0.98, busiestCpuFraction: 1, workloads: [worker] }),
      sampleUsage({ host: "c", roles: ["generator"] }),
    ],
    scenario: resolveScenario({ name: "plain" }),
    ...{ purpose: "capacity", isBaseline: false, workers: 4, resumptionRefused: false },
    ...changes,
  };
}
