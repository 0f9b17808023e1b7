import { describeWarning, resolveScenario, type Load, type LoadResult, type Scenario, type Warning } from "../contract";
import { runWarnings, type RunFacts } from ".";
import { sampleFacts, sampleLoad, sampleResult, sampleUsage } from "./sample-run";

const warningsOf = (changes: Partial<RunFacts>): readonly Warning[] => runWarnings(sampleFacts(changes));
const codesOf = (changes: Partial<RunFacts>) => warningsOf(changes).map(({ code, cap }) => `${code} ${cap}`);
const result = (changes: Partial<LoadResult>): LoadResult => sampleResult(changes);
const scenario = (changes: Partial<Scenario>) => resolveScenario({ name: "changed", ...changes });
const { hosts: separate, counters } = sampleFacts();
const [upstreamHost, gatewayHost, generatorHost] = separate as [
  (typeof separate)[0],
  (typeof separate)[0],
  (typeof separate)[0],
];

test("a clean run on machines of its own has no warnings", () => {
  expect(warningsOf({})).toEqual([]);
});

test("a clean saturating run on one shared machine has nothing invalid", () => {
  const roles = ["upstream", "gateway", "generator"];
  const tool = { name: "wrk", role: "generator", cores: 2, cpuS: 20, memoryBytes: 1 };
  const worker = { name: "nginx", role: "gateway", cores: 1, cpuS: 24, memoryBytes: 1 };
  const shared = sampleUsage({
    host: "local",
    roles,
    cpuFraction: 1,
    busiestCpuFraction: 1,
    workloads: [tool, worker],
  });
  expect(codesOf({ hosts: [shared], workers: 1 })).toEqual(["host-saturated indicative"]);
});

test("a lost upstream is a finding where limits are sought, and elsewhere figures of fewer servers", () => {
  const lost = [{ name: "upstream-2", reason: "connect ECONNREFUSED 10.0.0.2:8080", oneOf: 2 }];
  expect(codesOf({ lost, purpose: "breaking-point" })).toEqual(["upstream-lost sound"]);
  for (const purpose of ["capacity", "at-rate"] as const)
    expect(codesOf({ lost, purpose })).toEqual(["upstream-lost invalid"]);
  expect(warningsOf({ lost }).map(describeWarning)).toEqual([
    "upstream-2, one of 2 upstreams, ended under the load (connect ECONNREFUSED 10.0.0.2:8080): its requests failed or went to the others. Start it anew by destroy and up, or up with --replace for its workload.",
  ]);
});

describe("three counters agree", () => {
  const counted = (gateway: number, upstream: number) => ({
    gateway: { requests: gateway, connections: 50 },
    upstream: { requests: upstream, connections: 50 },
  });

  test("what was in flight may differ, one more may not", () => {
    expect(codesOf({ counters: counted(30_050, 30_000) })).toEqual([]);
    expect(warningsOf({ counters: counted(30_051, 30_051) })).toEqual([
      expect.objectContaining({
        code: "counts-disagree",
        cap: "invalid",
        evidence: { between: "generator and gateway", left: 30_000, right: 30_051, allowed: 50 },
      }),
    ]);
  });

  test("a cache shows as fewer requests at the upstream, a repeated request as more", () => {
    for (const upstream of [29_900, 30_100]) {
      expect(warningsOf({ counters: counted(30_000, upstream) })[0]).toMatchObject({
        code: "counts-disagree",
        evidence: { between: "gateway and upstream", left: 30_000, right: upstream, allowed: 50 },
      });
    }
  });

  test("a gateway that counts nothing is not held against it while the upstream agrees", () => {
    const seen = (upstream: number) => codesOf({ counters: { upstream: { requests: upstream, connections: 50 } } });
    expect(seen(30_020)).toEqual(["counters-missing sound"]);
    expect(seen(20_000)).toEqual(["counts-disagree invalid", "counters-missing sound"]);
  });

  test("without the upstream's count a cache would stay unseen", () => {
    expect(codesOf({ counters: { gateway: counters!.gateway! } })).toEqual(["counters-missing indicative"]);
  });

  test("requests that failed on the way may or may not have been counted", () => {
    const lost = (errors: Record<string, number>) =>
      codesOf({
        result: result({ responses: 29_930, statuses: { "200": 29_930 }, errors }),
        counters: counted(30_000, 30_000),
      });
    expect(lost({})).toContain("counts-disagree invalid");
    expect(lost({ timeout: 25 })).not.toContain("counts-disagree invalid");
    expect(lost({ connect: 25 })).toContain("counts-disagree invalid");
  });

  test.each(["429", "401"])("what the gateway refused with %s did not reach the upstream", (code) => {
    const policy = scenario({ auth: "key", rateLimit: { requests: 5, per: "1s", scope: "gateway", store: "local" } });
    const refused = result({ statuses: { "200": 10_000, [code]: 20_000 } });
    const statuses = codesOf({ scenario: policy, result: refused, counters: counted(30_000, 10_010) });
    expect(statuses.filter((seen) => seen.startsWith("counts"))).toEqual([]);
    const passedOn = codesOf({ scenario: policy, result: refused, counters: counted(30_000, 30_000) });
    expect(passedOn).toContain("counts-disagree invalid");
  });

  test("a failure may have been made on either side of the gateway", () => {
    const failed = result({ statuses: { "200": 29_990, "502": 10 } });
    for (const upstream of [29_940, 30_050])
      expect(codesOf({ result: failed, counters: counted(30_000, upstream) })).toEqual([]);
    expect(codesOf({ result: failed, counters: counted(30_000, 29_930) })).toEqual(["counts-disagree invalid"]);
  });

  test("where a tool stopped counting statuses the gateway's tell what was refused", () => {
    const limited = scenario({ rateLimit: { requests: 5, per: "1s", scope: "gateway", store: "local" } });
    const capped = result({ statuses: { "200": 900, "429": 100 } });
    const gateway = { requests: 30_000, connections: 50, statuses: { "2xx": 10_000, "429": 20_000 } };
    const seen = (upstream: number) =>
      codesOf({
        scenario: limited,
        result: capped,
        counters: { gateway, upstream: { requests: upstream, connections: 9 } },
      });
    expect(seen(10_000)).toEqual([]);
    expect(seen(9_000)).toEqual(["counts-disagree invalid"]);
  });

  test("a tool that leaves out the ramp counted less, never more", () => {
    const asked: Load = { model: "users", users: 50, duration: "30s", measureFrom: "after-ramp" };
    expect(codesOf({ asked, counters: counted(35_000, 35_000) })).toEqual([]);
    expect(codesOf({ asked, counters: counted(29_000, 29_000) })).toContain("counts-disagree invalid");
  });

  test("what was refused during a ramp the tool left out is known from the gateway", () => {
    const asked: Load = { model: "users", users: 50, duration: "30s", measureFrom: "after-ramp" };
    const limited = scenario({ rateLimit: { requests: 5, per: "1s", scope: "gateway", store: "local" } });
    const gateway = { requests: 50_000, connections: 50, statuses: { "2xx": 20_000, "429": 30_000 } };
    const counted = { gateway, upstream: { requests: 20_000, connections: 50 } };
    const seen = result({ statuses: { "200": 10_000, "429": 20_000 } });
    expect(codesOf({ asked, scenario: limited, result: seen, counters: counted })).toEqual([]);
  });

  test("without a gateway, generator and upstream are held against each other", () => {
    const seen = (requests: number) =>
      warningsOf({ isBaseline: true, purpose: "ceiling", counters: { upstream: { requests, connections: 50 } } });
    expect(seen(30_050)).toEqual([]);
    expect(seen(30_051)[0]).toMatchObject({ evidence: { between: "generator and upstream" } });
  });
});

describe("statuses agree", () => {
  const withStatuses = (ours: Record<string, number>, gateway: Record<string, number>) =>
    warningsOf({
      result: result({ statuses: ours, caveats: [] }),
      scenario: scenario({ rateLimit: { requests: 5, per: "1s", scope: "gateway", store: "local" } }),
      counters: {
        gateway: { requests: 30_000, connections: 50, statuses: gateway },
        upstream: { requests: ours["200"] ?? 25_000, connections: 9 },
      },
    }).filter(({ code }) => code === "statuses-disagree");

  test("codes and classes are held against each other as exactly as both can tell", () => {
    const codes = { "200": 25_000, "429": 5_000 };
    expect(withStatuses(codes, { "2xx": 25_000, "429": 5_000 })).toEqual([]);
    expect(withStatuses(codes, { "2xx": 25_051, "429": 5_000 })).toHaveLength(1);
    expect(withStatuses(codes, { "4xx": 4_000 })).toHaveLength(1);
    expect(withStatuses({ "2xx-3xx": 25_000, "4xx-5xx": 5_000 }, { "2xx": 25_000, "429": 4_000 })).toEqual([]);
    expect(withStatuses({ "2xx-3xx": 25_000, "4xx-5xx": 5_000 }, { "429": 5_100 })).toHaveLength(1);
  });

  test("a status the gateway sent and nobody received disagrees; one it does not count does not", () => {
    expect(withStatuses({ "200": 30_000 }, { "503": 51 })[0]).toMatchObject({
      cap: "invalid",
      evidence: { between: "generator and gateway", status: "503", left: 0, right: 51, allowed: 50 },
    });
    expect(withStatuses({ "200": 25_000, "429": 5_000 }, { "2xx": 25_000 })).toEqual([]);
  });

  test("a tool that stopped counting is not held to its statuses", () => {
    expect(withStatuses({ "200": 1_000 }, { "2xx": 30_000 })).toEqual([]);
  });
});

describe("errors", () => {
  const failing = (errors: Record<string, number>, statuses: Record<string, number> = { "200": 30_000 }) => ({
    result: result({ errors, statuses, responses: Object.values(statuses).reduce((sum, count) => sum + count, 0) }),
    counters: undefined as never,
  });
  const errorsOf = (changes: Partial<RunFacts>) => warningsOf(changes).filter(({ code }) => code === "errors");

  test("0.1 % of transport errors and failed answers are allowed, more make a figure indicative, 1 % invalid", () => {
    expect(errorsOf(failing({ timeout: 30 }))).toEqual([]);
    expect(errorsOf(failing({ timeout: 20 }, { "200": 29_980, "503": 20 }))).toEqual([
      expect.objectContaining({
        cap: "indicative",
        evidence: { fraction: 40 / 30_020, allowed: 0.001, kinds: "timeout 20, 503 20" },
      }),
    ]);
    expect(errorsOf(failing({ reset: 400 }))[0]!.cap).toBe("invalid");
  });

  test("what a rate limit refuses is no error; what nothing asked for is", () => {
    const limited = scenario({ rateLimit: { requests: 5, per: "1s", scope: "gateway", store: "local" } });
    const refused = failing({}, { "200": 100, "429": 900 });
    expect(errorsOf({ ...refused, scenario: limited })).toEqual([]);
    expect(errorsOf(refused)[0]!.cap).toBe("invalid");
    expect(errorsOf({ ...failing({}, { "404": 100 }), scenario: limited })[0]!.cap).toBe("invalid");
  });

  test("a generator without ports or files did not send what was asked, whatever the purpose", () => {
    for (const kind of ["ports", "files"]) {
      expect(errorsOf({ ...failing({ [kind]: 1 }), purpose: "breaking-point" })[0]).toMatchObject({ cap: "invalid" });
    }
  });

  test("one refused connection is missing for the rest of the run", () => {
    expect(errorsOf(failing({ connect: 1 }))[0]).toMatchObject({ cap: "indicative", evidence: { allowed: 0 } });
  });

  test("where the breaking point is sought errors are a finding", () => {
    expect(errorsOf({ ...failing({ timeout: 9_000 }), purpose: "breaking-point" })[0]).toMatchObject({ cap: "sound" });
  });
});

describe("the rate asked for", () => {
  const asked: Load = { model: "open", ratePerS: 1000, maxInFlight: 50, duration: "30s" };
  const sent = (responses: number, changes: Partial<RunFacts> = {}) =>
    codesOf({
      asked,
      result: result({ responses, statuses: { "200": responses } }),
      counters: undefined as never,
      ...changes,
    }).filter((seen) => /rate|dropped/.test(seen));
  const idle = { ...gatewayHost, cpuFraction: 0.2, workloads: [{ ...gatewayHost.workloads[0]!, cpuS: 20 }] };

  test("99 % of it are enough", () => {
    expect([sent(29_700), sent(29_699)]).toEqual([[], ["rate-missed indicative"]]);
  });

  test("missed by a full gateway or machine it is less sure, by the generator it is wrong", () => {
    expect(sent(20_000)).toEqual(["rate-missed indicative"]);
    expect(sent(20_000, { hosts: [idle, generatorHost] })).toEqual(["rate-missed invalid"]);
    expect(sent(20_000, { hosts: [{ ...idle, cpuFraction: 0.9 }] })).toEqual(["rate-missed indicative"]);
    expect(sent(20_000, { hosts: [{ ...gatewayHost, cpuFraction: 0.5 }] })).toEqual(["rate-missed indicative"]);
    expect(sent(20_000, { hosts: [] })).toEqual(["rate-missed indicative"]);
  });

  test("missed where limits are sought it is a finding", () => {
    for (const purpose of ["ceiling", "breaking-point"] as const) {
      expect(sent(20_000, { purpose, hosts: [idle, generatorHost] })).toEqual(["rate-missed sound"]);
    }
  });

  test("requests that failed were sent", () => {
    expect(sent(20_000, { result: result({ responses: 20_000, errors: { timeout: 9_900 } }) })).toEqual([]);
  });

  test("one iteration in a thousand may be dropped", () => {
    const dropping = (dropped: number) => sent(30_000, { result: result({ dropped, attempts: 30_000 }) });
    expect([dropping(30), dropping(31)]).toEqual([[], ["dropped indicative"]]);
  });

  test("a load without a rate misses none", () => {
    expect(sent(10, { asked: sampleLoad })).toEqual([]);
  });
});

describe("a generator that sent another load than was asked is wrong, whatever was sought", () => {
  const seen = (changes: Partial<LoadResult>) =>
    warningsOf({ result: result(changes), purpose: "breaking-point" }).map(
      (one) => `${one.cap}: ${describeWarning(one)}`,
    );

  test("it says itself that it could not keep up", () => {
    expect(seen({ overloaded: "CPU usage above 90%!" })).toEqual([
      "invalid: the generator itself could not keep up: CPU usage above 90%! Give it more CPUs or processes, or ask for less.",
    ]);
  });

  test("one of its processes did not report to the end", () => {
    expect(seen({ processes: { asked: 2, reported: 2 } })).toEqual([]);
    expect(seen({ processes: { asked: 2, reported: 1 } })).toEqual([
      "invalid: 1 of 2 processes of the generator reported to the end: part of the load, and of its figures, is missing. Look at their hosts and run it again.",
    ]);
  });

  test("it opened fewer connections than were asked for", () => {
    expect(seen({ connectionsMissing: 0 })).toEqual([]);
    expect(seen({ connectionsMissing: 14 })).toEqual([
      "invalid: 14 of 50 connections were never open, and the generator went on with fewer; raise its open files (ulimit -n), or ask for fewer connections.",
    ]);
  });
});

describe("a stall", () => {
  const open: Load = { model: "open", ratePerS: 1000, maxInFlight: 2000, duration: "30s" };
  const stalled = (max: number, changes: Partial<RunFacts> = {}, basis = {}) => {
    const { latencyMs, latencyBasis } = sampleResult();
    const given = result({ latencyMs: { ...latencyMs, max }, latencyBasis: { ...latencyBasis, ...basis } });
    return warningsOf({ result: given, ...changes }).filter(({ code }) => code === "stall-hidden");
  };

  test("that held up as many requests as a P99 is made of is told of where the load waited with it", () => {
    expect(stalled(300)).toEqual([]);
    expect(stalled(1000)).toEqual([
      expect.objectContaining({ cap: "sound", figures: ["p99Ms"], evidence: { stallMs: 1000, unsent: 938 } }),
    ]);
  });

  test("is in the figures of an open load, and of a tool that makes up for it", () => {
    expect(stalled(1000, { asked: open })).toEqual([]);
    expect(stalled(1000, {}, { omission: "backfill" })).toEqual([]);
  });
});

describe("connections", () => {
  const seen = (gateway: number, upstream: number, changes: Partial<RunFacts> = {}) =>
    warningsOf({
      counters: {
        gateway: { requests: 30_000, connections: gateway },
        upstream: { requests: 30_000, connections: upstream },
      },
      ...changes,
    }).map(({ code, evidence }) => `${code} ${"of" in evidence ? evidence.of : ""}`.trim());

  test("kept ones carry at least fifty requests each", () => {
    expect(seen(600, 600)).toEqual([]);
    expect(seen(601, 601)).toEqual(["connections-not-kept the gateway", "connections-not-kept the upstream"]);
    expect(seen(50, 30_000)).toEqual(["connections-not-kept the upstream"]);
  });

  test("each worker may hold a pool of its own to each upstream", () => {
    expect(seen(50, 50 * 16, { workers: 16 })).toEqual([]);
    expect(seen(50, 50 * 16 * 2, { workers: 16, scenario: scenario({ upstream: { count: 2 } }) })).toEqual([]);
    expect(seen(50, 50 * 16 + 1, { workers: 16 })).toEqual(["connections-not-kept the upstream"]);
  });

  test("a scenario without upstream keep-alive expects them new", () => {
    expect(seen(50, 30_000, { scenario: scenario({ upstream: { keepAlive: false } }) })).toEqual([]);
  });

  test("where each request was to have its own, fewer connections than responses are another load", () => {
    const asked: Load = { ...sampleLoad, connection: "per-request" };
    expect(seen(29_950, 50, { asked })).toEqual([]);
    expect(seen(29_949, 50, { asked })).toEqual(["connections-reused"]);
  });
});

describe("machines", () => {
  const withGenerator = (changes: Parameters<typeof sampleUsage>[0], facts: Partial<RunFacts> = {}) =>
    codesOf({ hosts: [upstreamHost, gatewayHost, { ...generatorHost, ...changes }], ...facts });

  test("a generator may use 70 % of its CPUs; more is said, above 80 % figures are indicative, never invalid", () => {
    expect(withGenerator({ cpuFraction: 0.7 })).toEqual([]);
    expect(withGenerator({ cpuFraction: 0.75 })).toEqual(["generator-busy sound"]);
    expect(withGenerator({ cpuFraction: 0.81 })).toEqual(["generator-busy indicative"]);
    expect(withGenerator({ cpuFraction: 1 }, { purpose: "ceiling" })).toEqual(["generator-busy sound"]);
  });

  test("one full CPU of the generator's machine is enough to be its limit", () => {
    expect(withGenerator({ cpuFraction: 0.13, busiestCpuFraction: 1 })).toEqual(["generator-busy indicative"]);
  });

  test("an upstream is held to the same, but where it is what is measured", () => {
    const hosts = [{ ...upstreamHost, cpuFraction: 0.9 }, gatewayHost, generatorHost];
    expect(codesOf({ hosts })).toEqual(["upstream-busy indicative"]);
    const direct = { isBaseline: true, counters: { upstream: counters!.gateway! } };
    expect(codesOf({ hosts, ...direct, purpose: "ceiling" })).toEqual([]);
  });

  test("on a shared machine only the generator's own cores tell of it", () => {
    const tool = { name: "wrk", role: "generator", cores: 1, cpuS: 27, memoryBytes: 1 };
    const shared = sampleUsage({
      roles: ["gateway", "generator"],
      cpuFraction: 0.8,
      busiestCpuFraction: 1,
      workloads: [tool],
    });
    expect(codesOf({ hosts: [shared] })).toEqual(["generator-busy indicative"]);
    expect(codesOf({ hosts: [{ ...shared, workloads: [] }] })).toEqual([]);
  });

  test("a generator nobody watched may have been what was measured", () => {
    expect(codesOf({ hosts: [upstreamHost, gatewayHost] })).toEqual(["counters-missing indicative"]);
  });

  test("more than 2 % taken away by the hypervisor is said", () => {
    expect([withGenerator({ stealFraction: 0.02 }), withGenerator({ stealFraction: 0.021 })]).toEqual([
      [],
      ["steal indicative"],
    ]);
  });

  test("a gateway whose turn it is not may use 1 % of a CPU, and what a clock cannot tell", () => {
    const durationS = 30; // Of a sample run.
    const beside = (fraction: number) => withGenerator({ idle: { "envoy-envoy": fraction * durationS } });
    expect(beside(0.01 + 0.019 / durationS)).toEqual([]);
    expect(beside(0.01 + 0.021 / durationS)).toEqual(["not-idle indicative"]);
  });

  test("traffic a network card held back is told by the card's own names", () => {
    const allowance = { bw_in_allowance_exceeded: 0, pps_allowance_exceeded: 12 };
    expect(withGenerator({ allowance: { pps_allowance_exceeded: 0 } })).toEqual([]);
    const [seen] = warningsOf({ hosts: [{ ...generatorHost, allowance }] });
    expect(seen).toMatchObject({ code: "allowance-exceeded", evidence: { by: "12 pps_allowance_exceeded" } });
  });

  test("one segment in a thousand may be sent again; more touches the P99 alone", () => {
    const tcp = (retransmittedSegments: number) => ({ tcp: { ...generatorHost.tcp, retransmittedSegments } });
    expect(withGenerator(tcp(100))).toEqual([]);
    const seen = warningsOf({ hosts: [{ ...generatorHost, ...tcp(101) }] });
    expect(seen.map(({ code, figures }) => [code, figures])).toEqual([["retransmits", ["p99Ms"]]]);
  });

  test("a full accept queue is said, and a finding where the breaking point is sought", () => {
    const overflow = { tcp: { ...generatorHost.tcp, listenOverflows: 1 } };
    expect(withGenerator(overflow)).toEqual(["accept-queue-overflow indicative"]);
    expect(withGenerator(overflow, { purpose: "breaking-point" })).toEqual(["accept-queue-overflow sound"]);
  });
});

test("percentiles of the beginning of a run are indicative; rates are not touched", () => {
  const seen = warningsOf({
    result: result({ caveats: ["sample-cap"], latencyBasis: { ...sampleResult().latencyBasis, samples: 1_000_000 } }),
  });
  expect(seen).toEqual([
    { code: "samples-capped", cap: "indicative", figures: ["p99Ms"], evidence: { cap: 1_000_000 } },
  ]);
});

test("every warning has its sentence", () => {
  const all = warningsOf({ hosts: [], counters: undefined as never, result: result({ errors: { connect: 999 } }) });
  for (const seen of all) expect(describeWarning(seen)).not.toMatch(/undefined|NaN/);
});
