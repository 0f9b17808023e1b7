import { resultSchemaName, type Cell, type Result } from "../contract";
import { recordedRun } from "./recorded-run";

/** A sound cell of the plain scenario, read against "bench/direct". */
export function recordedCell(changes: Partial<Cell> = {}): Cell {
  return {
    id: "bench/fake",
    benchmark: "bench",
    gateway: "fake",
    gatewayVersion: "1.0.0",
    scenario: "plain",
    scenarioAsked: { name: "plain" },
    generator: "fake-load",
    generatorVersion: "1.0.0",
    topology: "local",
    upstream: "static-payload-1024",
    load: { model: "closed", connections: 32, duration: "10s" },
    size: { name: "local-4", cpus: 4, workers: 2 },
    purpose: "capacity",
    protocol: "repeat",
    observatory: { scrapeIntervalS: 1 },
    rps: 1000,
    p99Ms: 2,
    tlsTps: null,
    intervals: { rps: [990, 1010], p99Ms: null, tlsTps: null },
    mergedP99Ms: null,
    cpuMicrosPerRequest: 25,
    verdict: { rps: "sound", p99Ms: "sound", tlsTps: null, warnings: [] },
    baseline: "bench/direct",
    configuration: { "fake: command": "fake-gateway <gatebench:file.fake.json>" },
    verification: [{ law: "answers with the upstream's body, unchanged", verdict: "held" }],
    byHand: "fake-load -c32 http://127.0.0.1:8001/route-1/",
    runs: [recordedRun()],
    ...changes,
  };
}

/** A result of these cells. */
export function recordedResult(cells: readonly Cell[] = [recordedCell()], changes: Partial<Result> = {}): Result {
  return {
    schema: resultSchemaName,
    startedAt: "2026-01-01T00:00:00.000Z",
    endedAt: "2026-01-01T00:01:00.000Z",
    gatebench: "0.1.0",
    engine: "Pulumi 3.220.0",
    machine: { os: "Linux 6.1", cpu: "a CPU", cpus: 4, memoryBytes: 8e9 },
    seed: 1,
    cells,
    skipped: [],
    ...changes,
  };
}
