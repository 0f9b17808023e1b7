import {
  drawingSite,
  resolveScenario,
  unsupportedPolicies,
  type RateLimit,
  type Scenario,
} from "@gatebench/core/contract";
import { gatewayLaws } from "@gatebench/core/laws";
import { schemaFaults } from "../cluster-schema";
import { clusterText, drawn, expectGolden, goldenScenarios, onlyCluster } from "../golden";
import { istio, type IstioOptions } from "./istio";

for (const law of gatewayLaws) test(law.name, () => law.check(istio()));

const limitPer = (scope: RateLimit["scope"]): Scenario => ({
  name: `rate-limit-per-${scope}`,
  routes: 2,
  rateLimit: { requests: 100, per: "1s", scope, store: "local" },
});
const scenarios: readonly Scenario[] = [
  ...goldenScenarios.filter((scenario) => unsupportedPolicies(istio(), scenario).length === 0),
  { name: "ext-authz", auth: "external" },
  { name: "ext-authz-cookie", auth: "external", credential: "cookie", upstream: { keepAlive: false } },
  ...(["gateway", "route", "client"] as const).map(limitPer),
];

for (const scenario of scenarios) {
  test(`renders ${scenario.name} as a vendor can review it`, () =>
    expectGolden(__dirname, `${scenario.name}.yaml`, clusterText(onlyCluster(drawn(istio(), scenario)))));

  test(`renders ${scenario.name} as Istio's own schemas take it`, () =>
    expect(schemaFaults(__dirname, onlyCluster(drawn(istio(), scenario)))).toEqual([]));
}

test("the schemas refuse what they do not know", () => {
  const deployment = onlyCluster(drawn(istio(), { name: "plain" }));
  const manifests = deployment.manifests.map((one) =>
    one.kind === "DestinationRule" ? { ...one, spec: { ...(one.spec as object), trafficPolcy: {} } } : one,
  );
  const charts = deployment.charts.map((one) => ({ ...one, values: { ...one.values, autoscalling: {} } }));
  expect(schemaFaults(__dirname, { ...deployment, manifests, charts })).toEqual([
    expect.stringContaining("DestinationRule/spec must NOT have additional properties"),
    expect.stringContaining("base must NOT have additional properties"),
    expect.stringContaining("istiod must NOT have additional properties"),
    expect.stringContaining("gateway must NOT have additional properties"),
  ]);
});

type Asked = Omit<Scenario, "name">;
const deployed = (asked: Asked, options?: IstioOptions) =>
  onlyCluster(drawn(istio(options), { name: "drawn", ...asked }));
const manifest = (asked: Asked, kind: string, name: string) =>
  deployed(asked).manifests.find((one) => one.kind === kind && (one.metadata as { name: string }).name === name);
const values = (asked: Asked, chart: string, options?: IstioOptions) =>
  deployed(asked, options).charts.find((one) => one.chart === chart)?.values;

test("the three charts stand in the order in which they need each other, only the gateway's on the gateway's nodes", () => {
  const { charts } = deployed({});
  expect(charts.map(({ chart, placement }) => [chart, placement?.pool])).toEqual([
    ["base", undefined],
    ["istiod", "support"],
    ["gateway", "gateway"],
  ]);
  expect(new Set(charts.map(({ version }) => version))).toEqual(new Set(["1.30.4"]));
});

test("threads are the site's workers, of one pod that stays one and has no limit of its chart's", () => {
  expect(values({}, "gateway")).toMatchObject({
    replicaCount: 1,
    autoscaling: { enabled: false },
    resources: { limits: { cpu: null, memory: null } },
    podAnnotations: { "proxy.istio.io/config": expect.stringContaining('"concurrency":2') },
  });
});

test("an authorizer is asked within a quarter of a second and refuses where it is silent, unless told otherwise", () => {
  const asked = { auth: "external" } as const;
  const provider = (options?: IstioOptions) =>
    (values(asked, "istiod", options) as { meshConfig: { extensionProviders: [{ envoyExtAuthzGrpc: object }] } })
      .meshConfig.extensionProviders[0].envoyExtAuthzGrpc;
  expect(provider()).toMatchObject({ timeout: "0.25s", failOpen: false, statusOnError: "403" });
  expect(provider({ authorizer: { timeout: "2s", failOpen: true } })).toMatchObject({ timeout: "2s", failOpen: true });
});

test("a mesh without authorization names no provider", () => {
  expect(values({}, "istiod")).toEqual({
    autoscaleEnabled: false,
    replicaCount: 1,
    meshConfig: { accessLogFile: "", enableTracing: false },
  });
});

test("a token in a cookie is put into its header before the authorizer is asked, and only then", () => {
  const asked = { auth: "external", credential: "cookie" } as const;
  const [patch] = (manifest(asked, "EnvoyFilter", "token-from-cookie")?.spec as { configPatches: object[] })
    .configPatches;
  expect(patch).toMatchObject({
    match: { listener: { filterChain: { filter: { subFilter: { name: "envoy.filters.http.ext_authz" } } } } },
    patch: { operation: "INSERT_BEFORE" },
  });
  expect(manifest({ auth: "external" }, "EnvoyFilter", "token-from-cookie")).toBeUndefined();
});

test("a generator sends the token where the scenario puts it", () => {
  const sent = (credential: "header" | "cookie") => deployed({ auth: "external", credential }).requests[0]?.headers;
  expect(sent("header")).toEqual({ authorization: "Bearer <gatebench:consumer-1.jwt>" });
  expect(sent("cookie")).toEqual({ cookie: "s_access=<gatebench:consumer-1.jwt>" });
});

test("an authorizer that nobody gave is missed while planning", () => {
  const scenario = resolveScenario({ name: "open", auth: "external" });
  const { authorizer, ...site } = drawingSite(istio(), scenario);
  expect(authorizer).toBeDefined();
  expect(() => istio().render(scenario, site)).toThrow(
    'invalid-option: istio asks an authorizer about each request of scenario "open", and there is none. Give it one, or drop auth.',
  );
});

test("a limiter that counts also refuses, and stands before the router", () => {
  const text = JSON.stringify(manifest(limitPer("gateway"), "EnvoyFilter", "rate-limit"));
  const all = { default_value: { numerator: 100, denominator: "HUNDRED" } };
  expect(text).toContain(JSON.stringify({ filter_enabled: all, filter_enforced: all }).slice(1, -1));
  expect(text).toContain('"subFilter":{"name":"envoy.filters.http.router"}');
});

test("a period that Envoy cannot fill a bucket in is refused", () => {
  expect(() => deployed({ rateLimit: { requests: 1, per: "20ms", scope: "gateway", store: "local" } })).toThrow(
    "unsupported-policy: istio cannot limit to 1 requests per 20ms: its Envoy fills buckets every 50ms at most. Choose a longer period, or leave istio out of this row of the matrix.",
  );
});

test("a curve or cipher that Istio would drop without a word is refused", () => {
  expect(() => deployed({ scheme: "https", tls: { curve: "X448" } })).toThrow(
    "unsupported-policy: istio cannot serve the curve X448. It serves: P-256, P-384, P-521, X25519. Choose one of these, or leave istio out of this row of the matrix.",
  );
  expect(() => deployed({ scheme: "https", tls: { cipher: "AES128-SHA256" } })).toThrow(
    /^unsupported-policy: istio cannot serve the cipher AES128-SHA256\. It serves: /,
  );
});

test("sessions may be resumed only where the profile says so", () => {
  expect(manifest({ scheme: "https" }, "EnvoyFilter", "no-resumption")).toBeDefined();
  expect(manifest({ scheme: "https", tls: { resumption: true } }, "EnvoyFilter", "no-resumption")).toBeUndefined();
});

test("nothing is tried again", () => {
  const { http } = manifest({ routes: 3 }, "VirtualService", "routes")?.spec as { http: { retries: object }[] };
  expect(http.map(({ retries }) => retries)).toEqual([{ attempts: 0 }, { attempts: 0 }, { attempts: 0 }]);
});

test("its page is read as Envoy writes it with Istio's tags", () => {
  const page = [
    "# TYPE envoy_http_gatebench_downstream_rq counter",
    'envoy_http_gatebench_downstream_rq{response_code_class="2xx"} 41',
    'envoy_http_gatebench_downstream_rq{response_code_class="4xx"} 2',
    "envoy_http_gatebench_downstream_rq_total{} 43",
    "envoy_http_gatebench_downstream_cx_total{} 5",
    'envoy_listener_ssl_handshake{listener_address="0.0.0.0_8001"} 5',
    'envoy_listener_ssl_handshake{listener_address="0.0.0.0_18001"} 900',
    'envoy_listener_http_downstream_rq{response_code_class="2xx",listener_address="0.0.0.0_8001"} 41',
  ].join("\n");
  const [counted] = deployed({ scheme: "https" }).counters ?? [];
  const read = (expression = "") => [...page.matchAll(new RegExp(expression, "gm"))].map(([, count]) => count);
  expect(read(counted?.values?.requests)).toEqual(["43"]);
  expect(read(counted?.values?.connections)).toEqual(["5"]);
  expect(read(counted?.values?.handshakes)).toEqual(["5"]);
  expect(read(counted?.statuses?.["2xx"])).toEqual(["41"]);
  expect(read(counted?.statuses?.["4xx"])).toEqual(["2"]);
});
