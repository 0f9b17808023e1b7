import { checkLoad } from "./benchmark-plan";
import { lineOf } from "./fault";
import { askedRatePerS, inFlightBound, type Load } from "./load";

const closed = { model: "closed", connections: 8, duration: "10s" } as const;
const open = { model: "open", ratePerS: 100, maxInFlight: 20, duration: "10s" } as const;
const users = { model: "users", users: 5, duration: "10s" } as const;
const iterations = { model: "iterations", users: 5, perUser: 3 } as const;
const linesFor = (load: unknown) => checkLoad(load).map(lineOf);

test.each<Load>([closed, open, users, iterations])("a load of model $model needs no more than this", (load) =>
  expect(linesFor(load)).toEqual([]),
);

test.each<[string, unknown, readonly string[]]>([
  [
    "more threads than connections",
    { ...closed, threads: 9 },
    ["invalid-load: 9 threads cannot share 8 connections: each thread needs at least one. Give at most 8 threads."],
  ],
  [
    "no duration",
    { model: "closed", connections: 8 },
    ['invalid-load: a load of model "closed" needs a duration, such as "30s".'],
  ],
  [
    "a duration where requests are counted",
    { ...iterations, duration: "10s" },
    ['invalid-load: a load of model "iterations" ends by count; drop the duration, or use model "users".'],
  ],
  [
    "no time at all",
    { ...closed, duration: "0s" },
    ['invalid-load: a load cannot last "0s"; give more than "0s" and at most "24h".'],
  ],
  [
    "more time than anybody waits",
    { ...closed, duration: "25h" },
    ['invalid-load: a load cannot last "25h"; give more than "0s" and at most "24h".'],
  ],
  [
    "a duration without a unit",
    { ...closed, duration: "10" },
    ['invalid-load: load.duration: "10" is not a duration; write a number with a unit: "500ms", "30s", "5m", "1h".'],
  ],
  [
    "no connections",
    { ...closed, connections: 0 },
    ["invalid-load: load.connections: 0 is not a whole number from 1 to 1000000."],
  ],
  [
    "connections no machine can open, and a part of a thread",
    { ...closed, connections: 1e9, threads: 1.5 },
    [
      "invalid-load: load.connections: 1000000000 is not a whole number from 1 to 1000000.",
      "invalid-load: load.threads: 1.5 is not a whole number from 1 to 1000000.",
    ],
  ],
  ["no rate", { ...open, ratePerS: 0 }, ["invalid-load: load.ratePerS: 0 is not a number above 0."]],
  [
    "a pace that goes backwards",
    { ...closed, pacePerConnection: -1 },
    ["invalid-load: load.pacePerConnection: -1 is not a number above 0."],
  ],
  [
    "an arrival rate and a pace",
    { ...open, pacePerConnection: 3 },
    ['invalid-load: load: Unrecognized key: "pacePerConnection".'],
  ],
  [
    "users who think backwards",
    { ...users, think: { min: "2s", max: "1s" } },
    ['invalid-load: users cannot think at least "2s" and at most "1s"; give a min that is not above max.'],
  ],
  [
    "a model nobody knows",
    { model: "flood" },
    ["invalid-load: load.model: Invalid discriminator value. Expected 'closed' | 'open' | 'users' | 'iterations'."],
  ],
])("%s: one line says so", (_, load, lines) => expect(linesFor(load)).toEqual(lines));

test("in flight is what the model bounds", () => {
  expect([closed, open, users, iterations].map(inFlightBound)).toEqual([8, 20, 5, 5]);
});

test("a rate is asked for by open loads and by paced connections", () => {
  expect(askedRatePerS(closed)).toBeUndefined();
  expect(askedRatePerS({ ...closed, pacePerConnection: 1500 })).toBe(12_000);
  expect(askedRatePerS(open)).toBe(100);
  expect(askedRatePerS(users)).toBeUndefined();
});
