import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GeneratorPlan, Load, RequestSpec, Target } from "@gatebench/core/contract";
import { fuzzGenerator, generatorLaws, type GeneratorRecording } from "@gatebench/core/laws";
import { recordingsIn } from "../recordings";
import { sealed } from "../sealed";
import { ngrinder, type NGrinderOptions } from "./ngrinder";

const recordings = recordingsIn(join(__dirname, "fixtures"));
const named = (name: string) => recordings[name] as GeneratorRecording;
const planned = Object.values(recordings).filter(({ name }) => name.startsWith("planned-"));
const exact = planned.filter(({ name }) => name !== "planned-plain");
const plain = [named("planned-plain")];
/** Nothing in the controller's description of a test depends on these. */
const pasted: GeneratorRecording = {
  ...named("pasted-test"),
  uncheckable: /(?<=("(tests|errors|tps|peakTps|meanTestTime)"|Time") ?: ?)[\d.]+|"runtime" ?: ?"[\d:]+"/g,
};

const request: RequestSpec = { method: "GET", path: "/1k.txt", headers: {}, expect: 200 };
const target: Target = {
  scheme: "http",
  host: "gateway.example",
  port: 8080,
  requests: [request],
  cpus: 4,
  workers: 2,
};
const load: Load = { model: "closed", connections: 50, duration: "30s" };

const jobOf = (plan: GeneratorPlan) => (plan.kind === "containers" ? plan.job : fail());
const fail = () => {
  throw new Error("not a plan of containers");
};
const planOf = (of: Load = load, to: Partial<Target> = {}, options: NGrinderOptions = {}) =>
  jobOf(ngrinder(options).plan(of, { ...target, ...to }));
const scriptOf = (...args: Parameters<typeof planOf>) => planOf(...args).files?.["TestRunner.groovy"] ?? "";
const testOf = (...args: Parameters<typeof planOf>) => JSON.parse(planOf(...args).files?.["test.json"] ?? "").test;
const parse = (stdout: string) => ngrinder().parse({ stdout, stderr: "", files: {}, exitCode: 0 });
const golden = (name: string) => readFileSync(join(__dirname, "golden", name), "utf8");

describe("the laws of generators", () => {
  test.each(generatorLaws)("ngrinder $name", (law) => law.check(ngrinder(), exact));
  test.each(generatorLaws)("ngrinder without recorder $name", (law) => law.check(ngrinder({ recorder: false }), plain));
  const claims = "states, in some recording, everything it claims to report";
  const laws = generatorLaws.filter(({ name }) => name !== claims);
  test.each(laws)("ngrinder, of a pasted test, $name", (law) => law.check(ngrinder({ recorder: false }), [pasted]));
});

test("gives the truth or throws, whatever happens to an output", () => {
  const fuzzing = { seed: 1, count: Number(process.env.GATEBENCH_FUZZ ?? 300) };
  fuzzGenerator(ngrinder(), [...planned, pasted], fuzzing);
});

describe("a plan", () => {
  test("runs our client, with the password in its environment", () => {
    const { command, env, image, killAfterS } = planOf();
    expect(command.join(" ")).toBe(
      "node <gatebench:file.drive.mjs> <gatebench:file.test.json> <gatebench:file.TestRunner.groovy>",
    );
    expect({ env, image, killAfterS }).toEqual({
      env: { NGRINDER_USER: "admin", NGRINDER_PASSWORD: "admin" },
      image: "node:22.12.0-slim",
      killAfterS: 285,
    });
  });

  const several = [
    request,
    { method: "POST", path: "/2", headers: { "x-api-key": "<gatebench:consumer-1.key>" }, body: "it's", expect: 201 },
  ];
  test.each<[string, Load, NGrinderOptions]>([
    ["closed.groovy", load, {}],
    ["plain.groovy", load, { recorder: false }],
    [
      "users.groovy",
      { model: "users", users: 8, duration: "30s", spread: "normal", think: { min: "1s", max: "2s" } },
      {},
    ],
    ["iterations.groovy", { model: "iterations", users: 8, perUser: 10, connection: "per-request" }, {}],
  ])("is the script %s", (name, of, options) => {
    expect(scriptOf(of, { requests: several }, options)).toBe(golden(name));
  });

  test("describes the test as nGrinder's REST API takes it", () => {
    expect(`${JSON.stringify(JSON.parse(planOf().files?.["test.json"] ?? ""), null, 2)}\n`).toBe(golden("test.json"));
  });

  test("ramps by nGrinder's threads, in each process at once", () => {
    const users: Load = { model: "users", users: 100, duration: "30s", spawnPerS: 10 };
    expect(testOf(users)).toMatchObject({
      ...{ useRampUp: true, rampUpType: "THREAD", rampUpInitCount: 1, rampUpStep: 1 },
      rampUpIncrementInterval: 200,
    });
    expect(testOf({ model: "iterations", users: 2000, perUser: 5, startWithin: "1s" })).toMatchObject({
      ...{ threshold: "R", runCount: 5, processes: 2, threads: 500 },
      ...{ rampUpStep: 1, rampUpIncrementInterval: 2 },
    });
  });

  test.each<[string, Load, Partial<Target>, NGrinderOptions]>([
    [
      "invalid-load: nGrinder gives every agent the same number of users, and 51 cannot be divided by 2 agents. Ask for 50 or 52 users.",
      { ...load, connections: 51 },
      {},
      {},
    ],
    [
      "unsupported-load: nGrinder runs at most 3000 users on an agent, and 4000 were asked of each of 2. Ask for at most 6000 users, or give it 3 agents.",
      { ...load, connections: 8000 },
      {},
      {},
    ],
    [
      "invalid-option: nGrinder needs processes × threads to be the users of an agent, 25; they are given as 3 × 8.33. Leave one out, and give a divisor of 25.",
      load,
      {},
      { processes: 3 },
    ],
    [
      "invalid-load: nGrinder gives each connection a thread of its own. Drop the load's threads.",
      { ...load, threads: 2 },
      {},
      {},
    ],
    [
      "invalid-load: users cannot start both at a rate and within a time. Drop spawnPerS or startWithin.",
      { model: "users", users: 8, duration: "30s", spawnPerS: 1, startWithin: "8s" },
      {},
      {},
    ],
    [
      "invalid-option: nGrinder's recorder is part of our script, not of your own. Drop recorder or script.",
      load,
      {},
      { recorder: true, script: "class T {}" },
    ],
    ["invalid-option: nGrinder cannot run on 0 agents. Give a whole number from 1.", load, {}, { agents: 0 }],
    ['invalid-option: nGrinder\'s timeout cannot be "0s". Give at least "1ms".', load, {}, { timeout: "0s" }],
    [
      "unsupported-load: nGrinder runs a script at most 1000000 times",
      { model: "iterations", users: 2, perUser: 1_000_001 },
      {},
      {},
    ],
    [
      "unsupported-request: nGrinder cannot send OPTIONS. It can: GET, HEAD, DELETE, POST, PUT, PATCH.",
      load,
      { requests: [{ ...request, method: "OPTIONS" }] },
      {},
    ],
    [
      "unsupported-request: nGrinder cannot send a body with GET. It can with: POST, PUT, PATCH.",
      load,
      { requests: [{ ...request, body: "b" }] },
      {},
    ],
  ])("refuses: %s", (sentence, of, to, options) => {
    expect(() => planOf(of, to, options)).toThrow(sentence);
  });
});

describe("the crew", () => {
  const { services = [], workers = [] } =
    ngrinder().crew?.({ ports: { http: 1, agents: 2, console: 3 }, workers: 2, cpus: 4 }) ?? {};
  test("is a controller on the ports it was given, and an agent that asks it for itself", () => {
    expect(services[0]?.command).toEqual(
      expect.arrayContaining([
        "--port=1",
        "--controller-port=2",
        "-Dcontroller.console_port_base=3",
        "-Dcontroller.max_concurrent_test=1",
      ]),
    );
    expect(workers[0]?.command.join(" ")).toBe(
      "/scripts/run.sh <gatebench:address.generator>:1 --controller-host=<gatebench:address.generator> --controller-port=2",
    );
  });
  test("sends every process' log, and TLS server names", () => {
    expect(workers[0]?.env?.JAVA_TOOL_OPTIONS).toContain(
      "-Dagent.all_logs=true -Dagent.java_opt=-Djsse.enableSNIExtension=true",
    );
  });
});

describe("what it reads", () => {
  test.each(planned)(
    "$name: what the server counted, where everything is recorded",
    ({ name, output, asked, truth }) => {
      const { responses, statuses } = ngrinder().parse(output, asked);
      if (name === "planned-plain") return expect(responses).toBe(truth.statuses["200"]);
      expect([responses, statuses]).toEqual([truth.requests, truth.statuses]);
    },
  );

  test.each([
    ["planned-closed", 626, 2.09289, [0.497, 8.903, 140.543, 187.964]],
    ["planned-close", 216, 2.040801, [1.612, 25.487, 289.023, 309.909]],
    ["planned-users", 287, 1.99707, [0.351, 2.349, 102.335, 104.985]],
  ])("%s: its exact figures", (name, count, seconds, latencies) => {
    const { responses, durationS, rps, latencyMs } = ngrinder().parse(named(name).output);
    expect([responses, durationS, rps]).toEqual([count, seconds, count / seconds]);
    expect([latencyMs.min, latencyMs.p50, latencyMs.p99, latencyMs.max]).toEqual(latencies);
  });

  test("counts errors by kind, and repeats nothing, where kept connections die", () => {
    expect(Object.keys(ngrinder().parse(named("planned-kept-dies").output).errors).sort()).toEqual(["eof"]);
  });

  test("has no latency where nobody listened", () => {
    const { responses, latencyMs, errors, rps, caveats } = ngrinder().parse(named("planned-refused").output);
    expect([responses, rps, Object.keys(errors), caveats]).toEqual([0, 0, ["connect"], ["no-samples"]]);
    expect(Object.values(latencyMs)).toEqual(Array(10).fill(null));
  });

  test("takes the processes together", () => {
    expect(ngrinder().parse(named("planned-two-processes").output).processes).toEqual({ asked: 2, reported: 2 });
  });

  test("the controller's own description, as a person pastes it", () => {
    expect(ngrinder().parse(named("pasted-test").output)).toMatchObject({
      durationS: 2910 / 48.5,
      responses: 2910,
      statuses: { "2xx-3xx": 2910 },
      errors: { other: 30 },
      attemptsPerS: 48.5,
      peakPerS: 61,
      latencyMs: { mean: 20.31, p99: null },
      caveats: ["classes-only", "failures-unsorted", "resolution"],
    });
  });

  test.each([
    ["STOP_BY_ERROR", "a test that did not run to its end"],
    ["TESTING", "a test that did not run to its end"],
  ])("not a test that is %s", (state, why) => {
    expect(() =>
      parse(named("pasted-test").output.stdout.replace('"name" : "FINISHED"', `"name" : "${state}"`)),
    ).toThrow(why);
  });

  test("not figures of a client that lost requests", () => {
    const line = named("planned-closed").output.stdout.split("\n")[0] ?? "";
    const figures = JSON.parse(line.slice("@gatebench ".length));
    expect(() => parse(sealed({ ...figures, tests: figures.tests + 1 }))).toThrow("fewer requests than tests");
  });
});
