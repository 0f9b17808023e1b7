import type { LoadResult, Run } from "@gatebench/core";
import { recordedCell, recordedResult, recordedRun } from "@gatebench/core/testing";
import { generatorRows, generatorTable } from "./generator-table";
import { withDefaults } from "./generators-command";
import { lookOf } from "./look";

const { outcome } = recordedRun();
const received = (outcome as { readonly result: LoadResult }).result;

const run = (result: Partial<LoadResult>, changes: Partial<Run> = {}): Run =>
  recordedRun({ outcome: { result: { ...received, ...result } }, ...changes });
const counted = (requests: number): Partial<Run> => ({ counters: { gateway: undefined, upstream: { requests } } });
const using = (cpuS: number): Partial<Run> => ({
  hosts: recordedRun().hosts.map((host) => ({
    ...host,
    workloads: [{ name: "load", role: "generator" as const, cpuS, cores: 1, memoryBytes: 1 }],
  })),
});

const result = recordedResult(
  [
    recordedCell({
      generator: "exact",
      gateway: "direct",
      runs: [
        run({ responses: 999_999 }, { purpose: "warm-up", ...counted(1) }),
        run({ responses: 10_000 }, { ...counted(10_004), ...using(0.5) }),
        run({ responses: 20_000 }, { ...counted(20_003), ...using(1) }),
      ],
    }),
    recordedCell({
      generator: "uncounted",
      p99Ms: null,
      runs: [run({ caveats: ["repeats-unseen"] }, counted(0)), run({}, { counters: undefined })],
    }),
    recordedCell({
      generator: "broken",
      runs: [recordedRun({ outcome: { failure: { code: "timed-out", message: "late" } } } as never)],
    }),
  ],
  {
    skipped: [
      { gateway: "direct", scenario: "plain", generator: "closed-only", reason: "unsupported-load: it cannot." },
    ],
  },
);
const text = generatorTable(result, lookOf({ isTTY: false, columns: 200 } as NodeJS.WriteStream, {}));
const line = (name: string) => text.split("\n").find((one) => one.startsWith(name));

test("counts are those of the measured runs, beside the server's own", () => {
  expect(generatorRows(result)[0]).toMatchObject({ responses: 30_000, counted: 30_007 });
  expect(line("exact")).toMatch(/30,000 +30,007 +-7 /);
});

test("CPU is what the generator used for ten thousand responses", () => {
  expect(generatorRows(result)[0]?.cpuSPer10k).toBeCloseTo(0.5);
});

test("what nobody counted is a dash, not a zero", () => {
  expect(generatorRows(result)[1]?.counted).toBeUndefined();
  expect(line("uncounted")).toContain("–");
});

test("a generator that gave no figures has no row, one that cannot send the load is named with the reason", () => {
  expect(line("broken")).toBeUndefined();
  expect(text).toContain("not run: closed-only: unsupported-load: it cannot.");
});

test("what a tool does to its own figures is told once", () => {
  expect(text.match(/^uncounted: /gm)).toHaveLength(1);
});

test("without options it is every generator of ours that needs no hosts of its own", () => {
  expect(withDefaults({})).toMatchObject({ generator: ["hey", "k6", "locust", "oha", "wrk"], gateway: "direct" });
  expect(withDefaults({ generator: "wrk" })).toMatchObject({ generator: "wrk" });
});
