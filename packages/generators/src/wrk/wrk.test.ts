import { join } from "node:path";
import type { ClosedLoad, GeneratorPlan, RequestSpec, Target } from "@gatebench/core/contract";
import { fuzzGenerator, generatorLaws, type GeneratorRecording } from "@gatebench/core/laws";
import { digitSwaps, recordingsIn } from "../recordings";
import { sealOf } from "../sealed";
import { wrk } from "./wrk";

/**
 * What wrk's text says once: each latency; the errors; the rate and the time, which only together must leave a whole
 * number of microseconds.
 */
const saidOnce =
  /(?<=Latency +)\d.*|(?<=\d\d% +)[\d.]+|(?<=Requests\/sec: +)[\d.]+|\d+(?= requests in)|(?<=requests in )[\d.]+|(?<=Socket errors: ).*|(?<=responses: )\d+|\d+(?= threads)|(?<=and )\d+(?= connections)/g;
const pastedNames = ["ok-latency", "conns-not-divisible", "redirect-302", "ok-done-json", "mixed-status-lua-counts"];
const recordings = recordingsIn(
  join(__dirname, "fixtures"),
  Object.fromEntries(pastedNames.map((name) => [name, saidOnce])),
);
const named = (name: string) => recordings[name] as GeneratorRecording;
const planned = Object.values(recordings).filter(({ name }) => name.startsWith("planned-"));
const scripted = planned.filter(({ name }) => name === "planned-script");
const classes = planned.filter(({ name }) => !name.endsWith("-codes") && name !== "planned-script");
const codes = planned.filter(({ name }) => name.endsWith("-codes"));
const pasted = pastedNames.map(named);

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
/** The same run, had our script said something else. */
const resealed = (name: string, change: (text: string) => string) => {
  const lines = named(name).output.stdout.split("\n");
  const [announced = "", ...said] = lines.filter((line) => line.startsWith("@gatebench "));
  const text = change(said.map((line) => line.replace("@gatebench ", "")).join(""));
  const theirs = lines.filter((line) => !line.startsWith("@gatebench"));
  return [announced, ...theirs, `@gatebench ${text}`, `@gatebench-seal ${sealOf(text)}`, ""].join("\n");
};
/** What a person's own script printed after wrk's text is not ours to read. */
const withoutTheirs = (name: string) => named(name).output.stdout.replace(/^WRK_JSON.*\n/m, "");

describe("the laws of generators, on what we plan", () => {
  test.each(generatorLaws)("wrk $name", (law) => law.check(wrk(), classes));
  test.each(generatorLaws)("wrk with countStatuses $name", (law) => law.check(wrk({ countStatuses: true }), codes));
  // A user's script may print what it likes.
  const others = generatorLaws.filter(({ name }) => !name.includes("another tool's words"));
  test.each(others)("wrk with a script $name", (law) => law.check(wrk({ script: "-- theirs" }), scripted));
});

describe("the laws of generators, on what a person pastes", () => {
  const claims = "states, in some recording, everything it claims to report";
  const laws = generatorLaws.filter(({ name }) => name !== claims);
  test.each(laws)("wrk $name", (law) => law.check(wrk(), pasted));
});

const fuzzing = { seed: 1, count: Number(process.env.GATEBENCH_FUZZ ?? 300) };
test.each([
  ["planned", wrk(), classes],
  ["planned with statuses counted", wrk({ countStatuses: true }), codes],
  ["planned with a script", wrk(), scripted],
])("outputs %s and changed at random are refused, or read as they were", (_, adapter, given) =>
  fuzzGenerator(adapter, given, fuzzing),
);
// One by one: nothing in wrk's text tells which run its heading belongs to.
test.each(pasted)("$name, pasted and changed at random, is refused, or read as it was", (given) =>
  fuzzGenerator(wrk(), [given], fuzzing),
);

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

  test("with a user's script loads it, and calls what it defines", () => {
    const job = jobOf(wrk({ script: "function done() end" }).plan(load, target));
    expect(job.files?.["user.lua"]).toBe("function done() end");
    expect(job.files?.["wrk.lua"]).toContain(`local isLoaded, why = pcall(dofile, "<gatebench:file.user.lua>")
-- wrk itself would go on without, and send another load than the one asked for.
if not isLoaded then
  io.stderr:write("the script was not loaded: " .. tostring(why) .. "\\n")
  os.exit(1)
end
`);
  });

  test("with a user's script refuses many requests, because the script says what is sent", () => {
    expect(() => wrk({ script: "" }).plan(load, { ...target, requests: [request, request] })).toThrow(
      "unsupported-request: wrk sends one request over and over",
    );
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
    expect({ bytes, durationS }).toEqual({ bytes: { value: 69614800, kind: "headers+body" }, durationS: 1.099911 });
    expect(latencyMs).toEqual({
      ...{ min: 0.088, mean: 0.402503, stdev: 0.137734, max: 4.29 },
      ...{ p50: 0.383, p75: 0.429, p90: 0.484, p95: 0.525, p99: 0.631, p999: 2.523 },
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
    const stdout = resealed("planned-http", (text) =>
      text.replace(/"samples":\d+,"histogram":[^]*/, '"samples":null,"histogram":null}'),
    );
    const { histogram, latencyBasis, latencyMs } = parse(stdout);
    expect([histogram, latencyBasis.samples, latencyMs.p99]).toEqual([undefined, null, 0.631]);
  });

  test("leaves alone what somebody's own done function says behind wrk's words, where it does not contradict them", () => {
    const { stdout } = named("ok-done-json").output;
    expect(parse(stdout)).toEqual(parse(withoutTheirs("ok-done-json")));
    expect(parse(stdout)).toMatchObject({ responses: 404402, latencyMs: { p99: 0.699 } });
    expect(() => parse(stdout.replace('"requests":404402', '"requests":404403'))).toThrow(
      'unparsed-output: wrk: two numbers of requests: "404402, 404403".',
    );
    expect(() => parse(stdout.replace("WRK_JSON {", "WRK_JSON "))).toThrow(
      "more than one run, or another tool's words",
    );
    expect(() => parse(`${stdout}\n${withoutTheirs("ok-done-json")}`)).toThrow("unparsed-output: wrk: ");
  });

  test("shows connections that could not be opened", () => {
    const { output, asked, truth } = named("planned-few-files");
    expect(wrk().parse(output, asked).errors).toEqual({ connect: 64 - (truth.connections ?? 0) });
  });

  test("lets a user's script print", () => {
    const { output, asked, truth } = named("planned-script");
    expect(output.stdout).toContain("my own: ");
    expect(Math.abs(wrk().parse(output, asked).responses - truth.requests)).toBeLessThanOrEqual(truth.inFlight);
  });

  test("holds what wrk adds to make up for requests it could not send", () => {
    const { responses, latencyBasis } = wrk().parse(named("planned-backfilled").output);
    expect([responses, latencyBasis.samples]).toEqual([420, 672]);
  });
});

describe("what it refuses", () => {
  test.each([
    ["conn-refused", "job-failed: wrk ended with exit code 1: unable to connect to 127.0.0.1:9 Connection refused"],
    ["bad-args", "job-failed: wrk ended with exit code 1: number of connections must be >= threads"],
  ])("%s", (name, message) => {
    expect(() => wrk().parse(named(name).output)).toThrow(message);
  });

  test("text without percentiles, which may have been cut out", () => {
    const stdout = named("ok-latency").output.stdout.replace(/ *Latency Distribution\n(?: +\d\d% .*\n)+/, "");
    expect(() => parse(stdout)).toThrow("unparsed-output: wrk: no latency distribution; run wrk with --latency");
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

  test("a changed digit in what our script said, because the seal is another", () => {
    const { stdout } = named("planned-http").output;
    const changed = stdout.replace(/"p999":(\d)/, (_, digit: string) => `"p999":${(Number(digit) + 1) % 10}`);
    expect(() => parse(changed)).toThrow("unparsed-output: wrk: figures that do not fit their seal");
  });

  test.each([
    ["a histogram of another size", /\[\d+,1\]/, "[1,2]", "a histogram of another size than its samples"],
    ["another number of threads", /"threads":2/, '"threads":3', "two numbers of threads"],
    ["another number of requests", /"requests":\d/, '"requests":9', "two numbers of requests"],
  ])("%s, though it is sealed", (_, words, others, message) => {
    expect(() => parse(resealed("planned-http", (text) => text))).not.toThrow();
    expect(() => parse(resealed("planned-http", (text) => text.replace(words, others)))).toThrow(message);
  });

  test("words that are not wrk's, where no script was given", () => {
    const { stdout } = named("planned-script").output;
    expect(() => parse(stdout.replace(", and a script's own words", ""))).toThrow(
      "unparsed-output: wrk: more than one run, or another tool's words: \"my own: ",
    );
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
