import type { ContainerDeployment, Scenario } from "@gatebench/core/contract";
import { gatewayLaws } from "@gatebench/core/laws";
import { drawn } from "../golden";
import { container, type ContainerOptions } from "./container";

const workload = {
  image: "registry.test:5000/small-gateway:1.4.2",
  command: ["small-gateway", "--listen", "<gatebench:bind>:<gatebench:port.entry>", "--to", "<gatebench:upstream-1>"],
  env: { WORKERS: "<gatebench:workers>" },
};
const small: ContainerOptions = { name: "small", workloads: workload };

/** As far as plain data goes: several workloads and ports, a set-up and counters. */
const large: ContainerOptions = {
  name: "large",
  version: "2.0.0",
  ports: ["entry", "admin", "redis"],
  workloads: [
    {
      name: "redis",
      image: "redis:7.4.5",
      command: ["redis-server", "<gatebench:file.redis.conf>"],
      ports: ["redis"],
      files: { "redis.conf": "bind <gatebench:bind>\nport <gatebench:port.redis>\n" },
      readiness: { port: "redis" },
    },
    {
      ...workload,
      image: "large:2.0.0",
      command: [...workload.command, "--redis", "<gatebench:address.redis>"],
      readiness: { path: "/health", port: "admin" },
    },
  ],
  requests: { path: "/users", headers: { "x-tenant": "one" } },
  setup: [{ port: "admin", path: "/keys/<gatebench:port.entry>", body: "{}" }],
  counters: [{ port: "admin", path: "/metrics", values: { requests: "^requests_total (\\d+)$" } }],
  metrics: [
    {
      ...{ port: "admin", path: "/metrics" },
      figures: [{ name: "gateway-requests", unit: "requests", kind: "counter", query: "requests_total{$gateway}" }],
    },
  ],
};

/** More than one purpose: the scenario decides what is started. */
const keyed: ContainerOptions = {
  ...small,
  workloads: ({ auth, consumers, routes, upstream, scheme, tls }) => ({
    ...workload,
    files: {
      "config.json": JSON.stringify({
        key: auth && "<gatebench:consumer-1.key>",
        and: auth && consumers > 1 && "<gatebench:consumer-2.key>",
        routes,
        keepAlive: upstream.keepAlive,
        tls: scheme === "https" && tls,
      }),
    },
  }),
  requests: ["/users", { path: "/orders", headers: { "x-tenant": "one" } }],
  supports: { schemes: ["http", "https"], auth: ["key"], consumers: 2 },
};

const secure: ContainerOptions = {
  name: "secure",
  workloads: {
    ...workload,
    files: { "c.pem": "<gatebench:certificate.certificate>", "k.pem": "<gatebench:certificate.key>" },
  },
  supports: { schemes: ["https"] },
};

/** A function that heeds the key only: the rest is refused for it. */
const careless: ContainerOptions = {
  name: "careless",
  workloads: ({ auth }) => ({ ...workload, files: { key: auth ? "<gatebench:consumer-1.key>" : "" } }),
  supports: { auth: ["key"], consumers: 1 },
};

describe.each([small, large, keyed, secure, careless])("the container $name", (options) => {
  for (const law of gatewayLaws) test(law.name, () => law.check(container(options)));
});

const rendered = (options: ContainerOptions, scenario: Omit<Scenario, "name"> = {}) =>
  drawn(container(options), { name: "s", ...scenario }) as ContainerDeployment;

test("image and command suffice: one workload, one port, one path, ready when it takes connections", () => {
  const { version, ports, supports } = container(small);
  expect({ version, ports, supports }).toMatchObject({
    version: "1.4.2",
    ports: ["entry"],
    supports: { schemes: ["http"], routes: 1, auth: [], balancing: [], rateLimit: [] },
  });
  expect(rendered(small)).toEqual({
    kind: "containers",
    workloads: [
      {
        ...workload,
        name: "small",
        role: "gateway",
        command: ["small-gateway", "--listen", "<gatebench:bind>:8001", "--to", "127.0.0.1:9001"],
        env: { WORKERS: "2" },
        ports: { entry: 8001 },
        readiness: { port: 8001 },
      },
    ],
    entry: { scheme: "http", host: "<gatebench:address.small>", port: 8001 },
    setup: [],
    counters: [],
    requests: [{ method: "GET", path: "/", headers: {}, expect: 200 }],
  });
});

test("an observatory finds its metrics on the port that is named, with their figures as they were given", () => {
  const { workloads, metrics } = rendered(large);
  expect(metrics).toEqual([{ ...large.metrics?.[0], port: workloads[1]?.ports.admin }]);
  expect(rendered(small).metrics).toBeUndefined();
});

test("of several workloads the last is the gateway and has the ports that no other has", () => {
  const { workloads, entry } = rendered(large);
  expect(workloads.map(({ name, role, ports }) => [name, role, ports])).toEqual([
    ["redis", "support", { redis: 8003 }],
    ["large", "gateway", { entry: 8001, admin: 8002 }],
  ]);
  expect(entry.host).toBe("<gatebench:address.large>");
});

test("another may be named as the entry", () => {
  const [redis, gateway] = large.workloads as never[];
  const { workloads, entry } = rendered({ ...large, entry: "large", workloads: [gateway, redis] as never });
  expect(workloads.map(({ name, role }) => [name, role])).toEqual([
    ["large", "gateway"],
    ["redis", "support"],
  ]);
  expect(entry.host).toBe("<gatebench:address.large>");
});

test("ports have names in set-up, counters and readiness, and their numbers in texts", () => {
  const { setup, counters, workloads } = rendered(large);
  expect(setup).toEqual([{ method: "POST", path: "/keys/8001", headers: {}, body: "{}", expect: 200, port: 8002 }]);
  expect(counters?.[0]?.port).toBe(8002);
  expect(workloads[1]?.readiness).toEqual({ path: "/health", port: 8002 });
  expect(workloads[0]?.files).toEqual({ "redis.conf": "bind <gatebench:bind>\nport 8003\n" });
});

test("each path is a route, with what is its own beside what the scenario says", () => {
  const request = { method: "POST", headers: { accept: "text/plain" } } as const;
  const own = { "x-tenant": "one" };
  expect(container(keyed).supports.routes).toBe(2);
  expect(rendered(keyed, { routes: 2, request }).requests).toEqual([
    { method: "POST", path: "/users", headers: { accept: "text/plain" }, expect: 200 },
    { method: "POST", path: "/orders", headers: { accept: "text/plain", ...own }, expect: 200 },
  ]);
  expect(rendered(keyed).requests.map(({ path }) => path)).toEqual(["/users"]);
  expect(rendered(large).requests).toEqual([{ method: "GET", path: "/users", headers: own, expect: 200 }]);
});

test("with consumers, each sends its own credential", () => {
  const sent = rendered(keyed, { auth: "key", consumers: 2 }).requests.map(({ headers }) => headers.apikey);
  expect(sent).toEqual(["<gatebench:consumer-1.key>", "<gatebench:consumer-2.key>"]);
});

const sentences: readonly (readonly [string, () => unknown, string])[] = [
  [
    "an image without a version",
    () => container({ name: "mine", workloads: { image: "registry:5000/mine", command: ["mine"] } }),
    "invalid-option: mine runs the image registry:5000/mine, which names no version. Give it a tag, as in registry:5000/mine:1.2.3.",
  ],
  [
    "a table of routes that no scenario changes",
    () => container({ ...small, requests: ["/a", "/b"] }),
    'invalid-option: small has 2 paths, and its workloads are the same for one route. Give one path, or "workloads" as a function of the scenario that heeds "routes".',
  ],
  [
    "an entry it has not",
    () => container({ ...small, entry: "proxy" }),
    'invalid-option: small has no workload "proxy" that traffic could enter. It has: small. Name one of its workloads, or give one.',
  ],
  [
    "nothing to start",
    () => container({ ...small, workloads: [] }),
    "invalid-option: small has no workload. It has: nothing. Name one of its workloads, or give one.",
  ],
  [
    "a port it has not",
    () => rendered({ ...small, counters: [{ port: "admin", path: "/", values: {} }] }),
    'invalid-option: small names the port "admin", which it has not. It has: entry. Add it to "ports".',
  ],
  [
    "an upstream the scenario has not",
    () => rendered({ ...small, workloads: { ...workload, command: ["<gatebench:upstream-2>"] } }),
    "unknown-reference: <gatebench:upstream-2> in a gateway's own configuration stands for nothing in this scenario. Known: workers, port.entry, upstream-1, upstream-1.host, upstream-1.port. Correct the name, or declare what it means.",
  ],
  [
    "what its one configuration cannot do",
    () => rendered(secure, { scheme: "https", tls: { resumption: true }, upstream: { keepAlive: false } }),
    'unsupported-policy: secure cannot give a connection to the upstream for each request in scenario "s": its workloads are the same without it. Drop it, or give "workloads" as a function of the scenario that heeds it.\nunsupported-policy: secure cannot give the TLS resumption true in scenario "s": its workloads are the same without it. Drop it, or give "workloads" as a function of the scenario that heeds it.',
  ],
];

test.each(sentences)("%s is refused in a sentence", (_, attempt, sentence) => {
  expect(attempt).toThrow(new Error(sentence));
});
