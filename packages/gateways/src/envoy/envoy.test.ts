import { resolveScenario, drawingSite, type RateLimit, type Scenario } from "@gatebench/core/contract";
import { gatewayLaws } from "@gatebench/core/laws";
import { parse } from "yaml";
import { drawn, expectGolden, goldenScenarios, onlyWorkload, textOf } from "../golden";
import { envoy } from "./envoy";

for (const law of gatewayLaws) test(law.name, () => law.check(envoy()));

const golden: readonly Scenario[] = [
  ...goldenScenarios,
  { name: "ext-authz", auth: "external" },
  { name: "ext-authz-cookie", auth: "external", credential: "cookie" },
];

for (const scenario of golden)
  test(`renders ${scenario.name} as a vendor has reviewed it`, () => {
    const files = onlyWorkload(drawn(envoy(), scenario)).files ?? {};
    expectGolden(__dirname, `${scenario.name}.yaml`, files["envoy.yaml"] as string);
  });

const yaml = (scenario: Parameters<typeof textOf>[2]) => textOf(envoy(), "envoy.yaml", scenario);
const limited = (scope: RateLimit["scope"], per: RateLimit["per"] = "1s") =>
  yaml({ auth: "key", consumers: 2, routes: 3, rateLimit: { requests: 10, per, scope, store: "local" } });

const occurrences = (text: string, part: string) => text.split(part).length - 1;

test("what is rendered is YAML, and says each thing itself instead of by alias", () => {
  expect(() => parse(limited("route"))).not.toThrow();
  expect(limited("route")).not.toMatch(/[&*]a\d/);
});

test("a key of digits only stays text", () => {
  const text = yaml({ auth: "key" }).replaceAll("<gatebench:consumer-1.key>", "12345");
  expect(text).toContain('key: "12345"');
});

test("a limiter that counts also refuses", () => {
  expect(limited("gateway")).toMatch(/filter_enabled:\n +default_value:\n +numerator: 100/);
  expect(limited("gateway")).toMatch(/filter_enforced:\n +default_value:\n +numerator: 100/);
});

test("there is a bucket for the gateway, for each route, for each consumer, and for whoever comes", () => {
  expect(occurrences(limited("gateway"), "max_tokens")).toBe(1);
  expect(occurrences(limited("route"), "max_tokens")).toBe(3);
  expect(limited("consumer")).toMatch(/key: consumer\n +value: "<gatebench:consumer-2.key>"/);
  expect(limited("client")).toContain("- key: remote_address\n");
});

test("a period that Envoy cannot fill a bucket in is refused", () => {
  expect(() => limited("gateway", "20ms")).toThrow(
    "unsupported-policy: envoy cannot limit to 10 requests per 20ms: it fills its buckets every 50ms at most. Choose a longer period, or leave envoy out of this row of the matrix.",
  );
});

test("least connections looks at all upstreams, not at two picked at random", () => {
  expect(yaml({ balancing: "least-connections", upstream: { count: 2 } })).toContain("selection_method: FULL_SCAN");
});

test("curves have the names Envoy's TLS library knows", () => {
  expect(yaml({ scheme: "https", tls: { curve: "prime256v1" } })).toContain("- P-256");
});

test("no counter stands on two lines of the page", () => {
  const page = ["http.gateway.downstream_rq_2xx: 5", "listener.gateway.http.gateway.downstream_rq_2xx: 5"].join("\n");
  const [counted] = drawn(envoy(), { name: "plain" }).counters ?? [];
  expect([...page.matchAll(new RegExp(counted?.statuses?.["2xx"] as string, "gm"))]).toHaveLength(1);
});

describe("an authorizer", () => {
  const asking = (credential: "header" | "cookie", options = {}) =>
    textOf(envoy({ authorizer: options }), "envoy.yaml", { auth: "external", credential });

  test("is asked within a quarter of a second and refuses where it is silent, unless told otherwise", () => {
    expect(asking("header")).toMatch(
      /timeout: 0\.25s\n +failure_mode_allow: false\n +status_on_error:\n +code: Forbidden/,
    );
    expect(asking("header", { timeout: "2s", failOpen: true })).toMatch(/timeout: 2s\n +failure_mode_allow: true/);
  });

  test("is asked after a token was put from its cookie into its header, and before a limit is counted", () => {
    const text = yaml({
      ...{ auth: "external", credential: "cookie", consumers: 2 },
      rateLimit: { requests: 10, per: "1s", scope: "consumer", store: "local" },
    });
    const names = [...text.matchAll(/name: (envoy\.filters\.http\.\S+)/g)].map(([, name]) => name);
    expect(names).toEqual(
      ["lua", "ext_authz", "local_ratelimit", "router"].map((name) => `envoy.filters.http.${name}`),
    );
    expect(text).toContain('value: "Bearer <gatebench:consumer-2.jwt>"');
    expect(asking("header")).not.toContain("envoy.filters.http.lua");
  });

  test("that nobody gave is missed while planning", () => {
    const scenario = resolveScenario({ name: "open", auth: "external" });
    const { authorizer, ...site } = drawingSite(envoy(), scenario);
    expect(authorizer).toBeDefined();
    expect(() => envoy().render(scenario, site)).toThrow(
      'invalid-option: envoy asks an authorizer about each request of scenario "open", and there is none. Give it one, or drop auth.',
    );
  });

  test("is known to a configuration of one's own", () => {
    const own = envoy({ configuration: { "envoy.yaml": "<gatebench:authorizer.host>:<gatebench:authorizer.port>" } });
    expect(textOf(own, "envoy.yaml", { auth: "external" })).toBe("127.0.0.1:9100");
  });
});

describe("a person's own configuration", () => {
  const files = (text: string, asked = {}) =>
    onlyWorkload(drawn(envoy({ configuration: { "envoy.yaml": text } }), { name: "drawn", ...asked })).files;

  test("stands in place of ours, with the site's values in it and the host's still to come", () => {
    const text = "port_value: <gatebench:port.admin> # <gatebench:upstream-1.host> <gatebench:consumer-1.key>";
    expect(files(text, { auth: "key" })).toEqual({
      "envoy.yaml": "port_value: 8002 # 127.0.0.1 <gatebench:consumer-1.key>",
    });
  });

  test("finds the certificate beside it where the scenario asks for TLS", () => {
    expect(Object.keys(files("", { scheme: "https" }) ?? {})).toEqual(["envoy.yaml", "certificate.pem", "key.pem"]);
  });

  test("cannot name what the site does not have", () => {
    expect(() => files("<gatebench:upstream-2>")).toThrow(
      "unknown-reference: <gatebench:upstream-2> in a gateway's own configuration stands for nothing in this scenario. Known: workers, port.entry, port.admin, upstream-1, upstream-1.host, upstream-1.port. Correct the name, or declare what it means.",
    );
  });
});
