import type { QueriedFigure } from "../contract";
import { figureOver, type Scraping } from "./figure-over";
import type { RawSeries } from "./raw-series";
import { answering, runStartMs, series, steady, window } from "./synthetic-series";

const named = { name: "requests", unit: "requests", query: "requests_total" };
const counter: QueriedFigure = { ...named, kind: "counter" };
const gauge: QueriedFigure = { ...named, kind: "gauge" };
const median: QueriedFigure = { ...named, kind: "histogram-quantile", quantile: 0.5 };
const of = (figure: QueriedFigure, all: readonly RawSeries[], changes: Partial<Scraping> = {}) =>
  figureOver(figure, all, { ...answering, ...changes });
const from = (figure: QueriedFigure, value: (s: number) => number | undefined) => of(figure, [series(value)]);

describe("a counter", () => {
  test("counts exactly what was counted, wherever the scrapes fell", () => {
    for (const lateS of [0, 0.001, 0.5, 0.999]) {
      const ofRun = series((s) => 100 * Math.min(10, Math.max(0, s)), {}, lateS);
      expect(of(counter, [ofRun])).toEqual({ value: 1000 });
    }
  });
  test("takes its rate over the run, not over its samples", () =>
    expect(of({ ...counter, perSecond: true }, [steady(100)])).toEqual({ value: 100 }));
  test("adds all series up", () => expect(of(counter, [steady(100), steady(7)])).toEqual({ value: 1070 }));
  test("does not care what it had counted before", () =>
    expect(of(counter, [steady(100, 1e9)])).toEqual(of(counter, [steady(100)])));
  test("counts nothing of what came before the idle scrape, or after it", () =>
    expect(
      from(counter, (s) => (s < -1 ? 5 * (s + 3) : s > 11.5 ? 1000 + s : 10 + Math.min(10, Math.max(0, s)))),
    ).toEqual({
      value: 10,
    }));
  test("that stood still is zero: it is known to have counted nothing", () =>
    expect(from(counter, () => 42)).toEqual({ value: 0 }));
  test("that began anew is missing, even where it ended higher", () =>
    expect(from(counter, (s) => (s < 2 ? 500 : s * 100))).toEqual({
      missing: "requests_total fell from 500 to 225 during the run: it began to count anew",
    }));
  test("without a sample before the run is missing", () =>
    expect(from(counter, (s) => (s < 1 ? undefined : s))).toEqual({
      missing: "requests_total has no sample in the 2 s before the run",
    }));
  test("without a sample after the run is missing", () =>
    expect(from(counter, (s) => (s > 9 ? undefined : s))).toEqual({
      missing: "requests_total has no sample in the 2 s after the run",
    }));
  test("one of whose series is not known is missing as a whole", () =>
    expect(of(counter, [steady(100), series((s) => (s < 5 ? undefined : s), { code: "503" })])).toEqual({
      missing: 'requests_total{code="503"} has no sample in the 2 s before the run',
    }));
});

describe("a gauge", () => {
  test("is the mean, or the most, of what was seen inside the run alone", () => {
    const outside = (s: number) => (s < 0 || s > 10 ? 1e6 : Math.floor(s));
    expect(from(gauge, outside)).toEqual({ value: 4.5 });
    expect(from({ ...gauge, take: "max" }, outside)).toEqual({ value: 9 });
  });
  test("seen only outside the run is missing", () =>
    expect(from(gauge, (s) => (s < 0 ? 1 : undefined))).toEqual({ missing: "no samples inside the run" }));
  test("of several series is missing: nobody knows what is meant", () =>
    expect(of(gauge, [steady(1), steady(2)])).toEqual({
      missing: "the query gives 2 series; write sum(…), avg(…) or max(…) around it",
    }));
  test("that is no number is missing", () =>
    expect(from(gauge, () => NaN)).toEqual({ missing: "the query gives NaN, which is no number" }));
});

describe("a histogram's quantile", () => {
  const bounds = ["0.1", "0.2", "0.4", "+Inf"];
  /** Counts gained per second in each bucket, all below it included. */
  const buckets = (perS: readonly number[], change: (s: number) => number = (s) => s) =>
    perS.map((rate, index) => series((s) => rate * change(s), { le: bounds[index] as string }));
  const at = (quantile: number, perS: readonly number[]) =>
    of({ ...median, quantile }, buckets(perS)) as { value: number };

  test("lies within its bucket, as if latencies were spread evenly there", () => {
    expect(at(0.5, [10, 10, 20, 20]).value).toBeCloseTo(0.1, 9);
    expect(at(0.75, [10, 10, 20, 20]).value).toBeCloseTo(0.3, 9);
    expect(at(0.25, [10, 10, 20, 20]).value).toBeCloseTo(0.05, 9);
  });
  test("rises with the quantile", () => {
    const values = [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99].map((quantile) => at(quantile, [3, 11, 20, 20]).value);
    expect(values).toEqual([...values].sort((left, right) => left - right));
  });
  test("hears nothing of what came before the run or after it", () => {
    const inside = (s: number) => Math.min(9.5, Math.max(0.2, s));
    const loud = (s: number) => inside(s) + (s < 0 ? 0 : s > 10 ? 1e6 : 100);
    const quiet = buckets([10, 15, 20, 20], inside);
    expect((of(median, buckets([10, 15, 20, 20], loud)) as { value: number }).value).toBeCloseTo(
      (of(median, quiet) as { value: number }).value,
      9,
    );
  });
  test("is the same of two instances of half the traffic each", () =>
    expect(of(median, [...buckets([5, 6, 10, 10]), ...buckets([5, 6, 10, 10])])).toEqual(
      of(median, buckets([10, 12, 20, 20])),
    ));
  test("above the largest bound is missing, not that bound", () =>
    expect(at(0.9, [1, 1, 1, 20])).toEqual({ missing: "it lies above 0.4, the largest bound of the histogram" }));
  test("of nothing observed is missing", () =>
    expect(at(0.5, [0, 0, 0, 0])).toEqual({ missing: "the histogram observed nothing inside the run" }));
  test("of a counter is missing", () =>
    expect(of(median, [steady(1)])).toEqual({
      missing: 'requests_total{code="200"} is no bucket: it has no bound in its label le',
    }));
  test("of a histogram that began anew is missing", () =>
    expect(
      of(
        median,
        buckets([1, 2, 3, 3], (s) => (s < 5 ? 50 : s)),
      ),
    ).toEqual({
      missing: 'requests_total{le="0.1"} fell during the run: it began to count anew',
    }));
  test("without its last bucket is missing", () =>
    expect(of(median, buckets([1, 2, 3]))).toEqual({
      missing: 'the histogram has no bucket without an upper bound (le="+Inf")',
    }));
});

describe.each([
  ["counter", counter],
  ["gauge", gauge],
  ["quantile", median],
] as const)("a %s is missing", (_, figure) => {
  const missing = (reason: string) => ({ missing: reason });
  test("without samples", () =>
    expect([of(figure, []), of(figure, [{ labels: {}, samples: [] }])]).toEqual(
      Array(2).fill(missing("no samples: nothing that was scraped matches the query")),
    ));
  test("where the run is shorter than two scrapes", () =>
    expect(of(figure, [steady(1)], { window: { startMs: runStartMs, endMs: runStartMs + 1500 } })).toEqual(
      missing("the run lasted 1.5 s, less than two scrapes 1 s apart"),
    ));
  test("where its target was down at a scrape", () =>
    expect(of(figure, [steady(1)], { up: { "gateway-envoy": [series((s) => (s > 4 && s < 6 ? 0 : 1))] } })).toEqual(
      missing("gateway-envoy did not answer 2 of 12 scrapes"),
    ));
  test("where its target was not scraped at all", () =>
    expect(of(figure, [steady(1)], { up: { "gateway-envoy": [] } })).toEqual(missing("gateway-envoy was not scraped")));
  test("where Prometheus was started again during the run", () =>
    expect(
      of(figure, [steady(1)], {
        startedS: [
          [runStartMs, 1],
          [window.endMs, runStartMs / 1000 + 5],
        ],
      }),
    ).toEqual(missing("Prometheus was started again at 00:00:05, after the run had begun")));
  test("where Prometheus knows nothing of itself", () =>
    expect(of(figure, [steady(1)], { startedS: [] })).toEqual(
      missing("Prometheus has no samples of itself around the run"),
    ));
});
