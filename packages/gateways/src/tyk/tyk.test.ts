import {
  resolveScenario,
  unsupportedPolicies,
  type ContainerDeployment,
  type RateLimit,
  type Scenario,
  type Workload,
} from "@gatebench/core/contract";
import { gatewayLaws } from "@gatebench/core/laws";
import { drawn, expectGolden, goldenScenarios } from "../golden";
import { tyk, type TykOptions } from "./tyk";

for (const law of gatewayLaws) test(law.name, () => law.check(tyk()));

const tls = { resumption: true };
const perConsumer: RateLimit = { requests: 1_000_000, per: "1s", scope: "consumer", store: "local" };

const reviewed: readonly Scenario[] = [
  ...goldenScenarios.filter((scenario) => unsupportedPolicies(tyk(), scenario).length === 0),
  { name: "fully-loaded", auth: "key", rateLimit: perConsumer, analytics: true },
  { name: "route-limit-in-redis", routes: 2, rateLimit: { requests: 100, per: "1m", scope: "route", store: "redis" } },
  { name: "key-in-cookie", auth: "key", credential: "cookie" },
  { name: "https-with-resumption", scheme: "https", auth: "key", tls },
  { name: "https-1-3-with-resumption", scheme: "https", tls: { ...tls, version: "1.3" } },
];

for (const scenario of reviewed)
  test(`renders ${scenario.name} as a vendor has reviewed it`, () => {
    expectGolden(__dirname, `${scenario.name}.txt`, textOf(deployed(scenario)));
  });

/** Everything Tyk and Redis get, the files in between marked as by `tail`; of many alike the first and the last. */
function textOf({ workloads, setup = [] }: ContainerDeployment): string {
  const files = workloads.flatMap(({ files = {} }) => Object.entries(files));
  const environment = workloads.flatMap(({ env = {} }) =>
    Object.entries(env).map(([name, value]) => `${name}=${value}`),
  );
  return [
    ...ends(files.map(([path, text]) => `==> ${path} <==\n${text}`)),
    `==> environment of tyk <==\n${environment.join("\n")}\n`,
    ...ends(setup.map(({ method, path, headers, body = "" }) => request(`${method} ${path}`, headers, body))),
  ].join("\n");
}

const request = (line: string, headers: Readonly<Record<string, string>>, body: string) =>
  [
    `==> ${line} <==`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    JSON.stringify(JSON.parse(body), null, 2),
    "",
  ].join("\n");

const ends = (texts: readonly string[]): readonly string[] =>
  texts.length <= 6
    ? texts
    : [...texts.slice(0, 3), `(${texts.length - 4} more like the one above)\n`, ...texts.slice(-1)];

const deployed = (scenario: Scenario, options?: TykOptions) => drawn(tyk(options), scenario) as ContainerDeployment;
const named = (name: string, { workloads }: ContainerDeployment) =>
  workloads.find((workload) => workload.name === name) as Workload;
const asked = (scenario: Omit<Scenario, "name">, options?: TykOptions) =>
  deployed({ name: "asked", ...scenario }, options);
const file = (path: string, deployment: ContainerDeployment) =>
  JSON.parse(named("tyk", deployment).files?.[path] as string) as Record<string, unknown>;
const sessions = ({ setup = [] }: ContainerDeployment) =>
  setup.map(({ body }) => JSON.parse(body as string) as Record<string, unknown>);

test("Redis starts before Tyk, keeps nothing on disk and lets in who knows the secret", () => {
  const { workloads } = asked({});
  expect(workloads.map(({ name, role }) => [name, role])).toEqual([
    ["redis", "support"],
    ["tyk", "gateway"],
  ]);
  expect(named("redis", asked({})).files?.["redis.conf"]).toContain('requirepass "<gatebench:gateway.secret>"');
});

test("secrets stand in files and set-up requests only, as references", () => {
  const { workloads } = asked({ auth: "basic" });
  for (const { command, env = {} } of workloads) expect(JSON.stringify([command, env])).not.toContain("secret");
  expect(file("tyk.conf", asked({})).secret).toBe("<gatebench:gateway.secret>");
});

test("the key that a generator sends is the one that was created", () => {
  const { setup = [], requests } = asked({ auth: "key", consumers: 2 });
  expect(setup.map(({ path }) => path)).toEqual(requests.map(({ headers }) => `/tyk/keys/${headers.apikey}`));
  expect(file("apps/route-1.json", asked({ auth: "key" })).auth_configs).toEqual({
    authToken: { auth_header_name: "apikey" },
  });
});

test("keys are created over the scheme that Tyk serves", () => {
  expect(asked({ auth: "key" }).setup?.[0]?.scheme).toBe("http");
  expect(asked({ auth: "key", scheme: "https", tls }).setup?.[0]?.scheme).toBe("https");
});

test("a hundred routes are a hundred APIs, and a consumer has rights to those it sends to", () => {
  const many = asked({ auth: "key", routes: 100, consumers: 50 });
  const paths = Array.from({ length: 100 }, (_, index) => file(`apps/route-${index + 1}.json`, many).proxy);
  expect(new Set(paths.map((proxy) => (proxy as { listen_path: string }).listen_path)).size).toBe(100);
  expect(Object.keys(sessions(many)[6]?.access_rights as object)).toEqual(["route-7", "route-57"]);
});

const limit = (scope: RateLimit["scope"], more: Partial<RateLimit> = {}): RateLimit => ({
  requests: 10,
  per: "1m",
  scope,
  store: "local",
  ...more,
});

test("a route's limit is its API's; a consumer's is its key's, over all routes", () => {
  const perRoute = asked({ auth: "key", rateLimit: limit("route") });
  expect(file("apps/route-1.json", perRoute).global_rate_limit).toEqual({ rate: 10, per: 60, disabled: false });
  expect(sessions(perRoute)[0]).not.toHaveProperty("rate");
  const perKey = asked({ auth: "key", routes: 2, rateLimit: limit("consumer") });
  expect(file("apps/route-1.json", perKey)).not.toHaveProperty("global_rate_limit");
  expect(file("apps/route-1.json", perKey).disable_rate_limit).toBe(false);
  expect(sessions(perKey)[0]).toMatchObject({ rate: 10, per: 60 });
  expect(sessions(perKey)[0]).not.toHaveProperty("meta_data");
});

test("a gateway's limit is one counter for all keys; without keys, that of its only API", () => {
  const shared = asked({ auth: "basic", routes: 3, consumers: 2, rateLimit: limit("gateway") });
  for (const session of sessions(shared))
    expect(session).toMatchObject({ rate: 10, per: 60, meta_data: { rate_limit_pattern: "gateway" } });
  expect(file("apps/route-1.json", asked({ rateLimit: limit("gateway") })).global_rate_limit).toMatchObject({
    rate: 10,
  });
});

test.each<[string, Omit<Scenario, "name">, string]>([
  [
    "one limit for several routes that nobody is known on",
    { routes: 2, rateLimit: limit("gateway") },
    "unsupported-policy: tyk cannot count 2 routes against one limit without auth: each is an API of its own, and what they share is counted by key. Add auth, limit each route, or leave tyk out of this row of the matrix.",
  ],
  [
    "part of a second in memory",
    { rateLimit: limit("gateway", { per: "500ms" }) },
    "unsupported-policy: tyk cannot limit to 10 requests per 500ms in memory: it counts whole seconds. Choose such a period, the store redis, or leave tyk out of this row of the matrix.",
  ],
  [
    "a cipher it would not serve alone",
    { scheme: "https", tls: { ...tls, cipher: "AES256-SHA" } },
    "unsupported-policy: tyk cannot serve TLS 1.2 with AES256-SHA only. It can: ECDHE-RSA-AES128-GCM-SHA256, ECDHE-RSA-AES256-GCM-SHA384, ECDHE-RSA-CHACHA20-POLY1305 with TLS 1.2; with TLS 1.3, Go chooses. Choose one of these, or leave tyk out of this row of the matrix.",
  ],
])("%s is refused, not rendered", (_, scenario, message) => {
  expect(() => asked(scenario)).toThrow(message);
});

test("a TLS 1.3 cipher is refused, a TLS 1.2 one has no effect there", () => {
  const served = (cipher: string) => asked({ scheme: "https", tls: { ...tls, version: "1.3", cipher } });
  expect(() => served("TLS_AES_256_GCM_SHA384")).toThrow("tyk cannot serve TLS 1.3 with TLS_AES_256_GCM_SHA384 only.");
  expect(() => served(resolveScenario({ name: "default" }).tls.cipher)).not.toThrow();
});

test("the default TLS profile is refused: Go gives tickets, and Tyk cannot tell it not to", () => {
  const [fault] = unsupportedPolicies(tyk(), { name: "tls", scheme: "https" });
  expect(fault?.message).toBe(
    'tyk cannot enforce TLS without session resumption in scenario "tls". It enforces: TLS with session resumption. Drop the policy, or leave tyk out of this row of the matrix.',
  );
});

test("a limit in Redis and in memory are told apart, and neither is on unasked", () => {
  const fixedWindow = (rateLimit?: RateLimit) =>
    file("tyk.conf", asked(rateLimit ? { rateLimit } : {})).enable_fixed_window_rate_limiter;
  expect([fixedWindow(), fixedWindow(limit("route")), fixedWindow(limit("route", { store: "redis" }))]).toEqual([
    false,
    false,
    true,
  ]);
});

test("Go's settings follow the workers and the options", () => {
  expect(named("tyk", asked({})).env).toEqual({ GOMAXPROCS: "2", GOGC: "1600", GOMEMLIMIT: "2GiB" });
  expect(named("tyk", asked({}, { gogc: 400 })).env?.GOGC).toBe("400");
  expect(named("redis", asked({}, { redisVersion: "7.2.5" })).image).toBe("redis:7.2.5");
});

test("native files of one's own stand in place of ours, certificates beside them", () => {
  const configuration: TykOptions["configuration"] = (ours, { ports }) => ({
    "tyk.conf": ours["tyk.conf"].replace("512", "10000"),
    "apps/mine.json": `{ "listen_port": ${ports.entry} }`,
  });
  const { files } = named("tyk", asked({ scheme: "https", tls }, { configuration }));
  expect(Object.keys(files ?? {})).toEqual(["tyk.conf", "apps/mine.json", "certificate.pem", "key.pem"]);
  expect(files?.["tyk.conf"]).toContain('"max_idle_connections_per_host": 10000');
  expect(files?.["apps/mine.json"]).toBe('{ "listen_port": 8001 }');
});
