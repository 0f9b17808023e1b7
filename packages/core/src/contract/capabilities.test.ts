/** What gateways and generators refuse, in whole sentences: nothing that was asked for is ever dropped silently. */
import { fakeGateway, fakeGenerator } from "../testing";
import { checkBenchmark, drawn, programsOf } from "./benchmark-plan";
import { fault, FaultError, faultsBehind, lineOf, listed, refuse } from "./fault";
import { unsupportedPolicies } from "./gateway";
import { scriptFaults, unsupportedLoad } from "./generator";
import type { Load } from "./load";
import type { Protocol } from "./protocol";
import type { RequestSpec } from "./deployment";
import type { Scenario } from "./scenario";
import { isFault, scenarioNamed, scenarios } from "./scenarios";
import { gatewayAdapterFaults, generatorAdapterFaults } from "./adapter-check";

const limit = { requests: 10, per: "1s", scope: "gateway", store: "local" } as const;
const nothing = {
  schemes: ["http"],
  tlsVersions: [],
  auth: [],
  credentials: [],
  rateLimit: [],
  analytics: false,
  balancing: [],
  routes: 1,
  consumers: 0,
} as const;
const bare = { name: "bare", supports: nothing };
const advice = "Drop the policy, or leave bare out of this row of the matrix.";
const refusal = (policy: string, enforced = "nothing") =>
  `unsupported-policy: bare cannot enforce ${policy} in scenario "s". It enforces: ${enforced}. ${advice}`;

test.each<[string, Omit<Scenario, "name">, readonly string[]]>([
  ["nothing", {}, []],
  ["https", { scheme: "https" }, [refusal("https", "http"), refusal("TLS 1.2")]],
  [
    "a redirect",
    { scheme: "https", redirectHttp: true },
    [refusal("https", "http"), refusal("TLS 1.2"), refusal("a redirect of HTTP to https")],
  ],
  ["auth", { auth: "jwt" }, [refusal("jwt"), refusal("1 consumers", "up to 0")]],
  ["a rate limit", { rateLimit: limit }, [refusal("a local rate limit per gateway")]],
  ["analytics", { analytics: true }, [refusal("analytics")]],
  ["balancing", { upstream: { count: 2 } }, [refusal("round-robin")]],
  ["routes", { routes: 5 }, [refusal("5 routes", "up to 1")]],
])("a gateway that enforces nothing, asked for %s", (_, asked, lines) => {
  expect(unsupportedPolicies(bare, { name: "s", ...asked }).map(lineOf)).toEqual(lines);
});

test("what a gateway can do instead stands in the sentence", () => {
  const some = { ...bare, supports: { ...fakeGateway().supports, auth: ["key", "basic"] as const } };
  const lines = (asked: Omit<Scenario, "name">) => unsupportedPolicies(some, { name: "s", ...asked }).map(lineOf);
  expect(lines({ auth: "jwt" })).toEqual([refusal("jwt", "key, basic")]);
  expect(lines({ auth: "key", credential: "cookie" })).toEqual([refusal("a credential in a cookie", "header")]);
  expect(lines({ rateLimit: { ...limit, store: "redis" } })).toEqual([
    refusal("a redis rate limit per gateway", "local per gateway, local per consumer"),
  ]);
  expect(lines({ scheme: "https", auth: "key", rateLimit: limit, upstream: { count: 2 } })).toEqual([]);
});

test("a TLS profile that a gateway cannot serve is refused, and with which it can", () => {
  const { supports } = fakeGateway();
  const one = { ...bare, supports: { ...supports, tlsOnly: { curve: "X25519", resumption: true } } };
  const lines = (tls: Scenario["tls"]) =>
    unsupportedPolicies(one, { name: "s", scheme: "https", ...(tls ? { tls } : {}) }).map(lineOf);
  expect(lines(undefined)).toEqual([refusal("TLS without session resumption", "TLS with session resumption")]);
  expect(lines({ resumption: true, curve: "prime256v1" })).toEqual([refusal("the curve prime256v1", "X25519")]);
  expect(lines({ resumption: true })).toEqual([]);
  expect(unsupportedPolicies(one, { name: "s" })).toEqual([]);
});

const request: RequestSpec = { method: "GET", path: "/", headers: {}, expect: 200 };
const load: Load = { model: "closed", connections: 4, duration: "5s" };

test.each<[string, Load, readonly RequestSpec[], readonly string[]]>([
  ["what it can", load, [request], []],
  [
    "an arrival rate",
    { model: "open", ratePerS: 1, maxInFlight: 1, duration: "5s" },
    [request],
    [
      'unsupported-load: poor cannot send a load of model "open". It can: closed. Choose one of these, or another generator.',
    ],
  ],
  [
    "a pace",
    { ...load, pacePerConnection: 5 },
    [request],
    ["unsupported-load: poor cannot pace its connections. Drop the pace, or choose another generator."],
  ],
  [
    "new connections",
    { ...load, connection: "per-request" },
    [request],
    ['unsupported-load: poor cannot send with "per-request" connections. It can: keep-alive.'],
  ],
  [
    "many requests",
    load,
    [request, request],
    [
      "unsupported-request: poor sends one request over and over, and this target has 2 (routes × consumers). Choose a generator that sends many, or a scenario with one route and consumer.",
    ],
  ],
  ["a body", load, [{ ...request, body: "x" }], ["unsupported-request: poor cannot send a body."]],
])("a poor generator, asked for %s", (_, asked, requests, lines) => {
  const { reports } = fakeGenerator();
  const poor = {
    name: "poor",
    models: ["closed"] as const,
    reports: { ...reports, pace: false, connections: ["keep-alive"] as const, bodies: false, requests: "one" as const },
  };
  expect(unsupportedLoad(poor, asked, requests).map(lineOf)).toEqual(lines);
});

test("a generator that sends many in turn does not spread them otherwise", () => {
  const lines = unsupportedLoad(fakeGenerator(), { ...load, spread: "normal" }, [request, request]).map(lineOf);
  expect(lines).toEqual(['unsupported-load: fake-load cannot spread requests "normal". It can: uniform.']);
});

describe("a whole plan", () => {
  const protocol: Protocol = { name: "once", maxRuns: 1, next: () => undefined, answer: (history) => history };
  const plan = {
    generator: fakeGenerator(),
    targets: [{ adapter: fakeGateway(), scenario: { name: "plain" } }],
    load,
    protocol,
  };
  const linesFor = (changes: object) => checkBenchmark({ ...plan, ...changes }).map(lineOf);

  test("in which nothing is wrong", () => expect(linesFor({})).toEqual([]));

  test("says everything at once, and each thing once", () => {
    const scenario: Scenario = { name: "s", auth: "jwt" };
    const targets = [1, 2].map(() => ({ adapter: fakeGateway(), scenario }));
    expect(linesFor({ targets, load: { ...load, threads: 8 }, protocol: { ...protocol, maxRuns: 0 } })).toEqual([
      "invalid-load: 8 threads cannot share 4 connections: each thread needs at least one. Give at most 4 threads.",
      'invalid-protocol: protocol "once" plans 0 runs; it must be a whole number from 1 to 1000.',
      'unsupported-policy: fake cannot enforce jwt in scenario "s". It enforces: key. Drop the policy, or leave fake out of this row of the matrix.',
    ]);
  });

  test("asks the protocol too", () => {
    const faults = () => [fault("invalid-protocol", "not with this load.")];
    expect(linesFor({ protocol: { ...protocol, faults } })).toEqual(["invalid-protocol: not with this load."]);
  });

  test("finds references to values nobody has", () => {
    const adapter = fakeGateway();
    const wrong = fakeGateway({
      render: (scenario, site) => ({
        ...adapter.render(scenario, site),
        setup: [{ ...request, port: 1, body: "<gatebench:consumer-9.key>" }],
      }),
    });
    expect(linesFor({ targets: [{ adapter: wrong, scenario: { name: "plain" } }] })).toEqual([
      "unknown-reference: gateway fake refers to <gatebench:consumer-9.key>, which nothing here provides. Known: certificate.certificate, certificate.key, gateway.secret, gateway.licence, gateway.registry.",
    ]);
  });

  test("takes an adapter's own refusal as it is, and names one that breaks", () => {
    const throwing = (error: Error) =>
      fakeGateway({
        render: () => {
          throw error;
        },
      });
    const linesOf = (error: Error) =>
      linesFor({ targets: [{ adapter: throwing(error), scenario: { name: "plain" } }] });
    expect(linesOf(new FaultError([fault("unsupported-policy", "fake counts only whole seconds.")]))).toEqual([
      "unsupported-policy: fake counts only whole seconds.",
    ]);
    expect(linesOf(new TypeError("no such\nthing"))).toEqual([
      'invalid-adapter: gateway fake cannot render scenario "plain": no such thing',
    ]);
    const generator = fakeGenerator({
      plan: () => {
        throw new TypeError("no plan");
      },
    });
    expect(linesFor({ generator })).toEqual(["invalid-adapter: generator fake-load cannot plan this load: no plan"]);
  });

  test("names the generators that can send what this one cannot", () => {
    const closedOnly = fakeGenerator({ name: "closed-only" });
    const all = fakeGenerator({ name: "all-models", models: ["closed", "open", "users", "iterations"] });
    const open: Load = { model: "open", ratePerS: 10, maxInFlight: 5, duration: "5s" };
    const refusal =
      'unsupported-load: fake-load cannot send a load of model "open". It can: closed. Choose one of these, or another generator.';
    expect(linesFor({ load: open, others: [closedOnly] })).toEqual([refusal]);
    expect(linesFor({ load: open, others: [closedOnly, all] })).toEqual([`${refusal} These can: all-models.`]);
  });

  test("asks for the hosts a generator's workers need, and refuses those nobody would use", () => {
    const reports = { ...fakeGenerator().reports, distributed: "required" as const };
    expect(linesFor({ workers: 1 })).toEqual([
      "invalid-option: fake-load sends a load by itself, and 1 hosts for workers were given. Leave workers out, or choose a generator that shares a load, such as locust.",
    ]);
    expect(linesFor({ generator: fakeGenerator({ reports }) })).toEqual([
      "invalid-option: fake-load sends nothing without workers. Give it at least one host for workers.",
    ]);
    expect(linesFor({ generator: fakeGenerator({ reports }), workers: 1 })).toEqual([]);
  });

  test("names the generators that take a script, where this one does not", () => {
    const { reports } = fakeGenerator();
    const scripted = fakeGenerator({ name: "scripted", reports: { ...reports, scripts: true } });
    const lines = (of: typeof scripted) => scriptFaults(of, "mine.js", [fakeGenerator(), scripted]).map(lineOf);
    expect(lines(scripted)).toEqual([]);
    expect(lines(fakeGenerator())).toEqual([
      "invalid-option: fake-load takes no script, and mine.js was given. Leave it out, or choose a generator that takes one: scripted.",
    ]);
  });

  test("names the programs its parts start, and those a shell of theirs does", () => {
    const part = { name: "part", role: "generator" as const, image: "x:1", ports: {} };
    const shell = { ...part, command: ["sh", "-c", "agent"], programs: ["sh", "agent"] };
    const crew = () => ({ services: [{ ...part, command: ["controller"] }], workers: [shell] });
    const generator = fakeGenerator({ crew, reports: { ...fakeGenerator().reports, distributed: true } });
    expect(programsOf({ ...plan, generator })).toEqual(["fake-gateway", "fake-load", "controller"]);
    expect(programsOf({ ...plan, generator, workers: 1 })).toEqual([
      ...["fake-gateway", "fake-load", "controller", "sh", "agent"],
    ]);
  });

  test("names the programs it starts", () => expect(programsOf(plan)).toEqual(["fake-gateway", "fake-load"]));
});

describe("the catalogue of scenarios", () => {
  test.each(Object.keys(scenarios))("%s is what it is called, and whole", (name) => {
    const named = scenarioNamed(name);
    if (isFault(named)) throw new Error(named.message);
    expect(named.scenario.name).toBe(name);
    expect(named.about).toMatch(/^[^.]{10,90}$/);
    const enforcesAll = fakeGateway({
      supports: {
        ...fakeGateway().supports,
        auth: ["key", "basic", "jwt", "external"],
        balancing: ["round-robin", "least-connections"],
        rateLimit: [{ store: "local", scopes: ["gateway", "route", "consumer", "client"], algorithm: "any" }],
      },
    });
    const { scenario, connection } = named;
    const protocol: Protocol = { name: "once", maxRuns: 1, next: () => undefined, answer: (history) => history };
    const targets = [{ adapter: enforcesAll, scenario }];
    expect(checkBenchmark({ generator: fakeGenerator(), targets, load: { ...load, connection }, protocol })).toEqual(
      [],
    );
    expect(drawn(enforcesAll, scenario).kind).toBe("containers");
  });

  test("a name that is not in it is answered with those that are", () => {
    expect(lineOf(scenarioNamed("nope") as never)).toBe(
      `unknown-scenario: "nope" is not a scenario. Known: ${listed(Object.keys(scenarios))}.`,
    );
    expect(scenarioNamed("toString")).toHaveProperty("code", "unknown-scenario");
  });
});

describe("what a module gives as an adapter", () => {
  test("is told what it lacks", () => {
    expect(gatewayAdapterFaults({ name: "x", supports: {} }, "./x.js").map(lineOf)).toEqual([
      "invalid-adapter: ./x.js gives no gateway adapter: it lacks ports (object), render (function).",
    ]);
    expect(generatorAdapterFaults(undefined, "./x.js").map(lineOf)).toEqual([
      "invalid-adapter: ./x.js gives no generator adapter: it lacks name (string), version (string), models (object), reports (object), plan (function), parse (function).",
    ]);
  });

  test("needs a name that can name files", () => {
    expect(gatewayAdapterFaults(fakeGateway({ name: "../Kong" }), "./x.js").map(lineOf)).toEqual([
      'invalid-adapter: the gateway adapter of ./x.js is named "../Kong"; a name is kebab-case: small letters, digits and hyphens.',
    ]);
  });
});

describe("faults", () => {
  test("are one line each, whatever is put into them, and each is said once", () => {
    const twice = [fault("invalid-option", " two\n lines "), fault("invalid-option", "two lines")];
    expect(() => refuse(twice)).toThrow(new FaultError([fault("invalid-option", "two lines")]));
    expect(() => refuse([])).not.toThrow();
  });

  test("are known again behind an error, also one of another copy of this package", () => {
    const foreign = Object.assign(new Error("x"), { name: "FaultError", faults: [fault("invalid-option", "x")] });
    expect(faultsBehind(foreign)).toEqual([fault("invalid-option", "x")]);
    expect(faultsBehind(new Error("x"))).toBeUndefined();
  });
});
