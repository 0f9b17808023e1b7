import { type RateLimit } from "@gatebench/core/contract";
import { gatewayLaws } from "@gatebench/core/laws";
import { parse } from "yaml";
import { drawn, expectGolden, goldenScenarios } from "../golden";
import { kong, type KongOptions } from "./kong";

type Asked = Omit<Parameters<typeof drawn>[1], "name">;

const workloads = (scenario: Asked, options?: KongOptions) => {
  const deployment = drawn(kong(options), { name: "drawn", ...scenario });
  return deployment.kind === "containers" ? deployment.workloads : [];
};
const files = (scenario: Asked, options?: KongOptions) => {
  const found = workloads(scenario, options).find(({ name }) => name === "kong");
  return found?.files as { "kong.conf": string; "kong.yaml": string };
};
const conf = (scenario: Asked) => files(scenario)["kong.conf"];
const entities = (scenario: Asked) => parse(files(scenario)["kong.yaml"]) as Entities;

interface Limiter {
  name: string;
  config: Record<string, unknown>;
}
interface Entities {
  services: { retries: number; routes: { paths: string[]; plugins?: Limiter[] }[] }[];
  plugins: Limiter[];
}

const limited = (rateLimit: Partial<RateLimit>): Asked => ({
  auth: "key",
  routes: 2,
  rateLimit: { requests: 10, per: "1s", scope: "gateway", store: "local", ...rateLimit },
});
const limiterOf = (rateLimit: Partial<RateLimit>) =>
  entities(limited(rateLimit)).plugins.find(({ name }) => name === "rate-limiting")?.config;

for (const law of gatewayLaws) test(law.name, () => law.check(kong()));

const redisLimit = {
  name: "redis-rate-limit",
  rateLimit: { requests: 100, per: "1m", scope: "client", store: "redis" },
} as const;

for (const scenario of [...goldenScenarios, redisLimit])
  test(`renders ${scenario.name} as a vendor can review it`, () => {
    expectGolden(__dirname, `${scenario.name}.conf`, files(scenario)["kong.conf"]);
    expectGolden(__dirname, `${scenario.name}.yaml`, files(scenario)["kong.yaml"]);
  });

test("what is rendered is YAML, and says each thing itself instead of by alias", () => {
  const text = files(limited({ scope: "route" }))["kong.yaml"];
  expect(() => parse(text) as unknown).not.toThrow();
  expect(text).not.toMatch(/[&*]a\d/);
});

test("credentials of digits only stay text", () => {
  const text = files({ auth: "basic" })["kong.yaml"].replaceAll(/<gatebench:[^>]+>/g, "12345");
  expect(text).toContain('password: "12345"');
  expect(text).toContain('username: "12345"');
});

test.each<[RateLimit["per"], string]>([
  ["1s", "second"],
  ["60s", "minute"],
  ["1h", "hour"],
  ["24h", "day"],
])("a limit per %s is one of the windows Kong has", (per, window) => {
  expect(limiterOf({ per })).toMatchObject({ [window]: 10 });
});

test("a limit in a window that Kong has not is refused, not rounded", () => {
  expect(() => limiterOf({ per: "7s" })).toThrow(
    "unsupported-policy: kong cannot limit to 10 requests per 7s: its windows are 1s, 1m, 1h and 24h. Choose one of these, or leave kong out of this row of the matrix.",
  );
});

test("a day's limit of a million million requests is written in digits", () => {
  const asked = limited({ requests: 1_000_000_000_000, per: "24h" });
  expect(files(asked)["kong.yaml"]).toContain("day: 1000000000000\n");
});

test("each scope is counted by its own key; a route has a limiter of its own", () => {
  expect(limiterOf({ scope: "gateway" })).toMatchObject({ limit_by: "service" });
  expect(limiterOf({ scope: "consumer" })).toMatchObject({ limit_by: "consumer" });
  expect(limiterOf({ scope: "client" })).toMatchObject({ limit_by: "ip" });
  expect(limiterOf({ scope: "route" })).toBeUndefined();
  const limiters = entities(limited({ scope: "route" })).services[0]?.routes.map(({ plugins }) => plugins?.[0]?.config);
  expect(limiters).toEqual([expect.objectContaining({ second: 10 }), expect.objectContaining({ second: 10 })]);
});

test("Redis starts before Kong where the limit is kept there, and nowhere else", () => {
  expect(workloads(redisLimit).map(({ name, role }) => [name, role])).toEqual([
    ["redis", "support"],
    ["kong", "gateway"],
  ]);
  expect(workloads({}).map(({ name }) => name)).toEqual(["kong"]);
});

test("sessions may be resumed only where the profile says so", () => {
  const refused = ["ssl_session_tickets = off", "nginx_proxy_ssl_session_cache = off"];
  for (const line of refused) expect(conf({ scheme: "https" }).split("\n")).toContain(line);
  expect(conf({ scheme: "https", tls: { resumption: true } })).toContain("ssl_session_tickets = on");
  expect(conf({ scheme: "https", tls: { resumption: true } })).not.toContain("session_cache");
});

test("connections to the upstream are kept or closed as asked", () => {
  expect(conf({})).toContain("upstream_keepalive_pool_size = 512");
  expect(conf({ upstream: { keepAlive: false } })).toContain("upstream_keepalive_pool_size = 0");
});

test("no credential stands in the command or the environment", () => {
  for (const { command, env } of workloads({ auth: "basic", consumers: 2 }))
    expect(JSON.stringify([command, env])).not.toContain("<gatebench:consumer");
});

test("the page of nginx's counters is read in whatever order Kong writes it", () => {
  const page =
    '{"server":{"connections_active":1,"total_requests":1503,"connections_accepted":56,"connections_handled":55},"memory":{}}';
  const { values = {} } = drawn(kong(), { name: "plain" }).counters?.[0] ?? {};
  const read = Object.entries(values).map(([name, expression]) => [name, new RegExp(expression, "m").exec(page)?.[1]]);
  expect(Object.fromEntries(read)).toEqual({ requests: "1503", connections: "56" });
});

describe("a person's own configuration", () => {
  const own = {
    conf: "proxy_listen = <gatebench:bind>:<gatebench:port.entry>\nnginx_worker_processes = <gatebench:workers>\n",
    declarative: "services: [{ url: 'http://<gatebench:upstream-1>' }] # <gatebench:consumer-1.key>\n",
  };

  test("stands in place of ours, with the site's values in it and the host's still to come", () => {
    expect(files({ auth: "key" }, { configuration: own })).toEqual({
      "kong.conf": "proxy_listen = <gatebench:bind>:8001\nnginx_worker_processes = 2\n",
      "kong.yaml": "services: [{ url: 'http://127.0.0.1:9001' }] # <gatebench:consumer-1.key>\n",
    });
  });

  test("may be one of the two files", () => {
    const { declarative } = own;
    expect(files({ auth: "key" }, { configuration: { declarative } })["kong.conf"]).toBe(conf({ auth: "key" }));
  });

  test("cannot name what the site does not have", () => {
    expect(() => files({}, { configuration: { conf: "<gatebench:port.admin>" } })).toThrow(
      "unknown-reference: <gatebench:port.admin> in a gateway's own configuration stands for nothing in this scenario. Known: workers, port.entry, port.status, port.redis, upstream-1, upstream-1.host, upstream-1.port. Correct the name, or declare what it means.",
    );
  });
});
