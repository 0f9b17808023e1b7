import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClosedLoad, GeneratorPlan, RequestSpec, Target } from "@gatebench/core/contract";
import { fuzzGenerator, generatorLaws, type GeneratorRecording } from "@gatebench/core/laws";
import { digitSwaps, recordingsIn } from "../recordings";
import { hey } from "./hey";
import { parseHey } from "./parse";

/**
 * Of these hey's text tells no more than that they lie in their bar, or, of the rate, that it is requests by time as far
 * as four digits go; a status is a name.
 */
const loose = /(?<=\d%%? in )[\d.]+|(?<=Average:\t)[\d.]+|(?<=Requests\/sec:\t)[\d.]+|\[\d{3}\](?=\t\d+ responses)/g;
/** 0.1.4 says the ends twice; 0.1.5 does not, and its marks are rounded to a millisecond. */
const loose015 = new RegExp(`${loose.source}|(?<=(?:Slowest|Fastest):\\t)[\\d.]+`, "g");
/** Four digits of a rate below one leave the last of the time open. */
const looseSlow = new RegExp(`${loose.source}|(?<=Total:\\t\\d+\\.\\d{3})\\d`, "g");
/** Beyond a cap no count holds the rate and the time. */
const looseCapped = new RegExp(`${loose015.source}|(?<=Total:\\t)[\\d.]+`, "g");
/**
 * Of these somebody's own template tells no more than that they rise, that a mean lies between them, and that a size is
 * the bytes by the answers, rounded down; a status is a name, and words of an error are its kind.
 */
const looseOwn =
  /(?<="Latency":)[\d.e-]+|(?<="(?:fastest|slowest|sizeTotal)":)[\d.e-]+|"\d{3}"(?=:)|(?<="errors":\{).*/g;
/** Without the sum of all latencies, the mean too lies between percentiles only. */
const looseShort = new RegExp(`${looseOwn.source}|(?<="average":)[\\d.]+`, "g");
const pastedNames = [
  "conn-refused",
  "duration-overrun-hang",
  "mixed-status",
  "ok-n2000",
  "post-body-headers",
  "timeouts-all",
  "tls-close-3s",
  "tls-sni-host-flag",
];
const recordings = recordingsIn(join(__dirname, "fixtures"), {
  ...Object.fromEntries(pastedNames.map((name) => [name, loose])),
  "duration-overrun-hang": looseSlow,
  "ok-duration-3s-v015": loose015,
  "cap10k-patched": looseCapped,
  ...Object.fromEntries(["template-json", "template-json-refused"].map((name) => [name, looseOwn])),
  ...Object.fromEntries(["tls-close-v015-cpu1", "tls-close-v015-pinned"].map((name) => [name, looseShort])),
});
const named = (name: string) => recordings[name] as GeneratorRecording;
const readable = Object.values(recordings);
/** hey follows redirects unless told not to: the server counts two requests for each. */
const truthful = readable.filter(({ name }) => name !== "redirect");

const request: RequestSpec = { method: "GET", path: "/1k.txt", headers: {}, expect: 200 };
const target: Target = { scheme: "https", host: "gateway.example", port: 8443, requests: [request], cpus: 4 };
const load: ClosedLoad = { model: "closed", connections: 50, duration: "30s" };

const jobOf = (plan: GeneratorPlan) => (plan.kind === "containers" ? plan.job : fail());
const fail = () => {
  throw new Error("not a plan of containers");
};
const planOf = (over: Partial<ClosedLoad> = {}, of: Partial<RequestSpec> = {}) =>
  jobOf(hey().plan({ ...load, ...over }, { ...target, requests: [{ ...request, ...of }] }));
const parse = (name: string) => hey().parse(named(name).output);
const figuresOrNothing = (stdout: string, { output, asked }: GeneratorRecording) => {
  try {
    return hey().parse({ ...output, stdout }, asked);
  } catch {
    return undefined;
  }
};

describe("the laws of generators", () => {
  test.each(generatorLaws)("hey $name", (law) => law.check(hey(), truthful));
});

/** Apart, because no output says whether connections were kept: what is put in from another load is read as of this one. */
test.each([true, false])(
  "outputs changed at random are refused, or read as they were (kept connections: %s)",
  (kept) => {
    const given = truthful.filter(({ asked }) => (asked?.load.connection !== "per-request") === kept);
    fuzzGenerator(hey(), given, { seed: 1, count: Number(process.env.GATEBENCH_FUZZ ?? 300) });
  },
);

describe("a plan", () => {
  test("is one command, with figures by template", () => {
    const command = planOf({ connection: "per-request", threads: 2, pacePerConnection: 10 }).command;
    expect(command.join(" ").replace(/-o .* https/, "-o … https")).toBe(
      "hey -z 30s -c 50 -t 20 -q 10 -cpus 2 -disable-keepalive -disable-redirects -disable-compression -host gateway.example -m GET -H Content-Type: text/plain -o … https://gateway.example:8443/1k.txt",
    );
  });

  test("sends a body from a file, byte for byte", () => {
    const { command, files } = planOf({}, { method: "POST", body: '{"a":1}\r\n' });
    expect(command.join(" ")).toContain("-m POST -H Content-Type: text/plain -D <gatebench:file.body>");
    expect(files).toEqual({ body: '{"a":1}\r\n' });
  });

  test("waits for the last answers before it is killed", () => {
    expect(planOf().killAfterS).toBe(30 + 20 + 5);
  });

  test("refuses a User-Agent, which hey would drop silently", () => {
    expect(() => planOf({}, { headers: { "user-agent": "probe" } })).toThrow(
      'unsupported-request: hey cannot send the User-Agent "probe"; it always sends "hey/0.0.1". Drop the header, or choose another generator, such as wrk.',
    );
  });

  test("refuses a pace that hey's clock cannot keep", () => {
    expect(() => planOf({ pacePerConnection: 2e6 })).toThrow(
      "invalid-load: hey cannot pace a connection at 2000000/s; at most 1000000/s.",
    );
  });

  test("refuses many requests", () => {
    expect(() => hey().plan(load, { ...target, requests: [request, request] })).toThrow(
      "unsupported-request: hey sends one",
    );
  });
});

describe("what it reads", () => {
  test("is exact where our template was used", () => {
    const { asked, output } = named("planned-mixed-statuses");
    const { durationS, statuses, latencyMs, bytes, caveats, latencyBasis } = hey().parse(output, asked);
    expect(statuses).toEqual({ "200": 15912, "404": 5310, "429": 2691, "500": 2548 });
    expect({ durationS, latencyMs, bytes, caveats, samples: latencyBasis.samples }).toEqual({
      durationS: 1.000657233,
      latencyMs: {
        ...{ min: 0.034442, mean: 0.150121, stdev: null, max: 8.366527 },
        ...{ p50: 0.109894, p75: 0.153008, p90: 0.229561, p95: 0.312385, p99: 0.617009, p999: null },
      },
      bytes: { value: 52922, kind: "body" },
      caveats: ["repeats-unseen"],
      samples: 26461,
    });
  });

  test("is rounded, and says so, where a person pasted it", () => {
    expect(parse("ok-duration-3s-v015")).toEqual({
      tool: { name: "hey" },
      durationS: 3.0008,
      attempts: 104055,
      responses: 104055,
      statuses: { "200": 104055 },
      errors: {},
      rps: 104055 / 3.0008,
      attemptsPerS: 34676.2196,
      latencyMs: {
        min: 0,
        mean: 1.4,
        p50: 1,
        p75: 1.7,
        p90: 3,
        p95: 4.6,
        p99: 8.6,
        p999: null,
        max: 46.5,
        stdev: null,
      },
      latencyBasis: {
        includes: { queue: false, connect: true, tls: true },
        population: "responses",
        omission: "none",
        resolutionMs: 0.1,
        samples: 104055,
      },
      caveats: ["resolution", "repeats-unseen"],
    });
  });

  test.each([
    ["planned-refused", { connect: 2693 }],
    ["planned-hang", { timeout: 4 }],
    ["planned-reset", { reset: 3 }],
    ["conn-refused", { connect: 200 }],
    ["timeouts-all", { timeout: 20 }],
  ])("holds, of %s, errors by kind, however hey words them", (name, errors) => {
    expect(parse(name).errors).toEqual(errors);
  });

  test("has no goodput and no latency where nothing answered, whatever hey calls its rate", () => {
    const { rps, attemptsPerS, latencyMs, caveats } = parse("conn-refused");
    expect({ rps, attemptsPerS, caveats }).toEqual({
      rps: 0,
      attemptsPerS: 20341.3689,
      caveats: ["resolution", "no-samples", "repeats-unseen"],
    });
    expect(Object.values(latencyMs)).toEqual(Array(10).fill(null));
  });

  test("has no P99 of forty answers, of which hey prints `0% in 0.0000 secs`", () => {
    const { latencyMs, caveats } = parse("tls-sni-host-flag");
    expect([latencyMs.p95, latencyMs.p99, caveats]).toEqual([
      3.9,
      null,
      ["resolution", "no-samples", "repeats-unseen"],
    ]);
  });

  test("reads beyond the cap what hey still counts, warns of the rest, and states no mean", () => {
    const { responses, statuses, latencyMs, latencyBasis, caveats, rps } = parseHey(
      named("cap10k-patched").output,
      undefined,
      10_000,
    );
    expect(responses).toBe(40000);
    expect(statuses).toEqual({ "200": 5978, "404": 2024, "429": 985, "500": 1013 });
    expect(rps).toBeCloseTo((0.5978 * 40000) / 1.2814, 6);
    expect([latencyMs.mean, latencyBasis.samples]).toEqual([null, 10000]);
    expect(caveats).toEqual(["sample-cap", "status-cap", "resolution", "repeats-unseen"]);
  });

  test("knows the cap of a hey built with a smaller one by its average, which goes on where the statuses end", () => {
    expect(parse("cap10k-patched")).toEqual(parseHey(named("cap10k-patched").output, undefined, 10_000));
  });

  test("is exact where somebody used a template of their own", () => {
    const { durationS, statuses, latencyMs, bytes, caveats, latencyBasis, rps } = parse("template-json");
    expect(statuses).toEqual({ "200": 1804, "404": 603, "429": 296, "500": 297 });
    expect({ durationS, rps, latencyMs, bytes, caveats, samples: latencyBasis.samples }).toEqual({
      ...{ durationS: 0.107497814, rps: 1804 / 0.107497814 },
      latencyMs: {
        ...{ min: 0.023246, mean: 0.643602, stdev: null, max: 16.19108 },
        ...{ p50: 0.259298, p75: 0.429837, p90: 0.880877, p95: 3.582049, p99: 8.088452, p999: null },
      },
      bytes: { value: 1853253, kind: "body" },
      ...{ caveats: ["repeats-unseen"], samples: 3000 },
    });
  });

  test("states no ends and no bytes where such a template leaves them out", () => {
    const { latencyMs, bytes, responses } = parse("tls-close-v015-cpu1");
    expect({ latencyMs, bytes, responses }).toEqual({
      latencyMs: {
        ...{ min: null, mean: 9.402953, stdev: null, max: null },
        ...{ p50: 9.050801, p75: 9.308037, p90: 9.883133, p95: 12.717027, p99: 23.732328, p999: null },
      },
      ...{ bytes: undefined, responses: 6389 },
    });
  });

  test("reads such a template's NaN as no latency, where nothing answered", () => {
    const { responses, attempts, errors, latencyMs, caveats } = parse("template-json-refused");
    expect({ responses, attempts, errors, caveats }).toEqual({
      ...{ responses: 0, attempts: 50, errors: { connect: 50 } },
      caveats: ["no-samples", "repeats-unseen"],
    });
    expect(Object.values(latencyMs)).toEqual(Array(10).fill(null));
  });

  test("warns of unseen repeats wherever connections may be kept", () => {
    expect(
      hey().parse(named("planned-https-per-request").output, named("planned-https-per-request").asked).caveats,
    ).toEqual([]);
    expect(parse("planned-https-per-request").caveats).toEqual(["repeats-unseen"]);
  });
});

describe("what it refuses", () => {
  test.each([
    [/"again":(.*)"requests":\d/, "two different figures"],
    [/\[1,"Get (.*)\],$/m, "an error cut off or changed"],
  ])("a figure that its second saying contradicts: %s", (at, message) => {
    const { output } = named("planned-reset");
    const stdout = output.stdout.replace(at, (found) =>
      found.replace(/\d(?=\D*$)/, (digit) => `${(Number(digit) + 1) % 10}`),
    );
    expect(() => hey().parse({ ...output, stdout })).toThrow(`unparsed-output: hey: ${message}`);
  });

  test.each([
    ["an error cut off", /connection refused/, "connection ref", "an error in words that are not known"],
    ["a percentile outside of its bar", /50% in 0\.\d+/, "50% in 0.0059", "bars without the percentile 50"],
    ["a slowest that is not said twice", /Slowest:\t0\.0060/, "Slowest:\t0.0061", "two different ends"],
    ["an average outside of its bars", /Average:\t0\.0006/, "Average:\t0.0036", "an average outside of its bars"],
  ])("in hey's text, %s", (what, words, others, message) => {
    const { output } = named(what === "an error cut off" ? "conn-refused" : "mixed-status");
    expect(() => hey().parse({ ...output, stdout: output.stdout.replace(words, others) })).toThrow(message);
  });

  test.each([
    [
      "an average that no cap made too large",
      /Average:\t0\.0025/,
      "Average:\t0.0006",
      'a rate that is not requests by time: "10000 in 1.2814 s"',
    ],
    [
      "an average too large for all that were sent",
      /Average:\t0\.0025/,
      "Average:\t0.0055",
      'an average outside of its bars: "0.0055 s"',
    ],
    [
      "a number of answers at which nobody's cap is",
      /0\.002 \[9228\]([^]*)\[200\]\t5978/,
      "0.002 [9227]$1[200]\t5977",
      'an average outside of its bars: "0.0025 s"',
    ],
  ])("beyond a smaller cap, %s", (_, words, others, message) => {
    const { output } = named("cap10k-patched");
    const stdout = output.stdout.replace(words, others);
    expect(() => hey().parse({ ...output, stdout })).toThrow(`unparsed-output: hey: ${message}.`);
  });

  test.each([
    ["another name", '"numRes"', '"requests"', "figures of another form; read are rps, totalSeconds, numRes, samples"],
    ["a rate a digit off", "27907.544240853123", "27907.544240853223", "a rate that is not requests by time"],
    ["a sum a digit off", "1.9308072089999988", "1.9308072089999888", "an average that is not the sum"],
    ["one end only", '"fastest":2.3246e-05,', "", "one end of the latencies only"],
    ["a size of other answers", '"sizeReq":617', '"sizeReq":618', "a size that is not the bytes by the samples"],
    ["NaN among figures", '"average":0.0006436024029999996', '"average":NaN', "an average of nothing"],
    ["statuses lost", ',"500":297', "", "statuses that do not add up to the samples"],
    ["percentiles lost", ',{"Percentage":99,"Latency":0.008088452}', "", "percentiles are missing"],
    ["percentiles that fall", "0.003582049", "0.009582049", "latencies that must rise do not"],
    ["percentiles far above their mean", /"Latency":0\.000\d+/g, '"Latency":0.003', "a mean outside of what it is"],
  ])("in figures of somebody's own template, %s", (_, words, others, message) => {
    const { output } = named("template-json");
    const stdout = output.stdout.replace(words, others);
    expect(() => hey().parse({ ...output, stdout })).toThrow(`unparsed-output: hey: ${message}`);
  });

  test("single answers as CSV, which look whole where rows are lost", () => {
    const stdout = readFileSync(join(__dirname, "fixtures", "csv.csv"), "utf8");
    expect(() => hey().parse({ stdout, stderr: "", files: {}, exitCode: 0 })).toThrow(
      'unparsed-output: hey: single answers as CSV, without failures, count or time; leave -o csv out: "response-time,DNS+dialup',
    );
  });

  test("a run that was cut short", () => {
    const { output } = named("planned-http");
    expect(() => hey().parse(output, { load })).toThrow('unparsed-output: hey: a run of other than 30 s: "1.0');
  });

  test("its own failure", () => {
    const output = { stdout: "", stderr: "usage\nflag provided but not defined: -U\n", files: {}, exitCode: 2 };
    expect(() => hey().parse(output)).toThrow(
      "job-failed: hey ended with exit code 2: flag provided but not defined: -U",
    );
  });

  const counts = /(?:"requests":|"samples":|"\d{3}":|\n\[|\] ?\t|\[)(\d{2,})(?:,| responses|\]\t|\}|(?=\]))/g;
  test.each(readable)("any other number of answers, errors or bars in $name", (given) => {
    const swaps = digitSwaps(given.output.stdout, counts).filter(
      (swapped) => codes(swapped) === codes(given.output.stdout),
    );
    expect(swaps.filter((swapped) => figuresOrNothing(swapped, given) !== undefined)).toEqual([]);
  });
  /** [200] is a name, not a count. */
  const codes = (stdout: string) =>
    (/Status code distribution:[^E]*/.exec(stdout)?.[0] ?? "").replace(/\d+ responses/g, "");
});
