import type { Load, Step } from "../contract";
import { carryOut, repeat, type RepeatOptions } from ".";
import { runOf, sampleLoad } from "./sample-run";

const purposes = (options: RepeatOptions, failing: readonly number[] = []) =>
  carryOut(repeat(options), sampleLoad, (step, order) => runOf(step, order, failing.includes(order) ? null : 1000)).map(
    ({ purpose }) => purpose,
  );
const stepsOf = (options: RepeatOptions, load: Load = sampleLoad): readonly Step[] => {
  const taken: Step[] = [];
  carryOut(repeat(options), load, (step, order) => {
    taken.push(step);
    return runOf(step, order, 1000);
  });
  return taken;
};

test("one warm-up is discarded, then five runs are measured", () => {
  expect(purposes({})).toEqual(["warm-up", "measure", "measure", "measure", "measure", "measure"]);
  expect(repeat().maxRuns).toBe(6);
});

test("the warm-up is short, and never longer than the load unless asked", () => {
  const warmUpOf = (options: RepeatOptions, load: Load = sampleLoad) => stepsOf({ runs: 1, ...options }, load)[0]!.load;
  expect(warmUpOf({}).duration).toBe("15s");
  expect(warmUpOf({}, { ...sampleLoad, duration: "3s" }).duration).toBe("3s");
  expect(warmUpOf({ warmUp: "2m" }).duration).toBe("2m");
});

test("a load that ends by count warms up as it is", () => {
  const load: Load = { model: "iterations", users: 50, perUser: 100 };
  expect(stepsOf({ runs: 1, warmUp: "5s" }, load)[0]).toEqual({ load, purpose: "warm-up" });
});

test("without a warm-up every run is measured", () => {
  expect(purposes({ runs: 2, warmUp: false })).toEqual(["measure", "measure"]);
});

test("there is idle time before every run but the first", () => {
  expect(stepsOf({ runs: 2 }).map(({ coolDown }) => coolDown)).toEqual([undefined, "10s", "10s"]);
  expect(stepsOf({ runs: 2, warmUp: false, coolDown: "3s" }).map(({ coolDown }) => coolDown)).toEqual([
    undefined,
    "3s",
  ]);
});

test("a failed run counts as a try, is not made up for, and is no answer", () => {
  expect(purposes({ runs: 3 }, [1, 3])).toEqual(["warm-up", "measure", "measure", "measure"]);
  const history = carryOut(repeat({ runs: 3 }), sampleLoad, (step, order) =>
    runOf(step, order, order === 3 ? null : 1),
  );
  expect(
    repeat()
      .answer(history)
      .map(({ order }) => order),
  ).toEqual([2, 4]);
});

test("more runs change none of the earlier ones", () => {
  expect(stepsOf({ runs: 8 }).slice(0, 4)).toEqual(stepsOf({ runs: 3 }));
});
