import type { HostUsage, Run } from "../contract";
import { fakeGenerator, fakeOutput } from "./fake-generator";

/** A measured run in which nothing is remarkable. */
export function recordedRun(changes: Partial<Run> = {}): Run {
  return {
    id: "0123456789abcdef",
    order: 1,
    target: "fake",
    purpose: "measure",
    asked: { model: "closed", connections: 32, duration: "10s" },
    startedAt: "2026-01-01T00:00:00.000Z",
    endedAt: "2026-01-01T00:00:10.000Z",
    outcome: { result: fakeGenerator().parse(fakeOutput()) },
    hosts: [idleHost],
    counters: { gateway: { requests: 10_010 }, upstream: { requests: 10_005 } },
    cpuMicrosPerRequest: 25,
    figures: [
      { name: "gateway-requests", unit: "requests", query: 'requests_total{job="gateway-fake"}', value: 10_010 },
      {
        ...{ name: "gateway-memory", unit: "bytes", query: 'memory_bytes{job="gateway-fake"}' },
        missing: "no samples: nothing that was scraped matches the query",
      },
    ],
    command: ["fake-load", "-c32", "http://127.0.0.1:8001/route-1/"],
    artifacts: [{ path: "stdout", bytes: 40, sha256: "0".repeat(64) }],
    warnings: [],
    ...changes,
  };
}

const idleHost: HostUsage = {
  host: "local",
  roles: ["upstream", "gateway", "generator"],
  cpus: 4,
  cpuFraction: 0.5,
  busiestCpuFraction: 0.6,
  softirqFraction: 0.05,
  stealFraction: 0,
  throttledS: null,
  memoryUsedBytes: 1e9,
  network: { receivedBytes: 1e6, sentBytes: 1e6 },
  tcp: { sentSegments: 100_000, retransmittedSegments: 0, listenOverflows: 0 },
  allowance: null,
  workloads: [{ name: "fake-fake", role: "gateway", cpuS: 10, cores: 2, memoryBytes: 1e7 }],
  harnessCpuS: 0.1,
  samples: 40,
};
