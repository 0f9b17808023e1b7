import type { Histogram, LoadResult } from "../contract";
import { mergedResult } from "./merged-result";
import { sampleResult } from "./sample-run";

const histogram = (...counts: readonly [number, number][]): Histogram => ({ unit: "us", counts: [...counts] });
const basis = sampleResult().latencyBasis;
const latency = (changes: Partial<LoadResult["latencyMs"]>) => ({ ...sampleResult().latencyMs, ...changes });

const fast = sampleResult({
  ...{ durationS: 10, responses: 900, statuses: { "200": 890, "429": 10 }, rps: 89, attemptsPerS: 90 },
  ...{ latencyMs: latency({ min: 1, mean: 2, p99: 2, max: 3 }), latencyBasis: { ...basis, samples: 900 } },
  histogram: histogram([2000, 900]),
});
const untold = sampleResult({
  ...{ durationS: 20, responses: 100, statuses: { "200": 100 }, errors: { reset: 2 }, rps: 5, attemptsPerS: 5.1 },
  ...{ latencyMs: latency({ min: 0.5, mean: 52, p99: 50, max: 60 }), latencyBasis: { ...basis, samples: 100 } },
});
const slow = { ...untold, histogram: histogram([50_000, 100]) };

test("one result is itself", () => expect(mergedResult([fast])).toBe(fast));

test("counts add up over the longest window", () => {
  expect(mergedResult([fast, slow])).toMatchObject({
    ...{ durationS: 20, responses: 1000, statuses: { "200": 990, "429": 10 }, errors: { reset: 2 } },
    ...{ rps: (890 + 100) / 20, attemptsPerS: (900 + 102) / 20, processes: { asked: 2, reported: 2 } },
  });
});

test("percentiles are those of all samples together, never a mean of two percentiles", () => {
  const { latencyMs, latencyBasis, caveats } = mergedResult([fast, slow]);
  expect(latencyMs).toMatchObject({ min: 0.5, mean: (2 * 900 + 52 * 100) / 1000, p50: 2, p90: 2, p99: 50, max: 60 });
  expect({ samples: latencyBasis.samples, caveats }).toEqual({ samples: 1000, caveats: [] });
});

test("where a tool gives no histogram there is no percentile, and the result says why", () => {
  const { latencyMs, caveats } = mergedResult([fast, untold]);
  expect({ p50: latencyMs.p50, p99: latencyMs.p99, max: latencyMs.max, caveats }).toEqual({
    ...{ p50: null, p99: null, max: 60 },
    caveats: ["not-merged"],
  });
});

test("what only one of them states is stated of none", () => {
  expect(
    mergedResult([
      { ...fast, attempts: 900, dropped: 0 },
      { ...slow, dropped: 3 },
    ]),
  ).toMatchObject({ dropped: 3 });
  expect(mergedResult([{ ...fast, attempts: 900 }, slow])).not.toHaveProperty("attempts");
});

test("one that fell behind, or lost a part of itself, is not hidden by the others", () => {
  const lost = { ...slow, overloaded: "CPU above 90 %!", processes: { asked: 2, reported: 1 } };
  expect(mergedResult([fast, lost])).toMatchObject({
    processes: { asked: 3, reported: 2 },
    overloaded: "CPU above 90 %!",
  });
});

test("results that timed different things are not one", () => {
  const other = { ...slow, latencyBasis: { ...basis, omission: "backfill" as const } };
  const refusal =
    "unparsed-output: 2 results cannot be one: they are of different tools, or their latencies mean different things. Give the outputs of one load's processes.";
  expect(() => mergedResult([fast, other])).toThrow(refusal);
  expect(() => mergedResult([fast, { ...slow, tool: { name: "other" } }])).toThrow(refusal);
});
