/** The table of users' tests: from cells and published figures to text. */
import type { Cell, Load, LoadResult, Run } from "@gatebench/core";
import { recordedCell, recordedRun } from "@gatebench/core/testing";
import { measuredRow, publishedRow } from "./load-test-row";
import { loadTestTable } from "./load-test-table";

const byCount: Load = { model: "iterations", users: 50, perUser: 100, startWithin: "1s" };
const [sample] = [recordedRun()];
const sampled = (sample?.outcome as { readonly result: LoadResult }).result;

function run(rps: number, changes: Partial<LoadResult> = {}, more: Partial<Run> = {}): Run {
  const result: LoadResult = {
    ...sampled,
    ...{ durationS: 4, responses: 4990, statuses: { 200: 4980, 502: 10 }, errors: { reset: 10 }, rps },
    latencyMs: { ...sampled.latencyMs, min: 8.123, mean: 24.5, max: 1144, stdev: 6.834 },
    bytes: { value: 4 * 1024 * 9400, kind: "wire" },
    ...changes,
  };
  return { ...sample, purpose: "measure", asked: byCount, outcome: { result }, ...more };
}

const balanced = (changes: Partial<Cell> = {}): Cell =>
  recordedCell({
    generator: "k6",
    gateway: "nginx",
    scenario: "round-robin",
    scenarioAsked: { name: "round-robin", scheme: "https", balancing: "round-robin", upstream: { count: 2 } },
    load: byCount,
    runs: [run(1245)],
    verdict: { rps: "indicative", p99Ms: "sound", tlsTps: null, warnings: [] },
    ...changes,
  });
const alone = balanced({ scenarioAsked: { name: "single", scheme: "https" }, runs: [run(1000)] });

describe("a measured row", () => {
  test("is the figures of one run, and what is behind the gateway", () => {
    const counters = { upstream: { requests: 5001 }, upstreams: [{ requests: 2501 }, { requests: 2500 }] };
    expect(measuredRow(balanced({ runs: [run(1245, {}, { counters })] }))).toEqual({
      ...{
        by: "measured",
        tool: "k6",
        gateway: "nginx",
        servers: 2,
        balancing: "round-robin",
        users: 50,
        perUser: 100,
      },
      ...{ tps: 1245, peakTps: null, meanMs: 24.5, leastMs: 8.123, longestMs: 1144, deviationMs: 6.834 },
      ...{ kibPerS: 9400, bytesOf: "wire", executed: 5000, successful: 4980, errors: 20, runTimeS: 4 },
      ...{ perServer: [2501, 2500], grade: "indicative" },
    });
  });

  test("is that of the run in the middle, which was measured and gave figures", () => {
    const failed = run(0, {}, { outcome: { failure: { code: "job-failed", message: "it ended" } } });
    const runs = [run(900), run(5000, {}, { purpose: "warm-up" }), failed, run(1100), run(1000)];
    expect(measuredRow(balanced({ runs }))?.tps).toBe(1000);
    expect(measuredRow(balanced({ runs: runs.slice(0, 4) }))?.tps).toBe(900);
    expect(measuredRow(balanced({ runs: [failed] }))).toBeUndefined();
  });

  test("is not made of loads without users", () => {
    expect(measuredRow(balanced({ load: { model: "closed", connections: 50, duration: "5s" } }))).toBeUndefined();
  });

  test.each<[string, Partial<LoadResult>, number | null]>([
    ["as its tool states it", { peakPerS: 1500, series: [{ atS: 0, responses: 9 }] }, 1500],
    ["of its best second", { series: [10, 2000, 30].map((responses, atS) => ({ atS, responses })) }, 2000],
    [
      "of its best two seconds",
      { series: [10, 4000, 30].map((responses, index) => ({ atS: 2 * index, responses })) },
      2000,
    ],
    ["unknown, where what its tool states is below its mean", { peakPerS: 40 }, null],
    ["unknown, where all of it is one second", { series: [{ atS: 0, responses: 4990 }] }, null],
    ["unknown, where there is no series", {}, null],
  ])("has a peak %s", (_, changes, peak) => {
    expect(measuredRow(balanced({ runs: [run(1245, changes)] }))?.peakTps).toBe(peak);
  });

  test("counts one server where there is one, and a dash where one went away", () => {
    const perServer = (counters: Run["counters"]) =>
      measuredRow(balanced({ runs: [run(1, {}, { ...(counters ? { counters } : {}) })] }))?.perServer;
    expect(perServer({ upstream: { requests: 5000 } })).toEqual([5000]);
    expect(perServer({ upstreams: [{ requests: 2500 }, null] })).toEqual([2500, null]);
  });
});

describe("the table", () => {
  const published = [
    publishedRow({ users: 50, perUser: 100, servers: 1, tps: 568.6, meanMs: 78, leastMs: 12, longestMs: 1144 }),
    publishedRow({ users: 50, perUser: 100, servers: 2, balancing: "balanced", tps: 1441.8 }),
    publishedRow({ users: 1000, tps: 442.8, peakTps: 563, meanMs: 409, errors: 0 }),
  ];
  const measured = [
    alone,
    balanced({ runs: [run(1245, {}, { counters: { upstreams: [{ requests: 2500 }, null] } })] }),
  ];
  const rows = [...published, ...measured.flatMap((cell) => measuredRow(cell) ?? [])];

  test("has the published before the measured, load by load, and what two servers gave over one", () => {
    expect(loadTestTable(rows))
      .toBe(`test                                    sent by     users      TPS  peak TPS  mean ms  least  longest     σ        KB/s  executed  successful  errors  run time  requests per server     verdict
published: nginx, 1 server             ngrinder  50 × 100    568.6         –       78     12    1,144     –           –         –           –       –         –                    –           –
published: nginx, 2 servers, balanced  ngrinder  50 × 100  1,441.8         –        –      –        –     –           –         –           –       –         –                    –           –
nginx, 1 server                              k6  50 × 100    1,000         –     24.5   8.12    1,144  6.83  9,400 wire     5,000       4,980      20       4 s               10,005  indicative
nginx, 2 servers, round-robin                k6  50 × 100    1,245         –     24.5   8.12    1,144  6.83  9,400 wire     5,000       4,980      20       4 s            2,500 + –  indicative
published: nginx, servers not stated   ngrinder     1,000    442.8       563      409      –        –     –           –         –           –       0         –                    –           –
50 × 100: 2 servers (balanced) give 2.54 times the TPS of 1, as published; 2 servers (round-robin) give 1.25 times the TPS of 1, as measured`);
  });

  test("compares only what one tool sent", () => {
    const others = [alone, balanced({ generator: "locust" })].flatMap((cell) => measuredRow(cell) ?? []);
    expect(loadTestTable(others)).not.toContain("times the TPS");
  });

  test("puts wrong figures in brackets, and compares nothing with them", () => {
    const verdict = { rps: "invalid", p99Ms: "invalid", tlsTps: null, warnings: [] } as const;
    const wrong = [measuredRow(alone), measuredRow(balanced({ verdict }))].flatMap((row) => row ?? []);
    const text = loadTestTable(wrong);
    expect(text).toContain("(1,245)");
    expect(text).not.toContain("times the TPS");
  });
});
