import type { Load, Protocol } from "../contract";
import { carryOut, steps } from ".";
import { runOf, sampleLoad } from "./sample-run";

const slow: Load = { model: "open", ratePerS: 100, maxInFlight: 10, duration: "5s" };
const fast: Load = { ...slow, ratePerS: 200 };

test("every load of the list is run once, whatever comes out", () => {
  const protocol = steps([{ load: slow, purpose: "warm-up" }, { load: slow, coolDown: "2s" }, { load: fast }]);
  const history = carryOut(protocol, sampleLoad, (step, order) => runOf(step, order, null));
  expect(history.map(({ purpose, asked }) => [purpose, asked])).toEqual([
    ["warm-up", slow],
    ["measure", slow],
    ["measure", fast],
  ]);
  expect([protocol.maxRuns, protocol.answer(history)]).toEqual([3, []]);
});

test("figures of different loads are never pooled: those of the last one answer", () => {
  const protocol = steps([{ load: fast }, { load: slow }, { load: fast }, { load: fast, purpose: "confirm" }]);
  const history = carryOut(protocol, sampleLoad, (step, order) => runOf(step, order, 100));
  expect(protocol.answer(history).map(({ order }) => order)).toEqual([1, 3]);
});

test("a protocol that wants more runs than it planned is stopped", () => {
  const endless: Protocol = {
    name: "endless",
    maxRuns: 2,
    next: (load) => ({ load, purpose: "measure" }),
    answer: (all) => all,
  };
  expect(() => carryOut(endless, sampleLoad, (step, order) => runOf(step, order, 1))).toThrow(
    "endless wants more than the 2 runs it planned",
  );
});
