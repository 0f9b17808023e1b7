import { join } from "node:path";
import type { ClosedLoad, GeneratorPlan, RequestSpec, Target } from "@gatebench/core/contract";
import { generatorLaws, type GeneratorRecording } from "@gatebench/core/laws";
import { digitSwaps, recordingsIn } from "../recordings";
import { wrk } from "./wrk";

const recordings = recordingsIn(join(__dirname, "fixtures"));
const named = (name: string) => recordings[name] as GeneratorRecording;
const planned = Object.values(recordings).filter(({ name }) => name.startsWith("planned-"));
const codes = planned.filter(({ name }) => name.endsWith("-codes"));
const pasted = ["ok-latency", "conns-not-divisible", "redirect-302"].map(named);

const request: RequestSpec = { method: "GET", path: "/1k.txt", headers: {}, expect: 200 };
const target: Target = { scheme: "http", host: "gateway.example", port: 8080, requests: [request], cpus: 4 };
const load: ClosedLoad = { model: "closed", connections: 50, duration: "30s" };

const jobOf = (plan: GeneratorPlan) => (plan.kind === "containers" ? plan.job : fail());
const fail = () => {
  throw new Error("not a plan of containers");
};
const planOf = (over: Partial<ClosedLoad> = {}, to: Partial<Target> = {}) =>
  jobOf(wrk().plan({ ...load, ...over }, { ...target, ...to }));
const scriptOf = (...args: Parameters<typeof planOf>) => planOf(...args).files?.["wrk.lua"] ?? "";
const parse = (stdout: string, given: Partial<GeneratorRecording> = {}) =>
  wrk().parse({ stdout, stderr: "", files: {}, exitCode: 0 }, given.asked);
const figuresOrNothing = (stdout: string, given?: GeneratorRecording) => {
  try {
    return parse(stdout, given);
  } catch {
    return undefined;
  }
};
/** What a person's own script printed after wrk's text is not ours to read. */
const withoutTheirs = (name: string) => named(name).output.stdout.replace(/^WRK_JSON.*\n/m, "");

describe("the laws of generators, on what we plan", () => {
  test.each(generatorLaws)("wrk $name", (law) =>
    law.check(
      wrk(),
      planned.filter(({ name }) => !name.endsWith("-codes")),
    ),
  );
  test.each(generatorLaws)("wrk with countStatuses $name", (law) => law.check(wrk({ countStatuses: true }), codes));
});

describe("the laws of generators, on what a person pastes", () => {
  const claims = "states, in some recording, everything it claims to report";
  const laws = generatorLaws.filter(({ name }) => name !== claims);
  test.each(laws)("wrk $name", (law) => law.check(wrk(), pasted));
});

describe("a plan", () => {
  test("is one readable command", () => {
    expect(planOf({ connection: "per-request" }).command.join(" ")).toBe(
      "wrk -t2 -c50 -d30s --timeout 10s --latency -H Host: gateway.example -H User-Agent: hey/0.0.1 -H Content-Type: text/plain -H Connection: close -s <gatebench:file.wrk.lua> http://gateway.example:8080/1k.txt",
    );
  });

  test("has no request function for a single request, because Lua would be called for each", () => {
    expect(scriptOf()).not.toContain("function request");
    expect(scriptOf({}, { requests: [{ ...request, method: "POST", body: '"a"\r\n\\' }] })).toContain(
      'wrk.method = "POST"\nwrk.body = "\\"a\\"\\r\\n\\\\"\n',
    );
  });

  test("sends many requests in turn, with what they share on the command line", () => {
    const requests = [1, 2].map((n) => ({
      ...request,
      path: `/${n}`,
      headers: { "x-api-key": `<gatebench:consumer-${n}.key>` },
    }));
    expect(scriptOf({}, { requests })).toContain(`local requests = {
  { method = "GET", path = "/1", headers = { ["X-Api-Key"] = "<gatebench:consumer-1.key>" } },
  { method = "GET", path = "/2", headers = { ["X-Api-Key"] = "<gatebench:consumer-2.key>" } },
}`);
    expect(planOf({}, { requests }).command).not.toContain("X-Api-Key");
  });

  test("says that nothing follows where a body is usual", () => {
    expect(scriptOf({}, { requests: [{ ...request, method: "POST" }] })).toContain('wrk.body = ""');
  });

  test("counts statuses only where asked to", () => {
    expect(scriptOf()).not.toContain("function response");
    const counting = jobOf(wrk({ countStatuses: true }).plan(load, target));
    expect(counting.files?.["wrk.lua"]).toContain("function response");
  });

  test.each([
    [50, 4, "-t2"],
    [64, 4, "-t4"],
    [53, 4, "-t1"],
    [2, 8, "-t2"],
  ])("opens all of %i connections on %i CPUs, with %s", (connections, cpus, option) => {
    expect(planOf({ connections }, { cpus }).command[1]).toBe(option);
  });

  test("refuses threads that do not divide the connections", () => {
    expect(() => planOf({ threads: 3 })).toThrow(
      "invalid-load: wrk would open 48 of 50 connections, because 3 threads do not divide them. Ask for 48 or 51 connections, or for 2 threads.",
    );
  });

  test("refuses a part of a second, which wrk cannot count", () => {
    expect(() => planOf({ duration: "1500ms" })).toThrow(
      "invalid-load: wrk counts time in whole seconds; its duration cannot be 1.5s.",
    );
  });

  test("refuses a pace", () => {
    expect(() => planOf({ pacePerConnection: 5 })).toThrow("unsupported-load: wrk cannot pace its connections.");
  });
});

describe("what it reads", () => {
  test("is exact where our script was used", () => {
    const { latencyMs, latencyBasis, bytes, histogram, durationS } = wrk().parse(named("planned-http").output);
    expect({ bytes, durationS }).toEqual({ bytes: { value: 62072512, kind: "headers+body" }, durationS: 1.001416 });
    expect(latencyMs).toEqual({
      ...{ min: 0.038, mean: 0.616097, stdev: 0.872372, max: 10.411 },
      ...{ p50: 0.334, p75: 0.518, p90: 1.458, p95: 2.331, p99: 4.316, p999: 7.995 },
    });
    expect(histogram?.counts.reduce((sum, [, count]) => sum + count, 0)).toBe(latencyBasis.samples);
  });

  test("is rounded, and says so, where a person pasted it", () => {
    const result = parse(withoutTheirs("tls-close-noresume"));
    expect(result).toEqual({
      tool: { name: "wrk" },
      durationS: 3.089773,
      responses: 4106,
      statuses: { "2xx-3xx": 4106 },
      errors: {},
      rps: 4106 / 3.089773,
      attemptsPerS: 1328.9,
      latencyMs: {
        min: null,
        mean: 3.28,
        p50: 0.9,
        p75: 4.81,
        p90: 10.28,
        p95: null,
        p99: 21.88,
        p999: null,
        max: 52.1,
        stdev: 5.02,
      },
      latencyBasis: {
        includes: { queue: false, connect: false, tls: false },
        population: "responses",
        omission: "backfill",
        resolutionMs: 0.01,
        samples: null,
      },
      caveats: ["classes-only", "resolution"],
    });
  });

  test.each([
    ["planned-backfilled", "backfilled"],
    ["planned-late", "late-responses-uncounted"],
    ["planned-hang", "no-samples"],
    ["conns-not-divisible", "floored-connections"],
  ])("warns, of %s, that it is %s", (name, caveat) => {
    expect(wrk().parse(named(name).output).caveats).toContain(caveat);
  });

  test("has no latency where there was no answer", () => {
    expect(Object.values(parse(withoutTheirs("hang-no-timeouts")).latencyMs)).toEqual(Array(10).fill(null));
  });

  test("counts a redirect as it would any answer below 400", () => {
    expect(parse(named("redirect-302").output.stdout).statuses).toEqual({ "2xx-3xx": 197621 });
  });

  test("counts as good what is expected", () => {
    const { output } = named("planned-mixed-status-codes");
    const asked = { load: { ...load, connections: 4, duration: "1s" as const }, expect: [200, 429] };
    const { rps, statuses, durationS } = wrk().parse(output, asked);
    expect(rps * durationS).toBeCloseTo((statuses["200"] ?? 0) + (statuses["429"] ?? 0));
  });

  test("includes wrk's socket errors", () => {
    expect(parse(withoutTheirs("read-errors-reset")).errors).toEqual({ read: 13021 });
  });

  test("has no histogram, and no number of samples, where reading wrk's own would have taken minutes", () => {
    const stdout = named("planned-http").output.stdout.replace(
      /"samples":\d+,"histogram":[^]*/,
      `"samples":null,"histogram":\n`,
    );
    const { histogram, latencyBasis, latencyMs } = parse(`${stdout}@gatebench null}\n`);
    expect([histogram, latencyBasis.samples, latencyMs.p99]).toEqual([undefined, null, 4.316]);
  });

  test("holds what wrk adds to make up for requests it could not send", () => {
    const { responses, latencyBasis } = wrk().parse(named("planned-backfilled").output);
    expect([responses, latencyBasis.samples]).toEqual([999, 1805]);
  });
});

describe("what it refuses", () => {
  test.each([
    ["conn-refused", "job-failed: wrk ended with exit code 1: unable to connect to 127.0.0.1:9 Connection refused"],
    ["bad-args", "job-failed: wrk ended with exit code 1: number of connections must be >= threads"],
    ["ok-done-json", 'unparsed-output: wrk: more than one run, or another tool\'s words: "WRK_JSON {"duration_us"'],
    ["mixed-status-lua-counts", "unparsed-output: wrk: more than one run, or another tool's words"],
  ])("%s", (name, message) => {
    expect(() => wrk().parse(named(name).output)).toThrow(message);
  });

  test("a run that was not the one asked for", () => {
    const { output } = named("planned-http");
    const run = (over: Partial<ClosedLoad>) => () =>
      wrk().parse(output, { load: { ...load, connections: 20, duration: "1s", ...over } });
    expect(run({})).not.toThrow();
    expect(run({ connections: 21 })).toThrow('unparsed-output: wrk: a run of other than 21 connections: "20".');
    expect(run({ duration: "2s" })).toThrow('unparsed-output: wrk: a run of other than 2 s: "1 s".');
  });

  test.each(planned)("any other number of requests, errors, statuses or samples in $name", (given) => {
    const { stdout } = given.output;
    const counts =
      /(?:"requests":|"(?:connect|read|write|status|timeout|\d{3})":|"samples":|\n {2}|(?:connect|read|timeout|responses:) )(\d{2,})\b(?! threads)/g;
    const swaps = digitSwaps(stdout, counts);
    expect(swaps.map((swapped) => figuresOrNothing(swapped, given)).filter((result) => result !== undefined)).toEqual(
      [],
    );
  });

  test("any other count of a histogram's bucket", () => {
    const given = named("planned-http");
    const swaps = digitSwaps(given.output.stdout, /\[\d+,(\d{3,})\]/g);
    expect(swaps.length).toBeGreaterThan(50);
    expect(swaps.filter((swapped) => figuresOrNothing(swapped, given) !== undefined)).toEqual([]);
  });

  test.each(pasted)(
    "any other number of requests in pasted $name, of which rate and time leave no other",
    ({ output }) => {
      const swaps = digitSwaps(output.stdout, /\n {2}(\d+) requests/g);
      const taken = swaps.map((swapped) => figuresOrNothing(swapped)).filter((result) => result !== undefined);
      expect(taken).toEqual([]);
    },
  );
});
