import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lineOf, type Fault, type FaultError } from "@gatebench/core";
import { readBenchOptions, type BenchOptions } from "./bench-options";
import { binariesOf, planBench } from "./bench-plan";

const folder = mkdtempSync(join(tmpdir(), "gatebench-plan-"));
afterAll(() => rmSync(folder, { recursive: true }));

const options = (given: object = {}) => readBenchOptions({ ...given }) as BenchOptions;
const faultsOf = (given: object) => (readBenchOptions({ ...given }) as readonly Fault[]).map(lineOf);
const planOf = (given: object = {}) => planBench(options(given));
const refusalOf = async (given: object) =>
  planOf(given).then(
    () => [],
    (error: FaultError) => error.message.split("\n"),
  );

/** nginx under other names, doing less. */
function written(name: string, supports: object = {}): string {
  const path = join(folder, `${name}-${Math.random().toString(36).slice(2)}.cjs`);
  const limits = { auth: ["key"], rateLimit: [], balancing: [], ...supports };
  writeFileSync(
    path,
    `exports.made = { name: ${JSON.stringify(name)}, version: "1", ports: ["entry"],
       supports: { schemes: ["http"], tlsVersions: [], credentials: ["header"], analytics: false, routes: 1, consumers: 1, ...${JSON.stringify(limits)} },
       render: (scenario, site) => ({ kind: "containers", workloads: [], entry: { scheme: "http", host: "127.0.0.1", port: site.ports.entry },
         requests: [{ method: "GET", path: "/", headers: {}, expect: 200 }] }) };`,
  );
  return path;
}

test("without options: two gateways, three scenarios, two generators, each group with its baseline", async () => {
  const { benchmarks, skipped, protocol } = await planOf();
  expect(benchmarks.map(({ name, targets }) => [name, targets.map((target) => target.name)])).toEqual([
    ["wrk-plain", ["direct", "nginx", "envoy", "nginx-key-auth-rate-limit", "envoy-key-auth-rate-limit"]],
    ["wrk-tls-transactions", ["direct", "nginx-tls-transactions", "envoy-tls-transactions"]],
    ["hey-plain", ["direct", "nginx", "envoy", "nginx-key-auth-rate-limit", "envoy-key-auth-rate-limit"]],
    ["hey-tls-transactions", ["direct", "nginx-tls-transactions", "envoy-tls-transactions"]],
  ]);
  expect(skipped).toEqual([]);
  expect(protocol.maxRuns).toBe(6);
});

test("what starts is known before it starts", async () => {
  expect(binariesOf(await planOf({ gateway: "envoy", generator: "hey", scenario: "plain" }))).toEqual([
    "nginx",
    "envoy",
    "hey",
  ]);
});

test("names are taken once each, however they are written", () => {
  expect(options({ gateway: "nginx, envoy,nginx" }).gateway).toEqual(["nginx", "envoy"]);
  expect(options({ connections: "16", pace: "2.5" })).toMatchObject({ connections: 16, pace: 2.5 });
});

test("the path alone is not planned for a generator that cannot send the load", async () => {
  const { benchmarks, skipped } = await planOf({
    gateway: "direct",
    scenario: "plain",
    generator: "wrk,k6",
    rate: 500,
  });
  expect(benchmarks.map(({ name }) => name)).toEqual(["k6-plain"]);
  expect(skipped.map(({ generator }) => generator)).toEqual(["wrk"]);
});

test("a combination that cannot be had is skipped with its reason, and the rest is planned", async () => {
  const { benchmarks, skipped } = await planOf({ scenario: "plain,routes-100", generator: "hey", gateway: "nginx" });
  expect(benchmarks.flatMap(({ targets }) => targets.map(({ name }) => name))).toEqual(["direct", "nginx"]);
  expect(skipped).toEqual([
    {
      gateway: "nginx",
      scenario: "routes-100",
      generator: "hey",
      reason:
        "unsupported-request: hey sends one request over and over, and this target has 100 (routes × consumers). Choose a generator that sends many, or a scenario with one route and consumer. These can: k6, locust, ngrinder, wrk.",
    },
  ]);
});

test("a pace is for the generators that can hold it; alone, the other is refused", async () => {
  const { benchmarks, skipped } = await planOf({ pace: 10, scenario: "plain", gateway: "nginx" });
  expect(benchmarks.map(({ name }) => name)).toEqual(["hey-plain"]);
  expect(skipped.map(({ generator }) => generator)).toEqual(["wrk"]);
  expect(await refusalOf({ pace: 10, generator: "wrk" })).toEqual([
    "unsupported-load: wrk cannot pace its connections. Drop the pace, or choose another generator. These can: hey, k6, locust.",
  ]);
});

test("where nothing is left to measure, every reason is a line", async () => {
  const path = written("bare", { auth: [] });
  expect(await refusalOf({ gateway: path, scenario: "key-auth,https", generator: "wrk" })).toEqual([
    'unsupported-policy: bare cannot enforce key in scenario "key-auth". It enforces: nothing. Drop the policy, or leave bare out of this row of the matrix.',
    'unsupported-policy: bare cannot enforce https in scenario "https". It enforces: http. Drop the policy, or leave bare out of this row of the matrix.',
    'unsupported-policy: bare cannot enforce TLS 1.2 in scenario "https". It enforces: nothing. Drop the policy, or leave bare out of this row of the matrix.',
  ]);
});

test("the path without a gateway can be measured alone", async () => {
  const { benchmarks } = await planOf({ gateway: "direct", scenario: "plain", generator: "wrk" });
  expect(benchmarks.map(({ targets }) => targets.map(({ name }) => name))).toEqual([["direct"]]);
});

test("two gateways of one name could not be told apart", async () => {
  const path = written("nginx");
  expect(await refusalOf({ gateway: `nginx,${path}`, scenario: "plain" })).toEqual([
    `invalid-adapter: "nginx" and "${path}" both give a gateway named nginx; their rows could not be told apart. Rename one, or run them apart.`,
  ]);
  expect(
    await refusalOf({ gateway: `nginx,${written("nginx-key-auth")}`, scenario: "plain,key-auth", generator: "wrk" }),
  ).toEqual(["invalid-adapter: two rows would be named nginx-key-auth; rename the gateway, or leave one of them out."]);
});

describe("a load in words", () => {
  const loadOf = async (given: object) =>
    (await planOf({ gateway: "direct", scenario: "plain", generator: "wrk", ...given })).benchmarks[0]?.load;

  test("is a closed loop where nothing else is said", async () => {
    expect(await loadOf({ connections: "4" })).toEqual({
      ...{ model: "closed", connections: 4, duration: "1s", connection: "keep-alive" },
    });
  });

  test.each([
    [
      { pace: 5, rate: 10 },
      "invalid-load: an arrival rate (--rate) and a pace per connection (--pace) are two models of load; give one of them.",
    ],
    [
      { users: 5, rate: 10 },
      "invalid-load: an arrival rate (--rate) and users (--users) are two models of load; give one of them.",
    ],
    [{ think: "1s-3s" }, "invalid-load: --think goes with --users; give both, or neither."],
    [{ spawn: 10 }, "invalid-load: --spawn goes with --users; give both, or neither."],
    [{ maxInFlight: 10 }, "invalid-load: --max-in-flight goes with --rate; give both, or neither."],
    [
      { users: 5, iterations: 3, duration: "5s" },
      "invalid-load: --iterations ends a run by count, and --duration by time; give one of them.",
    ],
    [
      { users: 5, think: "long" },
      'invalid-option: --think: "long" is not a time to think; write "2s", or "1s-3s" for any time between.',
    ],
  ])("that cannot be is refused: %j", (given, line) => expect(faultsOf(given)).toEqual([line]));
});

test("an observatory needs its programs, and runs of two scrapes", async () => {
  const few = { gateway: "envoy", generator: "hey", scenario: "plain", observe: true };
  await expect(planOf(few)).rejects.toThrow(
    "invalid-option: an observatory that scrapes every 1s sees too little of a run of 1s: its figures need two scrapes. Scrape more often, or measure for 2s or longer.",
  );
  const programs = binariesOf(await planOf({ ...few, duration: "2s" }));
  expect(programs).toEqual(expect.arrayContaining(["prometheus", expect.stringMatching(/node.exporter$/)]));
});

test("options that cannot be are named as they are typed", () => {
  expect(faultsOf({ portBase: "80", connections: "many", gateway: "," })).toEqual([
    "invalid-option: --gateway: a name is empty; give names separated by commas.",
    'invalid-option: --connections: "many" is not a whole number from 1 to 20000.',
    'invalid-option: --port-base: "80" is not a whole number from 1024 to 32000.',
  ]);
});
