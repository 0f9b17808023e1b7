import { warning, type Cell } from "@gatebench/core";
import { recordedCell, recordedResult, recordedRun } from "@gatebench/core/testing";
import { lookOf } from "../look";
import { explanation } from "./explanation";
import { foundRun } from "./found-run";

const busy = warning("generator-busy", "indicative", ["rps", "p99Ms"], { cpuFraction: 0.91, limit: 0.8 });
const few = warning("few-runs", "indicative", ["rps"], { runs: 2, wanted: 5 });
const failure = { code: "timed-out", message: "it did not end" } as const;
const cell: Cell = recordedCell({
  runs: [
    recordedRun({ id: "abc1", warnings: [busy] }),
    recordedRun({ id: "abd2", order: 2, outcome: { failure } }),
    recordedRun({ id: "abd23", order: 3 }),
  ],
  verdict: { ...recordedCell().verdict, warnings: [few] },
});
const result = recordedResult([cell]);
const look = lookOf({ isTTY: false, columns: 1000 } as NodeJS.WriteStream, {});
const explained = (named: string) => explanation(foundRun(result, named), result, "results/x", look);

test("a run is explained by the beginning of its id: what was asked, what came, where its output lies", () => {
  const text = explained("abc");
  expect(text).toContain("run abc1 of bench/fake");
  expect(text).toMatch(/asked +32 connections, closed loop, 10s a run/);
  expect(text).toMatch(/achieved +\S+ RPS, P99 2.00 ms, 10,000 responses in 10.0 s \(200: 10,000\), errors: none\n/);
  expect(text).toContain("results/x/raw/bench/fake/001-abc1: stdout (40 bytes)");
  expect(text).toMatch(/by hand +fake-load -c32 http:\/\/127.0.0.1:8001\/route-1\//);
  expect(text).toMatch(
    /versions +fake 1.0.0, fake-load 1.0.0, upstream static-payload-1024, gatebench 0.1.0, Pulumi 3.220.0/,
  );
});

test("each warning is told with what it does, what to do about it, and what was seen", () => {
  expect(explained("abc1")).toContain(
    [
      "seen in this run",
      "  generator-busy: rps, p99Ms at most indicative",
      "    the generator used 91.0 % of its CPUs (limit 80.0 %) and may be what was measured; give it more CPUs or fewer connections.",
      "    evidence: cpuFraction 0.91, limit 0.8",
      "said of its cell",
      "  few-runs: rps at most indicative",
    ].join("\n"),
  );
});

test("figures by PromQL are told with their unit, and those that are missing with the reason", () => {
  const text = explained("abc1");
  expect(text).toMatch(/by PromQL +gateway-requests 10010 requests\n/);
  expect(text).toMatch(/by PromQL +gateway-memory: missing, no samples: nothing that was scraped matches the query\n/);
  expect(text).toMatch(/observatory +beside it, scraped every 1 s\n/);
});

test("a failed run says how", () => {
  expect(explained("abd2")).toMatch(/failed +timed-out: it did not end\n/);
  expect(explained("abd2")).toContain("seen in this run: nothing");
});

test("a cell is explained by its id, with the ids of its runs", () => {
  expect(explained("bench/fake")).toMatch(/runs +abc1 \(measure\), abd2 \(measure, failed\), abd23 \(measure\)\n/);
  expect(explained("bench/fake")).toMatch(/figures +RPS 1,000 \(sound\), P99 ms 2.00 \(sound\)\n/);
});

test("what names several runs or none is a fault that says what there is", () => {
  expect(() => explained("ab")).toThrow(
    'unknown-run: "ab" begins the ids of 3 runs: abc1, abd2, abd23. Give more of one.',
  );
  expect(() => explained("zz")).toThrow(/^unknown-run: "zz" is neither a cell nor the beginning.* Cells: bench\/fake;/);
});
