import { join } from "node:path";
import type { GeneratorPlan, Load, RequestSpec, Target } from "@gatebench/core/contract";
import { fuzzGenerator, generatorLaws, type GeneratorRecording } from "@gatebench/core/laws";
import { recordingsIn } from "../recordings";
import { sealed } from "../sealed";
import { figuresSql } from "./figures";
import { oha } from "./oha";

/** Of these three latencies oha's JSON states no second figure; a status is a name. */
const statedOnce = /"(?:p75|p90|p99\.9)": [\d.e-]+|"\d{3}"(?=: \d)/g;
const pastedNames = ["ok-z3-c50", "rate-100-correction", "tls-close", "deadline-aborted", "timeouts"];
const recordings = recordingsIn(
  join(__dirname, "fixtures"),
  Object.fromEntries(pastedNames.map((name) => [name, statedOnce])),
);
const named = (name: string) => recordings[name] as GeneratorRecording;
const planned = Object.values(recordings).filter(({ name }) => name.startsWith("planned-"));
const pasted = pastedNames.map(named);

const request: RequestSpec = { method: "GET", path: "/1k.txt", headers: {}, expect: 200 };
const target: Target = { scheme: "http", host: "gateway.example", port: 8080, requests: [request], cpus: 4 };
const closed: Load = { model: "closed", connections: 50, duration: "30s" };
const open: Load = { model: "open", ratePerS: 1000, maxInFlight: 200, duration: "30s" };

const jobOf = (plan: GeneratorPlan) => (plan.kind === "containers" ? plan.job : fail());
const fail = () => {
  throw new Error("not a plan of containers");
};
const planOf = (load: Load, of: Partial<RequestSpec> = {}) =>
  jobOf(oha().plan(load, { ...target, requests: [{ ...request, ...of }] }));
/** What follows the shell's own words: oha's options. */
const optionsOf = (...args: Parameters<typeof planOf>) =>
  planOf(...args)
    .command.slice(6)
    .join(" ");
const parse = (name: string) => oha().parse(named(name).output, named(name).asked);
const parsed = (stdout: string, asked = named("planned-http").asked) =>
  oha().parse({ stdout, stderr: "", files: {}, exitCode: 0 }, asked);

describe("the laws of generators, on what we plan", () => {
  test.each(generatorLaws)("oha $name", (law) => law.check(oha(), planned));
});

describe("the laws of generators, on what a person pastes", () => {
  const claims = "states, in some recording, everything it claims to report";
  const laws = generatorLaws.filter(({ name }) => name !== claims);
  test.each(laws)("oha $name", (law) => law.check(oha(), pasted));
});

/** Apart, because JSON does not say whether it corrects: what is put in from another load would be read as of this one. */
test.each([
  ["planned", planned],
  ["pasted of closed loads", pasted.filter(({ asked }) => asked?.load.model !== "open")],
  ["pasted of rates", pasted.filter(({ asked }) => asked?.load.model === "open")],
])("outputs %s and changed at random are refused, or read as they were", (_, given) => {
  fuzzGenerator(oha(), given, { seed: 1, count: Number(process.env.GATEBENCH_FUZZ ?? 300) });
});

describe("a plan", () => {
  test("of a closed load waits for the last answers", () => {
    expect(optionsOf({ ...closed, threads: 2 } as Load)).toBe(
      "--no-tui --output-format json -z 30s -w -c 50 --worker-threads 2 -t 20s --connect-timeout 20s --http-version 1.1 --redirect 0 --disable-compression --insecure -m GET -H Host: gateway.example -H User-Agent: hey/0.0.1 -H Content-Type: text/plain http://gateway.example:8080/1k.txt",
    );
  });

  test("of an open load times from the intended start", () => {
    expect(optionsOf({ ...open, duration: "1.5s", connection: "per-request" })).toBe(
      "--no-tui --output-format json -z 1500ms -w -c 200 -q 1000 --latency-correction -t 20s --connect-timeout 20s --disable-keepalive --http-version 1.1 --redirect 0 --disable-compression --insecure -m GET -H Host: gateway.example -H User-Agent: hey/0.0.1 -H Content-Type: text/plain http://gateway.example:8080/1k.txt",
    );
  });

  test("reduces oha's table of answers where it lies, and leaves nothing", () => {
    expect(planOf(closed).command.slice(0, 6)).toEqual([
      "sh",
      "-c",
      `cd "$1" || exit
sql=$2
shift 2
rm -f oha.db oha.json
oha --output oha.json --db-url oha.db "$@" && sqlite3 -init /dev/null -batch -bail oha.db <"$sql"
status=$?
rm -f oha.db oha.json
exit $status`,
      "sh",
      "<gatebench:folder>",
      "<gatebench:file.oha.sql>",
    ]);
  });

  test("by hand is oha alone, with its JSON", () => {
    const plan = oha().plan(closed, target);
    expect(plan.kind === "containers" && plan.byHand?.slice(0, 4).join(" ")).toBe("oha --no-tui --output-format json");
  });

  test("sends a body from a file, byte for byte", () => {
    const { command, files } = planOf(closed, { method: "POST", body: '{"a":1}\r\n' });
    expect(command.join(" ")).toContain("-D <gatebench:file.body>");
    expect(files?.["body"]).toBe('{"a":1}\r\n');
  });

  test("says that nothing follows where a body is usual", () => {
    expect(optionsOf(closed, { method: "POST" })).toContain("-H Content-Length: 0");
    expect(optionsOf(closed, { method: "DELETE" })).not.toContain("Content-Length");
  });

  test("has a series of seconds, and of at most 600 parts", () => {
    const sqlOf = (duration: "600s" | "601s") => planOf({ ...closed, duration } as Load).files?.["oha.sql"];
    expect([sqlOf("600s"), sqlOf("601s")]).toEqual([figuresSql(1, false), figuresSql(2, false)]);
  });

  test("leaves time to write and read a row for each answer", () => {
    expect(planOf(closed).killAfterS).toBe(3 * 30 + 20 + 30);
  });

  test.each([
    ["/a/../b", "/b"],
    ["/a#b", "/a"],
    ["/a b", "/a%20b"],
  ])("refuses the path %s, which oha would change", (path, sent) => {
    expect(() => planOf(closed, { path })).toThrow(
      `unsupported-request: oha cannot send the path "${path}": it would send "${sent}". Give this one, or choose another generator, such as wrk.`,
    );
  });

  test("refuses a pace, because -q is of all connections together", () => {
    expect(() => planOf({ ...closed, pacePerConnection: 5 } as Load)).toThrow(
      "unsupported-load: oha cannot pace its connections.",
    );
  });

  test("refuses many requests", () => {
    expect(() => oha().plan(closed, { ...target, requests: [request, request] })).toThrow(
      "unsupported-request: oha sends one request over and over, and this target has 2",
    );
  });

  test("refuses a timeout of nothing, which would be none", () => {
    expect(() => oha({ timeout: "0s" }).plan(closed, target)).toThrow(
      "invalid-option: oha's timeout is at least 1ms, not 0ms.",
    );
  });
});

describe("what it reads", () => {
  test("is counted to the last answer, with a histogram and a series", () => {
    const { histogram, series, ...result } = parse("planned-rate");
    expect(result).toEqual({
      tool: { name: "oha" },
      durationS: 2.001546473,
      attempts: 1000,
      responses: 1000,
      statuses: { "200": 1000 },
      errors: {},
      rps: 1000 / 2.001546473,
      attemptsPerS: 499.6136804663641,
      latencyMs: {
        ...{ min: 0.053, mean: 0.138, p50: 0.097, p75: 0.121, p90: 0.166 },
        ...{ p95: 0.2, p99: 1.412, p999: 3.587, max: 3.587, stdev: null },
      },
      latencyBasis: {
        includes: { queue: true, connect: true, tls: true },
        population: "responses",
        omission: "intended-start",
        resolutionMs: 0.001,
        samples: 1000,
      },
      bytes: { value: 1024000, kind: "body" },
      caveats: [],
    });
    expect(histogram?.counts.reduce((sum, [, count]) => sum + count, 0)).toBe(1000);
    expect(series).toEqual([
      { atS: 0, responses: 500, p99Ms: 1.718 },
      { atS: 1, responses: 500, p99Ms: 1.403 },
    ]);
  });

  test("holds a server's stall of 400 ms in the P99 of a rate, and not in that of a closed load", () => {
    const [rate, asFast] = [parse("planned-rate-stalled"), parse("planned-stalled")];
    expect([rate.latencyMs.p99, rate.latencyBasis.omission]).toEqual([389.151, "intended-start"]);
    expect([asFast.latencyMs.p99, asFast.latencyBasis.omission]).toEqual([0.385, "none"]);
  });

  test("shows by its rate that a generator fell behind", () => {
    const { attemptsPerS, latencyMs } = parse("planned-rate-behind");
    expect([attemptsPerS, latencyMs.p50]).toEqual([298.74096735089483, 401.989]);
  });

  test("is oha's JSON too, without a histogram, and requests broken off at the end are no errors", () => {
    const { responses, errors, attempts, attemptsPerS, rps, durationS, latencyMs, histogram } = parse("ok-z3-c50");
    expect({ responses, errors, attempts, attemptsPerS, durationS, histogram }).toEqual({
      ...{ responses: 371915, attempts: 371915, errors: {}, durationS: 3.002678916, histogram: undefined },
      attemptsPerS: 123873.71757200563,
    });
    expect(rps).toBe(371915 / 3.002678916);
    expect(latencyMs).toEqual({
      ...{ min: 0.088, mean: 0.402, p50: 0.174, p75: 0.227, p90: 0.587, p95: 0.706 },
      ...{ p99: 4.268, p999: 8.184, max: 37.09, stdev: null },
    });
  });

  test.each([
    ["planned-refused", { connect: 4985 }],
    ["planned-hang", { timeout: 4 }],
    ["planned-reset", { read: 751 }],
    ["planned-eof", { eof: 387 }],
    ["timeouts", { timeout: 8 }],
    ["deadline-aborted", {}],
  ])("holds, of %s, errors by kind", (name, errors) => {
    expect(parse(name).errors).toEqual(errors);
  });

  test("has no latency where nothing answered", () => {
    const { latencyMs, caveats, rps } = parse("planned-refused");
    expect([rps, caveats]).toEqual([0, ["no-samples"]]);
    expect(Object.values(latencyMs)).toEqual(Array(10).fill(null));
  });
});

describe("what it refuses", () => {
  test("oha's text, which rounds everything", () => {
    expect(() => parse("text")).toThrow(
      "unparsed-output: oha: not JSON. oha's text rounds everything; give the output of --output-format json:",
    );
  });

  test("a run that was cut short, or sent more than was asked", () => {
    const { output } = named("planned-rate");
    expect(() => oha().parse(output, { load: open })).toThrow('unparsed-output: oha: a run of other than 30 s: "2.0');
    const slower: Load = { model: "open", ratePerS: 100, maxInFlight: 20, duration: "2s" };
    expect(() => oha().parse(output, { load: slower })).toThrow(
      "unparsed-output: oha: more requests than were asked for",
    );
  });

  test("latencies that are not what the load makes of them", () => {
    expect(() => oha().parse(named("planned-rate").output, { load: { ...closed, duration: "2s" } as Load })).toThrow(
      'unparsed-output: oha: latencies corrected, in a load of model "closed"',
    );
  });

  const figures = (): Record<string, unknown> =>
    JSON.parse((named("planned-http").output.stdout.split("\n")[0] as string).replace("@gatebench ", ""));
  test.each([
    ["samples", 1, "rows of another run than the report"],
    ["statuses", { "201": 36229 }, "two numbers of statuses"],
    ["bytes", 1, "two numbers of bytes"],
    ["corrected", 1, "latencies corrected that should not be, or the other way"],
    ["sumNs", 1, "two different means"],
    ["histogram", [[100, 36229]], "a histogram without its p"],
    ["series", [[0, 1, 1]], "rows of another run than the report"],
  ])("rows whose %s contradict the report, though they are sealed", (name, value, message) => {
    expect(() => parsed(sealed(figures()))).not.toThrow();
    expect(() => parsed(sealed({ ...figures(), [name]: value }))).toThrow(`unparsed-output: oha: ${message}`);
  });

  test("its own failure", () => {
    const output = { stdout: "", stderr: "Error: builder error\n", files: {}, exitCode: 1 };
    expect(() => oha().parse(output)).toThrow("job-failed: oha ended with exit code 1: Error: builder error");
  });
});
