import { drawingSite, resolveScenario, type Address, type RateLimit, type Scenario } from "@gatebench/core/contract";
import { gatewayLaws } from "@gatebench/core/laws";
import { schemaFaults } from "../cluster-schema";
import { clusterText, drawn, expectGolden, goldenScenarios, onlyCluster } from "../golden";
import { nginxIngressController, type NginxIngressControllerOptions } from "./nginx-ingress-controller";

for (const law of gatewayLaws) test(law.name, () => law.check(nginxIngressController()));

describe("NGINX Plus", () => {
  for (const law of gatewayLaws) test(law.name, () => law.check(nginxIngressController({ plus: true })));
});

type Asked = Omit<Scenario, "name">;
const deployed = (asked: Asked, options?: NginxIngressControllerOptions) =>
  onlyCluster(drawn(nginxIngressController(options), { name: "drawn", ...asked }));

const limited = (scope: RateLimit["scope"], asked: Asked = {}): Asked => ({
  routes: 2,
  rateLimit: { requests: 100, per: "1s", scope, store: "local" },
  ...asked,
});

const drawings: Readonly<Record<string, ReturnType<typeof deployed>>> = {
  ...Object.fromEntries(goldenScenarios.map(({ name, ...asked }) => [name, deployed(asked)])),
  "rate-limit-per-route": deployed(limited("route")),
  "rate-limit-per-consumer": deployed(limited("consumer", { auth: "key", consumers: 2 })),
  plus: deployed({ upstream: { keepAlive: false } }, { plus: true }),
};

for (const [name, deployment] of Object.entries(drawings)) {
  test(`renders ${name} as a vendor can review it`, () =>
    expectGolden(__dirname, `${name}.yaml`, clusterText(deployment)));

  test(`renders ${name} as the controller's own schemas take it`, () =>
    expect(schemaFaults(__dirname, deployment)).toEqual([]));
}

test("the schemas refuse what they do not know", () => {
  const deployment = deployed({});
  const manifests = deployment.manifests.map((one) =>
    one.kind === "VirtualServer" ? { ...one, spec: { ...(one.spec as object), route: [] } } : one,
  );
  const charts = deployment.charts.map((one) => ({ ...one, values: { ...one.values, controler: {} } }));
  expect(schemaFaults(__dirname, { ...deployment, manifests, charts })).toEqual([
    expect.stringContaining("VirtualServer/spec must NOT have additional properties"),
    expect.stringContaining("nginx-ingress must NOT have additional properties"),
  ]);
});

const specs = (asked: Asked, kind: string) =>
  deployed(asked).manifests.flatMap((one) => (one.kind === kind ? [one.spec as Spec] : []));
const entries = (asked: Asked, options?: NginxIngressControllerOptions) =>
  (deployed(asked, options).charts[0]?.values as { controller: { config: { entries: object } } }).controller.config
    .entries;

interface Spec {
  readonly host: string;
  readonly upstreams: readonly { readonly service: string; readonly port: number; readonly keepalive: number }[];
  readonly routes: readonly { readonly path: string; readonly policies?: readonly { readonly name: string }[] }[];
  readonly rateLimit?: { readonly key: string; readonly rate: string; readonly burst?: number };
}

test("workers and their connections are said, not left to the node", () => {
  expect(entries({})).toMatchObject({ "worker-processes": "2", "worker-connections": "16384" });
  expect(entries({}, { connections: 1024 })).toMatchObject({ "worker-connections": "1024" });
});

test("the scenario's TLS is the only one there is", () => {
  expect(entries({})).not.toHaveProperty("ssl-protocols");
  expect(entries({ scheme: "https" })).toMatchObject({
    "ssl-protocols": "TLSv1.2",
    "ssl-ciphers": "ECDHE-RSA-AES256-GCM-SHA384",
    "http-snippets": expect.stringContaining("ssl_ecdh_curve X25519;"),
  });
  expect(entries({ scheme: "https", tls: { resumption: true } })).toMatchObject({
    "http-snippets": expect.stringContaining("ssl_session_tickets on;"),
  });
});

test("clients come by the name of the Service, which the VirtualServer answers to", () => {
  const deployment = deployed({ scheme: "https" });
  expect(deployment.entry).toEqual({
    scheme: "https",
    host: "nginx-ingress-controller.nginx-ingress.svc.cluster.local",
    port: 8001,
  });
  expect(specs({}, "VirtualServer").map(({ host }) => host)).toEqual([deployment.entry.host]);
});

describe("an upstream", () => {
  const behind = (...upstreams: readonly Address[]) => {
    const scenario = resolveScenario({ name: "behind", upstream: { count: upstreams.length } });
    const adapter = nginxIngressController();
    const { manifests } = onlyCluster(adapter.render(scenario, { ...drawingSite(adapter, scenario), upstreams }));
    const { upstreams: named } = manifests.find(({ kind }) => kind === "VirtualServer")?.spec as Spec;
    const addresses = manifests.flatMap((one) => (one.kind === "EndpointSlice" ? [one.endpoints] : []));
    return { service: named[0]?.service, port: named[0]?.port, addresses };
  };

  test("that is a Service is named, in its own namespace", () => {
    expect(behind({ host: "upstream-1.rig.svc.cluster.local", port: 8080 })).toEqual({
      service: "rig/upstream-1",
      port: 8080,
      addresses: [],
    });
  });

  test("that is none, or one of several, is an endpoint of a Service of ours, by an address looked up at the start", () => {
    const [first, second] = ["a.rig.svc.cluster.local", "10.0.0.7"].map((host) => ({ host, port: 8080 }));
    const ready = { ready: true };
    expect(behind(first as Address, second as Address)).toEqual({
      service: "upstreams",
      port: 8080,
      addresses: [
        [
          { addresses: ["<gatebench:ip.a.rig.svc.cluster.local>"], conditions: ready },
          { addresses: ["10.0.0.7"], conditions: ready },
        ],
      ],
    });
  });

  test("on another port than the others is refused, because it would never be asked", () => {
    expect(() => behind({ host: "10.0.0.7", port: 8080 }, { host: "10.0.0.7", port: 8082 })).toThrow(
      "unsupported-policy: nginx-ingress-controller cannot balance over upstreams on the ports 8080, 8082: all are endpoints of one Service, which has one port. Let them listen on the same port, or leave nginx-ingress-controller out of this row of the matrix.",
    );
  });
});

test("connections to the upstream are kept or closed as asked", () => {
  const kept = (keepAlive: boolean) => specs({ upstream: { keepAlive } }, "VirtualServer")[0]?.upstreams[0]?.keepalive;
  expect([kept(true), kept(false)]).toEqual([512, 0]);
});

test("whether it is ready takes nothing from a limit, and needs no credential", () => {
  const asked = limited("gateway", { auth: "key" });
  const routes = specs(asked, "VirtualServer")[0]?.routes ?? [];
  const policies = routes.map(({ path, policies = [] }) => [path, policies.map(({ name }) => name)]);
  expect(policies).toEqual([
    ["/route-1/", ["key", "rate-limit"]],
    ["/route-2/", ["key", "rate-limit"]],
    ["/gatebench-ready", []],
  ]);
  expect(deployed(asked).readiness.path).toBe("/gatebench-ready");
});

test.each<[RateLimit["scope"], Asked["auth"], string]>([
  ["gateway", undefined, "gateway"],
  ["client", undefined, "${binary_remote_addr}"],
  ["consumer", "key", "${http_apikey}"],
  ["consumer", "basic", "${http_authorization}"],
])("a limit per %s under %s is counted by its own key", (scope, auth, key) => {
  const [limit] = specs(limited(scope, auth ? { auth } : {}), "Policy").flatMap(({ rateLimit }) => rateLimit ?? []);
  expect(limit).toMatchObject({ key, rate: "100r/s", burst: 99 });
});

test("a limit per route is a policy for each route: one policy would count them together", () => {
  const routes = specs(limited("route"), "VirtualServer")[0]?.routes.map(({ policies }) => policies?.[0]?.name);
  expect(routes).toEqual(["rate-limit-1", "rate-limit-2", undefined]);
});

test("a limit that nginx cannot count is refused, not rounded", () => {
  expect(() => deployed({ rateLimit: { requests: 1, per: "7s", scope: "gateway", store: "local" } })).toThrow(
    "unsupported-policy: nginx-ingress-controller cannot limit to 1 requests per 7s: it counts whole requests per second or per minute. Choose such a limit, or leave nginx-ingress-controller out of this row of the matrix.",
  );
});

test("NGINX Plus has its licence and the key of its registry before its pods start, and neither stands in a value", () => {
  const { before = [], charts, counters } = deployed({}, { plus: true });
  expect(before.map(({ type, stringData }) => [type, stringData])).toEqual([
    ["nginx.com/license", { "license.jwt": "<gatebench:gateway.licence>" }],
    ["kubernetes.io/dockerconfigjson", { ".dockerconfigjson": "<gatebench:gateway.registry>" }],
  ]);
  expect(JSON.stringify(charts)).not.toContain("<gatebench:");
  expect(counters).toBeUndefined();
  expect(deployed({}).before).toBeUndefined();
});

test("its page is read as Prometheus writes it, large counts too", () => {
  const page = [
    "# TYPE nginx_ingress_nginx_http_requests_total counter",
    'nginx_ingress_nginx_http_requests_total{class="nginx"} 1.234567e+06',
    'nginx_ingress_nginx_connections_accepted{class="nginx"} 57',
  ].join("\n");
  const { values = {} } = deployed({}).counters?.[0] ?? {};
  const read = Object.entries(values).map(([name, expression]) => [
    name,
    Number(new RegExp(expression, "m").exec(page)?.[1]),
  ]);
  expect(Object.fromEntries(read)).toEqual({ requests: 1_234_567, connections: 57 });
});
