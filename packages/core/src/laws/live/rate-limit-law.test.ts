import { resolveScenario, type Duration, type HttpObservation, type LiveTarget } from "../../contract";
import { enforcesRateLimit } from "./rate-limit-law";

const target: LiveTarget = {
  scheme: "http",
  host: "h",
  port: 1,
  requests: [{ method: "GET", path: "/", headers: {}, expect: 200 }],
  upstreams: [],
};
const limited = (requests: number, per: Duration, delay?: Duration) =>
  resolveScenario({
    name: "a",
    rateLimit: { requests, per, scope: "client", store: "local" },
    ...(delay ? { upstream: { delay } } : {}),
  });
const scenario = limited(100, "1s");
const flood = (good: number, refused: number, more: Partial<HttpObservation> = {}, status = 429): HttpObservation => ({
  kind: "http",
  responses: [...Array(good).fill(200), ...Array(refused).fill(status)].map((each) => ({
    status: each,
    headers: {},
    bodyBytes: 0,
  })),
  elapsedS: 0.1,
  ...more,
});
const check = (seen: HttpObservation) => enforcesRateLimit.check({ flood: seen }, scenario, target);

test("twice the limit and some is sent at once, with time before and after", () => {
  expect(enforcesRateLimit.probes(scenario, target)).toMatchObject([
    { kind: "pause", seconds: 1 },
    { kind: "http", times: 53, connections: 4, alone: true },
    { kind: "pause", seconds: 1 },
  ]);
});

test("a slow upstream is asked over more connections", () => {
  const [, probe] = enforcesRateLimit.probes(limited(100, "10s", "100ms"), target);
  expect(probe).toMatchObject({ connections: 9 });
});

test.each([
  ["too many", limited(201, "1s")],
  ["too long", limited(10, "1m")],
])("untested where it would take %s", (_, asked) => {
  expect(enforcesRateLimit.probes(asked, target)).toEqual([]);
  const { requests, per } = asked.rateLimit ?? {};
  expect(enforcesRateLimit.check({}, asked, target)).toEqual({
    verdict: "untested",
    reason: `a limit of ${requests} in ${per === "1m" ? 60 : 1} s is too high to be exceeded on purpose (at most 200 in 10 s is tried)`,
  });
});

test("held where some were refused and some were not", () => {
  expect(check(flood(101, 111))).toEqual({ verdict: "held" });
});

test("broken where none was refused", () => {
  const reason = "with a limit of 100 in 1 s, 212 requests in 0.10 s were answered with 200 (212 times)";
  expect(check(flood(212, 0))).toEqual({ verdict: "broken", reason });
});

test("broken where all were refused", () => {
  const reason = "with a limit of 100 in 1 s, all of 212 requests in 0.10 s were answered with 429 (212 times)";
  expect(check(flood(0, 212))).toEqual({ verdict: "broken", reason });
});

test("a refusal with another status is none", () => {
  expect(check(flood(101, 111, {}, 503)).verdict).toBe("broken");
});

test("untested where the requests took so long that the limit may have allowed them all", () => {
  expect(check(flood(212, 0, { elapsedS: 1.2 })).verdict).toBe("untested");
  expect(check(flood(100, 0, { error: "curl ended with 28" }))).toEqual({
    verdict: "untested",
    reason: "curl ended with 28",
  });
});
