import { hostOf, type Chart, type ClusterDeployment, type GatewayAdapter, type Manifest } from "../contract";
import { gatewayLaws } from "./gateway-laws";

const namespace = "toy";
const manifest = (kind: string, name: string, rest: object): Manifest => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace },
  ...rest,
});

const sound: GatewayAdapter = {
  name: "toy",
  version: "1.2.3",
  ports: ["entry", "metrics"],
  supports: {
    schemes: ["http", "https"],
    tlsVersions: ["1.2", "1.3"],
    auth: ["key"],
    credentials: ["header"],
    rateLimit: [],
    analytics: false,
    balancing: ["round-robin", "least-connections"],
    routes: 10,
    consumers: 10,
  },
  render: (scenario, { ports, workers, upstreams, certificate, consumers }): ClusterDeployment => ({
    kind: "cluster",
    charts: [
      {
        name: "toy",
        chart: "toy",
        version: "1.2.3",
        repository: "https://charts.test",
        namespace,
        values: { workers, service: { type: "ClusterIP", port: ports.entry, metrics: ports.metrics } },
        services: ["toy"],
        placement: { pool: "gateway", nodeSelector: "nodes", tolerations: "tolerations", resources: "resources" },
      },
    ],
    manifests: [
      ...(certificate ? [manifest("Secret", "pem", { stringData: { ...certificate } })] : []),
      manifest("Secret", "keys", { stringData: Object.fromEntries(consumers.map(({ name, key }) => [name, key])) }),
      manifest("Route", "routes", {
        spec: {
          upstreams,
          tls: scenario.scheme === "https" && scenario.tls,
          auth: scenario.auth ?? null,
          balancing: scenario.balancing,
          keepAlive: scenario.upstream.keepAlive,
          routes: scenario.routes,
        },
      }),
    ],
    pods: { namespace, labels: { app: "toy" }, container: "toy" },
    readiness: { port: ports.metrics as number, path: "/ready" },
    entry: { scheme: scenario.scheme, host: hostOf({ name: "toy", namespace }), port: ports.entry as number },
    counters: [{ port: ports.metrics as number, path: "/", values: { requests: "requests (\\d+)" } }],
    requests: Array.from({ length: Math.max(scenario.routes, consumers.length) }, (_, index) => ({
      ...scenario.request,
      path: `/${index % scenario.routes}`,
      headers: {
        ...scenario.request.headers,
        ...(scenario.auth ? { key: consumers[index % consumers.length]?.key as string } : {}),
      },
      body: scenario.request.body ?? "",
      expect: 200,
    })),
  }),
};

const rendering = (change: (made: ClusterDeployment) => object): GatewayAdapter => ({
  ...sound,
  render: (scenario, site) => {
    const made = sound.render(scenario, site) as ClusterDeployment;
    return { ...made, ...change(made) };
  },
});

const withChart = (change: (chart: Chart) => object) =>
  rendering(({ charts }) => ({ charts: charts.map((one) => ({ ...one, ...change(one) })) }));
const withMore = (...more: readonly Manifest[]) =>
  rendering(({ manifests }) => ({ manifests: [...manifests, ...more] }));

const brokenBy = (adapter: GatewayAdapter): readonly string[] =>
  gatewayLaws.flatMap(({ name, check }) => {
    try {
      check(adapter);
      return [];
    } catch {
      return [name];
    }
  });

test("a sound adapter of a cluster keeps every law", () => {
  for (const law of gatewayLaws) law.check(sound);
});

test.each<[string, GatewayAdapter, string]>([
  [
    "releases whatever chart is newest",
    withChart(() => ({ version: "latest", chart: "toy-1.2.3" })),
    "pins every chart to a version",
  ],
  [
    "names an object twice",
    withMore(manifest("Route", "routes", {})),
    "names its charts and manifests once, each in a namespace that a chart is released in",
  ],
  [
    "puts an object where no namespace is made",
    withMore({ apiVersion: "v1", kind: "Route", metadata: { name: "other", namespace: "elsewhere" } }),
    "names its charts and manifests once, each in a namespace that a chart is released in",
  ],
  [
    "orders a load balancer",
    withMore(manifest("Service", "public", { spec: { type: "LoadBalancer" } })),
    "sends all that enters through a Service of its own, and orders no load balancer",
  ],
  [
    "leaves the type of its Service to the chart",
    withChart(({ values }) => ({ values: { ...values, service: { ...(values.service as object), type: undefined } } })),
    "sends all that enters through a Service of its own, and orders no load balancer",
  ],
  [
    "lets traffic enter through a Service of somebody else",
    withChart(() => ({ services: ["other"] })),
    "sends all that enters through a Service of its own, and orders no load balancer",
  ],
  [
    "does not say where its pods are placed",
    withChart(() => ({ placement: undefined })),
    "says where its values place its pods, the gateway's alone on the gateway's nodes",
  ],
  [
    "refers to a file of a container",
    withMore(manifest("Secret", "file", { stringData: { path: "<gatebench:file.toy.json>" } })),
    "refers in a cluster only to credentials and looked-up hosts",
  ],
  [
    "writes a secret where everybody reads it",
    withMore(manifest("ConfigMap", "open", { data: { secret: "<gatebench:gateway.secret>" } })),
    "keeps secrets in Secrets",
  ],
  [
    "puts a certificate into other text",
    withMore(manifest("Secret", "text", { stringData: { both: "key <gatebench:certificate.key>" } })),
    "keeps certificates and keys in files of their own",
  ],
  [
    "is asked on a port it was not given",
    rendering(() => ({ readiness: { port: 15_020 } })),
    "asks at its entry's Service, on ports it was given, whether it is ready and what it counted",
  ],
])("an adapter that %s breaks the law about it", (_, adapter, law) => {
  // What is undefined is no plain data either.
  expect(brokenBy(adapter).filter((name) => name !== "renders plain data")).toEqual([law]);
});
