import {
  resolveScenario,
  type CounterPage,
  type LiveTarget,
  type Observations,
  type UpstreamBehaviour,
} from "../../contract";
import { asksUpstreamEveryTime, keepsUpstreamConnections, reachesEveryUpstream, splitsEvenly } from "./upstream-laws";

const values = { requests: "", connections: "" };
const page: CounterPage = { port: 9, path: "/status", values, adds: { requests: 1, connections: 1 } };
const log: CounterPage = { port: 9, path: "/failures", statusLines: "", adds: { requests: 1, connections: 1 } };
const target: LiveTarget = {
  scheme: "http",
  host: "h",
  port: 1,
  requests: [{ method: "GET", path: "/", headers: {}, expect: 200 }],
  upstreams: ["Up-1", "up-2"],
  upstreamCounters: [{ host: "u", pages: [page, log] }],
};
const scenario = (upstream: UpstreamBehaviour, balancing?: "least-connections") =>
  resolveScenario({ name: "a", upstream, ...(balancing ? { balancing } : {}) });
const one = scenario({});
const two = scenario({ count: 2 });

/** So many good answers from each upstream, and what the counters grew by, one reading included. */
const seen = (answers: readonly number[], grown: { requests?: number; connections?: number } = {}): Observations => ({
  repeated: {
    kind: "http",
    responses: answers.flatMap((count, index) =>
      Array(count).fill({ status: 200, headers: { "x-upstream": `up-${index + 1}` }, bodyBytes: 0 }),
    ),
    elapsedS: 0,
  },
  "counters-before": { kind: "counters", counted: { requests: 100, connections: 10 } },
  "counters-after": {
    kind: "counters",
    counted: { requests: 101 + (grown.requests ?? 0), connections: 11 + (grown.connections ?? 0) },
  },
});
const limited: Observations = {
  ...seen([]),
  repeated: { kind: "http", responses: Array(16).fill({ status: 429, headers: {}, bodyBytes: 0 }), elapsedS: 0 },
};

describe("balancing", () => {
  test("is looked at where there are several upstreams, evenness where it is asked for", () => {
    const asked = [one, two, scenario({ count: 2 }, "least-connections")];
    expect(asked.map((each) => reachesEveryUpstream.appliesTo(each))).toEqual([false, true, true]);
    expect(asked.map((each) => splitsEvenly.appliesTo(each))).toEqual([false, true, false]);
  });
  test.each([
    [[16, 16], "held"],
    [[12, 20], "held"],
    [[11, 21], "broken"],
    [[0, 32], "broken"],
  ] as const)("a split of %j is %s", (answers, verdict) => {
    expect(splitsEvenly.check(seen(answers), two, target).verdict).toBe(verdict);
  });
  test("an upstream that never answers is named", () => {
    expect(reachesEveryUpstream.check(seen([31, 1]), two, target)).toEqual({ verdict: "held" });
    expect(reachesEveryUpstream.check(seen([32]), two, target)).toEqual({
      verdict: "broken",
      reason: "Up-1 answered 32, up-2 answered 0; up-2 never answered",
    });
  });
  test("answers from nobody known break it", () => {
    const unnamed = { ...target, upstreams: ["a", "b"] };
    expect(reachesEveryUpstream.check(seen([16, 16]), two, unnamed).verdict).toBe("broken");
  });
  test("untested without names, and without good answers", () => {
    expect(splitsEvenly.check(seen([16, 16]), two, { ...target, upstreams: [] }).verdict).toBe("untested");
    expect(splitsEvenly.check(limited, two, target)).toEqual({
      verdict: "untested",
      reason: "only 0 requests had a good answer: statuses were 429 (16 times)",
    });
  });
  test("untested where no gateway stands before them", () => {
    const reason = "no gateway stands before the upstreams";
    expect(reachesEveryUpstream.check(seen([32]), two, { ...target, direct: true })).toEqual({
      verdict: "untested",
      reason,
    });
  });
  test("slow or large answers are asked for less often", () => {
    const times = [two, scenario({ count: 2, delay: "50ms" }), scenario({ count: 2, responseBytes: 2_000_000 })].map(
      (each) => reachesEveryUpstream.probes(each, target).find(({ kind }) => kind === "http"),
    );
    expect(times).toMatchObject([{ times: 32 }, { times: 8 }, { times: 8 }]);
  });
});

describe("keeps its connections to the upstream as asked", () => {
  const check = (connections: number, keepAlive = true, aim = target) =>
    keepsUpstreamConnections.check(seen([16], { connections }), scenario({ keepAlive }), aim);

  test.each([0, 1, 8])("held where %s were opened for 16 requests", (connections) => {
    expect(check(connections)).toEqual({ verdict: "held" });
  });
  test("broken where each request has its own though they were to be kept", () => {
    expect(check(16)).toEqual({
      verdict: "broken",
      reason: "16 connections to the upstream opened for 16 requests, though they were to be kept",
    });
  });
  test("the other way round where none is to be kept", () => {
    expect(check(16, false)).toEqual({ verdict: "held" });
    expect(check(1, false)).toEqual({
      verdict: "broken",
      reason: "1 connection to the upstream opened for 16 requests, though each request was to have its own",
    });
  });
  test("nothing is asked where there is no gateway", () => {
    expect(check(1, false, { ...target, direct: true })).toEqual({ verdict: "held" });
  });
  test("untested where the upstream does not count, or too few requests came through", () => {
    const uncounted = { ...target, upstreamCounters: undefined };
    expect(check(16, true, uncounted)).toEqual({ verdict: "untested", reason: "the upstream counts nothing" });
    expect(keepsUpstreamConnections.check(limited, one, target).verdict).toBe("untested");
  });
});

describe("asks the upstream every time", () => {
  const check = (requests: number) => asksUpstreamEveryTime.check(seen([16], { requests }), one, target);

  test("held where every request reached the upstream", () => {
    expect(check(16)).toEqual({ verdict: "held" });
  });
  test.each([1, 15])("broken where only %s of 16 did", (requests) => {
    const reason = `16 requests were answered and only ${requests} of them reached the upstream`;
    expect(check(requests)).toEqual({ verdict: "broken", reason });
  });
  test("untested where the counters could not be read, or do not count this", () => {
    const failed = {
      ...seen([16]),
      "counters-after": { kind: "counters" as const, counted: {}, error: "curl ended with 7" },
    };
    expect(asksUpstreamEveryTime.check(failed, one, target)).toEqual({
      verdict: "untested",
      reason: "curl ended with 7",
    });
    const silent = { ...seen([16]), "counters-after": { kind: "counters" as const, counted: {} } };
    expect(asksUpstreamEveryTime.check(silent, one, target).verdict).toBe("untested");
  });
  test("pages that count nothing are not read", () => {
    const [before] = asksUpstreamEveryTime.probes(one, target);
    expect(before).toMatchObject({ name: "counters-before", sources: [{ host: "u", pages: [page] }] });
  });
});
