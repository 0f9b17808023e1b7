import type { LoadResult, Run } from "../contract";
import { cellFigures, comparable, differenceTo, type LatencyOrigin } from ".";
import { sampleLoad, sampleResult, sampleRun } from "./sample-run";

const runWith = (changes: Partial<LoadResult>, run: Partial<Run> = {}): Run =>
  sampleRun({ outcome: { result: sampleResult(changes) }, ...run });
const p99 = (value: number | null) => ({ latencyMs: { ...sampleResult().latencyMs, p99: value } });
const histogram = (...counts: [number, number][]) => ({ unit: "us" as const, counts });

test("the rate is a mean with its t-interval, the P99 a median with its order-statistic interval", () => {
  const runs = [10, 40, 20, 30, 60, 500].map((value, index) => runWith({ rps: 1000 + index, ...p99(value) }));
  const figures = cellFigures(runs);
  expect(figures.rps).toBe(1002.5);
  expect(figures.intervals.rps![0]).toBeCloseTo(1002.5 - 1.963, 3);
  expect([figures.p99Ms, figures.intervals.p99Ms]).toEqual([35, [10, 500]]);
});

test("below six runs the P99 has no interval", () => {
  expect(cellFigures([1, 2, 3, 4, 5].map((value) => runWith(p99(value)))).intervals.p99Ms).toBeNull();
});

test("no runs, no figures", () => {
  expect(cellFigures([])).toEqual({
    rps: null,
    p99Ms: null,
    tlsTps: null,
    intervals: { rps: null, p99Ms: null, tlsTps: null },
    mergedP99Ms: null,
    cpuMicrosPerRequest: null,
  });
});

test("a figure one run does not state is not the cell's: it would be one of the runs that went well", () => {
  const runs = [
    runWith(p99(5), { tlsTps: 900, cpuMicrosPerRequest: 20 }),
    runWith(p99(null), { cpuMicrosPerRequest: 30 }),
  ];
  expect(cellFigures(runs)).toMatchObject({ p99Ms: null, tlsTps: null, cpuMicrosPerRequest: 25 });
});

test("the P99 of all latencies together stands beside the median, from histograms of every run", () => {
  const quick = runWith({ histogram: histogram([1000, 9900]) });
  const slow = runWith({ histogram: histogram([50_000, 200]) });
  expect(cellFigures([quick, slow]).mergedP99Ms).toBeCloseTo(50, 2);
  expect(cellFigures([quick, slow, runWith({})]).mergedP99Ms).toBeNull();
});

const basis = sampleResult().latencyBasis;
const paced: LatencyOrigin = { load: { ...sampleLoad, pacePerConnection: 20 } as never, latencyBasis: basis };

test("latencies of one kind at one offered rate are comparable, whatever the model", () => {
  const open: LatencyOrigin = {
    load: { model: "open", ratePerS: 1000, maxInFlight: 99, duration: "5s" },
    latencyBasis: { ...basis, samples: 7, resolutionMs: 0.1 },
  };
  expect(comparable(paced, open)).toEqual({ comparable: true });
});

test.each([
  [{ includes: { ...basis.includes, tls: true } }, "their latencies differ in the TLS handshake"],
  [{ includes: { ...basis.includes, connect: true } }, "their latencies differ in connecting"],
  [{ includes: { ...basis.includes, queue: true } }, "their latencies differ in waiting for a connection"],
  [{ population: "2xx" as const }, "their latencies differ in the requests timed"],
  [{ omission: "backfill" as const }, "their latencies differ in the treatment of omissions"],
])("latencies that are not the same quantity are not compared: %j", (change, reason) => {
  expect(comparable(paced, { ...paced, latencyBasis: { ...basis, ...change } })).toEqual({ comparable: false, reason });
});

test("P99 ranks only at equal offered rate", () => {
  const unpaced = { ...paced, load: sampleLoad };
  const reason = "a closed load without a rate: P99 ranks only at equal offered rate";
  expect(comparable(unpaced, unpaced)).toEqual({ comparable: false, reason });
  const faster = { ...paced, load: { ...sampleLoad, pacePerConnection: 40 } as never };
  expect(comparable(paced, faster)).toEqual({ comparable: false, reason: "1000 and 2000 requests/s were offered" });
  const closing = { ...paced, load: { ...paced.load, connection: "per-request" as const } };
  expect(comparable(paced, closing)).toMatchObject({ comparable: false });
});

test("the difference to the baseline is a ratio of rates, and of latency only where it is comparable", () => {
  const [path, gateway] = [runWith({ rps: 2000, ...p99(3) }), runWith({ rps: 500, ...p99(10) })].map((run) =>
    cellFigures([run]),
  );
  expect(differenceTo(path!, gateway!, { comparable: true })).toEqual({
    rpsRatio: 0.25,
    tlsTpsRatio: null,
    addedP99Ms: 7,
  });
  expect(differenceTo(path!, gateway!, { comparable: false, reason: "" }).addedP99Ms).toBeNull();
});
