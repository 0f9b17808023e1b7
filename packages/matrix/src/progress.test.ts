import { clock, Pace } from "./progress";

test("time is minutes and seconds", () => {
  expect([0, 9.4, 75, 3600].map(clock)).toEqual(["0:00", "0:09", "1:15", "60:00"]);
});

test("what is left is the load not yet sent, and what each run has taken besides", () => {
  const pace = new Pace(4, 40);
  pace.begins(0);
  expect(pace.leftS(5000)).toBe(40);
  pace.ran({ startedAt: "2026-01-01T00:00:01.000Z", endedAt: "2026-01-01T00:00:11.000Z" });
  // 12 s for a run of 10 s: three more of these.
  expect(pace.leftS(12_000)).toBeCloseTo(36);
  expect(pace.done).toBe(1);
});

test("what goes on side by side takes its share of the time", () => {
  const pace = new Pace(4, 40, 2);
  pace.begins(0);
  const run = { startedAt: "2026-01-01T00:00:01.000Z", endedAt: "2026-01-01T00:00:11.000Z" };
  pace.ran(run);
  pace.ran(run);
  // Two runs of 10 s in 12 s, side by side: the other two take as long.
  expect(pace.leftS(12_000)).toBeCloseTo(12);
});

test("nothing is left of a bench whose runs all ended", () => {
  const pace = new Pace(1, 1);
  pace.begins(0);
  pace.ran({ startedAt: "2026-01-01T00:00:00.000Z", endedAt: "2026-01-01T00:00:02.000Z" });
  expect(pace.leftS(3000)).toBe(0);
});
