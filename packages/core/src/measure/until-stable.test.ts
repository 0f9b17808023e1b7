import { carryOut, untilStable, type UntilStableOptions } from ".";
import { runOf, sampleLoad, sampleResult } from "./sample-run";

/** Rates of the measured runs in turn; null: that run fails. */
const measureWith = (options: UntilStableOptions, rates: readonly (number | null)[]) => {
  const protocol = untilStable(options);
  const history = carryOut(protocol, sampleLoad, (step, order) => runOf(step, order, rates[order - 2] ?? null));
  return { protocol, history, measured: history.filter(({ purpose }) => purpose === "measure").length };
};
const steady = Array.from({ length: 20 }, (_, index) => 1000 + (index % 2));
const wild = Array.from({ length: 20 }, (_, index) => 1000 + (index % 2) * 500);

test("where runs agree it stops one run after the fifth", () => {
  expect(measureWith({}, steady).measured).toBe(6);
});

test("it goes on while the interval is wide, and one run after it was first narrow", () => {
  // One run 5 % above the others: half-widths of 2.7, 2.1 and 1.7 % with five, six and seven runs.
  const oneOff = [1050, ...Array.from({ length: 19 }, () => 1000)];
  expect(measureWith({}, oneOff).measured).toBe(8);
  expect(measureWith({ relative: 0.03 }, oneOff).measured).toBe(6);
  const { protocol, history } = measureWith({ max: 7 }, oneOff);
  expect(protocol.missed!(history)).toBeUndefined();
});

test("where runs never agree it ends at its bound and says what it missed", () => {
  const { protocol, history, measured } = measureWith({ max: 8 }, wild);
  expect(measured).toBe(8);
  expect(history.length).toBe(protocol.maxRuns);
  expect(protocol.missed!(history)).toBe("the 95 % interval of rps was within ± 2 %");
});

test("failed runs count as tries and add nothing", () => {
  const { protocol, history, measured } = measureWith({}, [null, 1000, null, ...steady]);
  expect(measured).toBe(8);
  expect(protocol.answer(history)).toHaveLength(6);
});

test("where every run fails it ends", () => {
  const { protocol, history, measured } = measureWith({ max: 7 }, []);
  expect(measured).toBe(7);
  expect(protocol.answer(history)).toEqual([]);
  expect(protocol.missed!(history)).toBeDefined();
});

test("a higher bound changes none of the earlier runs", () => {
  const shape = (max: number) => measureWith({ max }, wild).history.map(({ purpose, asked }) => ({ purpose, asked }));
  expect(shape(12).slice(0, shape(7).length)).toEqual(shape(7));
});

test("the figure it watches is the one asked for", () => {
  const p99s = [10, 20, 10, 20, 10, 20, 10, 20];
  const protocol = untilStable({ figure: "p99Ms", max: 8 });
  const history = carryOut(protocol, sampleLoad, (step, order) => {
    const latencyMs = { ...sampleResult().latencyMs, p99: p99s[order - 2] ?? 10 };
    return runOf(step, order, 1000, { outcome: { result: sampleResult({ latencyMs }) } });
  });
  expect(history).toHaveLength(9);
  expect(protocol.missed!(history)).toBe("the 95 % interval of p99Ms was within ± 5 %");
});
