import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inFlightBound, type ClosedLoad, type Load } from "@gatebench/core/contract";
import { fuzzGenerator, generatorLaws, type GeneratorRecording } from "@gatebench/core/laws";
import { recordingsIn } from "../recordings";
import { sealed } from "../sealed";
import type { Figures } from "./figures";
import { locust } from "./locust";

const fixtures = join(__dirname, "fixtures");
/** Locust states some numbers once: its times, sums and bytes, and the names of its buckets. */
const statedOnce =
  /"(?:last_request_timestamp|start_time|total_response_time|max_response_time|min_response_time|total_content_length)": [\d.]+|"\d{1,6}": /g;

const recordings = Object.fromEntries(
  Object.entries(recordingsIn(fixtures)).map(([name, given]) => [name, known(given)]),
);
const all = Object.values(recordings);
const named = (name: string) => recordings[name] as GeneratorRecording;

function known(given: GeneratorRecording): GeneratorRecording {
  const inFlight = given.asked === undefined ? 50 : inFlightBound(given.asked.load);
  const isOurs = given.name.startsWith("planned-");
  return { ...given, truth: { ...given.truth, inFlight }, ...(isOurs ? {} : { uncheckable: statedOnce }) };
}

/** The server counted more than stands here: the ramp, or what a killed worker had not told yet. */
const partial = ["planned-users-after-ramp", "planned-worker-killed"];
const ofTruth = ["counts what the server counted, but for what was in flight", "states the statuses the server gave"];
/** Locust's exit code is 1 where a request failed. */
const ended1 = ["mixed-status"];
const lawful = (law: string) =>
  all.filter(
    ({ name }) =>
      !(ofTruth.includes(law) && partial.includes(name)) &&
      !(law === "throws where the tool failed or was killed" && ended1.includes(name)),
  );

const parse = (name: string) => locust().parse(named(name).output, named(name).asked);

describe("the laws of generators", () => {
  test.each(generatorLaws)("locust $name", (law) => law.check(locust(), lawful(law.name)));

  test("locust reads the truth or throws, whatever happens to its output", () => {
    fuzzGenerator(locust(), all, { seed: 1, count: Number(process.env["GATEBENCH_FUZZ"] ?? 300) });
  });
});

describe("what it reads", () => {
  test("is exact where our recorder counted", () => {
    const { tool, durationS, statuses, rps, latencyMs, latencyBasis, processes, bytes, caveats } =
      parse("planned-mixed-statuses");
    expect({
      tool,
      durationS,
      statuses,
      rps,
      latencyMs,
      samples: latencyBasis.samples,
      processes,
      bytes,
      caveats,
    }).toEqual({
      tool: { name: "locust", version: "2.47.0" },
      durationS: 0.979233,
      statuses: { "200": 4256, "404": 1436, "429": 737, "500": 672 },
      rps: 4256 / 0.979233,
      latencyMs: {
        ...{ min: 0.268, mean: 0.957055, stdev: 0.522752, max: 26.406 },
        ...{ p50: 0.907, p75: 1.101, p90: 1.302, p95: 1.748, p99: 2.505, p999: 4.999 },
      },
      samples: 7101,
      processes: { asked: 1, reported: 1 },
      bytes: { value: 27873, kind: "body" },
      caveats: [],
    });
  });

  test("is every iteration that was asked for", () => {
    const { responses, durationS, errors } = parse("planned-iterations");
    expect([responses, durationS, errors]).toEqual([5000, 0.745083, {}]);
  });

  test("is what two workers on other hosts counted, and the server", () => {
    const { responses, processes, series } = parse("planned-two-workers");
    expect({ responses, processes, series, served: named("planned-two-workers").truth.requests }).toEqual({
      responses: 35167,
      processes: { asked: 2, reported: 2 },
      series: [
        { atS: 0, responses: 12218, errors: 0 },
        { atS: 1, responses: 12041, errors: 0 },
        { atS: 2, responses: 10908, errors: 0 },
      ],
      served: 35173,
    });
  });

  test("tells that a worker was lost, though another took its place", () => {
    expect(parse("planned-worker-killed").processes).toEqual({ asked: 2, reported: 1 });
  });

  test("begins when every user has started, where that was asked for", () => {
    const { durationS, responses } = parse("planned-users-after-ramp");
    expect(durationS).toBeCloseTo(2, 1);
    expect(responses).toBeLessThan(named("planned-users-after-ramp").truth.requests);
  });

  test.each([
    ["planned-refused", "connect"],
    ["planned-reset", "reset"],
    ["planned-truncated", "eof"],
    ["planned-hang", "timeout"],
  ])("holds, of %s, errors by kind", (name, kind) => {
    const { errors, responses, attempts = 0 } = parse(name);
    expect(Object.keys(errors)).toEqual([kind]);
    expect(errors[kind]).toBe(attempts - responses);
  });

  test.each([
    ["planned-http", "FastHttpUser"],
    ["planned-http-user", "HttpUser"],
    ["planned-own-locustfile", "own locustfile"],
  ])("names, of %s, who sent: %s", (name, client) => {
    expect(parse(name)).toMatchObject({ tool: { name: "locust", version: "2.47.0" }, latencyBasis: { client } });
  });

  test("is Locust's own JSON too, with what that does not tell", () => {
    expect(locust().parse(named("json-stdout").output)).toEqual({
      tool: { name: "locust" },
      durationS: 1.847094,
      attempts: 17676,
      responses: 17676,
      statuses: { "2xx-3xx": 17676 },
      errors: {},
      rps: 17676 / 1.847094,
      attemptsPerS: 17676 / 1.847094,
      latencyMs: {
        ...{ min: 0.23635699994883907, mean: 12937.850725990302 / 17676, max: 51.33021100004953, stdev: null },
        ...{ p50: 1, p75: 1, p90: 1, p95: 1, p99: 2, p999: 15 },
      },
      latencyBasis: {
        includes: { queue: false, connect: true, tls: true },
        population: "all",
        omission: "none",
        resolutionMs: 1,
        samples: 17676,
      },
      bytes: { value: 18100224, kind: "body" },
      caveats: ["classes-only", "resolution", "repeats-unseen"],
    });
  });

  test("leaves open, in Locust's own JSON, what failures were", () => {
    const { statuses, errors, caveats } = parse("mixed-status");
    expect({ statuses, errors, caveats }).toEqual({
      statuses: { "2xx-3xx": 9774 },
      errors: { other: 6421 },
      caveats: ["classes-only", "resolution", "failures-unsorted", "repeats-unseen"],
    });
  });

  test("takes the load's duration, which Locust's own JSON does not know", () => {
    const { output } = named("json-stdout");
    const { durationS, rps } = locust().parse(output, { load: { model: "closed", connections: 10, duration: "2s" } });
    expect([durationS, rps]).toEqual([2, 8838]);
  });

  test("merges the names of Locust's own JSON by their buckets", () => {
    const entries = ["json-stdout", "tls-close-fast"].flatMap(
      (name) => JSON.parse(named(name).output.stdout) as object[],
    );
    const { responses, latencyMs } = locust().parse({
      ...named("json-stdout").output,
      stdout: JSON.stringify(entries),
    });
    expect([responses, latencyMs.p50, latencyMs.p90]).toEqual([17676 + 3070, 1, 14]);
  });
});

describe("what it refuses to read", () => {
  const output = (stdout: string) => ({ stdout, stderr: "", files: {}, exitCode: 0 });
  const figures = (name: string) =>
    JSON.parse(named(name).output.stdout.split("\n")[0]?.slice("@gatebench ".length) ?? "") as Figures;
  const changed = (over: Partial<Figures>) => () =>
    locust().parse(output(sealed({ ...figures("planned-mixed-statuses"), ...over })));

  test("a file of --csv", () => {
    const stdout = readFileSync(join(fixtures, "stale-stats.csv"), "utf8");
    expect(() => locust().parse(output(stdout))).toThrow(
      'unparsed-output: locust: a file of --csv, which may lack the last second; give what --json prints: "Type,Name,Request Count',
    );
  });

  test("tables", () => {
    expect(() => locust().parse(output("Type     Name      # reqs      # fails\n"))).toThrow(
      "unparsed-output: locust: tables, whose figures are rounded; give what --json prints",
    );
  });

  test.each<[string, Partial<Figures>, string]>([
    [
      "exceptions",
      { exceptions: { count: 2, first: "KeyError('a')" } },
      `2 exceptions of the locustfile; catch them there: "KeyError('a')".`,
    ],
    ["requests without statuses", { foreign: 3 }, 'requests without an HTTP response, which have no status: "3".'],
    ["no time", { durationS: 0 }, 'a run that ended before its figures began: "0 s".'],
    ["too many processes", { processes: { asked: 1, reported: 2 } }, 'more processes than were asked: "2 of 1".'],
    ["seconds", { series: [[0, 1, 0]] }, "seconds that do not add up to the answers"],
    ["errors", { errors: { reset: 1 } }, 'seconds that do not add up to the errors: "0 of 1".'],
    ["no latencies", { latencyUs: null }, "latencies without answers, or answers without"],
    ["a short histogram", { histogram: [[1000, 5]] }, "a histogram of another size than its answers"],
    ["a shifted histogram", { histogram: [[1000, 7101]] }, "a histogram without its percentile"],
  ])("figures with %s", (_, over, sentence) => {
    expect(changed(over)).toThrow(sentence);
  });

  test("another run than the one asked for", () => {
    const { output: given } = named("planned-http");
    const run = (load: Load) => () => locust().parse(given, { load });
    const asked: ClosedLoad = { model: "closed", connections: 10, duration: "2s" };
    expect(run(asked)).not.toThrow();
    expect(run({ ...asked, connections: 11 })).toThrow('locust: a run of other than 11 users: "10".');
    expect(run({ ...asked, duration: "3s" })).toThrow("locust: a run of other than 3 s");
    expect(run({ ...asked, measureFrom: "after-ramp" })).toThrow(
      'locust: figures from other than "after-ramp": "start".',
    );
    expect(run({ model: "users", users: 10, duration: "2s" })).toThrow('locust: a run of other than model "users"');
    expect(() =>
      locust().parse(named("planned-iterations").output, { load: { model: "iterations", users: 50, perUser: 101 } }),
    ).toThrow('locust: a run of other than 5050 iterations: "5000".');
  });

  test("workers that never came", () => {
    const stderr = "[2026-11-21] vm/ERROR/locust.main: Gave up waiting for workers to connect\n";
    expect(() => locust().parse({ stdout: "@gatebench", stderr, files: {}, exitCode: 1 })).toThrow(
      "job-failed: locust ended with exit code 1: [2026-11-21] vm/ERROR/locust.main: Gave up waiting for workers to connect",
    );
  });
});
