/**
 * What gateways of a cluster render, before a real API server with Istio's own definitions (test/cluster), asked as strictly as it
 * can be, which makes nothing. Charts are rendered by Helm from Istio's sources. Of F5's controller there are no definitions to be had:
 * of it only what Kubernetes itself knows is asked.
 */
import { execFileSync } from "node:child_process";
import { drawn, placed, type Chart, type ClusterDeployment, type GatewayAdapter, type Scenario } from "@gatebench/core";
import { istio, nginxIngressController } from "@gatebench/gateways";
import { openCluster, type Cluster } from "./cluster";

jest.setTimeout(240_000);

let cluster: Cluster;
let charts: Readonly<Record<string, string>>;

beforeAll(async () => {
  cluster = openCluster();
  await cluster.command("up", "--nodes", JSON.stringify(["gateway"]));
  await cluster.command("crds", "istio");
  charts = JSON.parse(await cluster.command("charts")) as typeof charts;
  for (const namespace of ["istio-system", "istio-ingress", "nginx-ingress"])
    await cluster.kubectl(["create", "namespace", namespace]);
});
afterAll(() => cluster.command("down"));

const limited = (scope: "gateway" | "route" | "client"): Scenario => ({
  ...{ name: `limit-per-${scope}`, routes: 2 },
  rateLimit: { requests: 100, per: "1s", scope, store: "local" },
});
const common: readonly Scenario[] = [
  { name: "plain" },
  { name: "https", scheme: "https" },
  { name: "round-robin", balancing: "round-robin", upstream: { count: 2 } },
  { name: "least-connections", balancing: "least-connections", upstream: { count: 2 } },
  limited("route"),
];
const ofIstio: readonly Scenario[] = [
  ...common,
  { name: "ext-authz", auth: "external" },
  { name: "ext-authz-cookie", auth: "external", credential: "cookie", upstream: { keepAlive: false } },
  limited("gateway"),
  limited("client"),
];
const ofNic: readonly Scenario[] = [
  ...common,
  { name: "hundred-routes", routes: 100, consumers: 100, auth: "key" },
  { name: "basic-auth", auth: "basic", consumers: 2 },
];

const nodes = {
  nodeSelector: { "gatebench/pool": "gateway" },
  tolerations: [{ key: "gatebench/pool", operator: "Equal", value: "gateway", effect: "NoSchedule" }],
} as const;

function rendered(adapter: GatewayAdapter, scenario: Scenario): ClusterDeployment {
  const deployment = drawn(adapter, scenario);
  if (deployment.kind !== "cluster") throw new Error(`${adapter.name} renders ${deployment.kind}`);
  return deployment;
}

/** With something of its kind for each reference, and an address that a Service can have for those that a drawing has. */
function filled<T>(value: T): T {
  const text = JSON.stringify(value).replaceAll(/127\.0\.0\.(\d+)/g, "10.0.0.$1");
  return JSON.parse(text.replace(/<gatebench:(ip\.)?[^>]+>/g, (_, ip) => (ip ? "10.0.0.1" : "a-value"))) as T;
}

const refused = (manifests: readonly object[] | string): Promise<string> => {
  const text = typeof manifests === "string" ? manifests : listOf(manifests);
  const asked = ["apply", "--dry-run=server", "--validate=strict", "--filename", "-"];
  return cluster.kubectl(asked, text).then(
    () => "",
    (error: Error) => error.message,
  );
};
const listOf = (items: readonly object[]) => JSON.stringify({ apiVersion: "v1", kind: "List", items });

test.each(ofIstio)("Istio's definitions take what is rendered for $name", async (scenario) => {
  const { before = [], manifests } = filled(rendered(istio(), scenario));
  expect(manifests.length).toBeGreaterThan(2);
  expect(await refused([...before, ...manifests])).toBe("");
});

test("a field they do not know is refused by them", async () => {
  const { manifests } = filled(rendered(istio(), { name: "plain" }));
  const wrong = manifests.map((one) =>
    one.kind === "VirtualService" ? { ...one, spec: { ...(one.spec as object), htp: [] } } : one,
  );
  expect(await refused(wrong)).toContain('VirtualService.spec): unknown field "htp"');
});

test.each(ofNic)(
  "Kubernetes takes its own kinds of what is rendered for $name by NGINX Ingress Controller",
  async (scenario) => {
    const { before = [], manifests } = filled(rendered(nginxIngressController(), scenario));
    const known = [...before, ...manifests].filter(
      ({ apiVersion }) => !String(apiVersion).startsWith("k8s.nginx.org/"),
    );
    expect(known.length).toBeGreaterThan(0);
    expect(await refused(known)).toBe("");
  },
);

function template({ name, chart, namespace, ...more }: Chart): string {
  const values = JSON.stringify(placed({ name, chart, namespace, ...more }, nodes));
  const folder = charts[chart] as string;
  return execFileSync("helm", ["template", name, folder, "--namespace", namespace, "--values", "-"], {
    encoding: "utf8",
    input: values,
    maxBuffer: 64 * 1024 * 1024,
  });
}

test.each(["base", "istiod", "gateway"])(
  "Helm renders Istio's chart %s with our values, and Kubernetes takes it",
  async (name) => {
    const { charts: asked } = filled(rendered(istio(), { name: "ext-authz", auth: "external", credential: "cookie" }));
    const chart = asked.find((one) => one.chart === name) as Chart;
    const text = template(chart);
    expect(await refused(text)).toBe("");
    if (name === "gateway") expect(text).toMatch(/nodeSelector:\s+gatebench\/pool: gateway/);
  },
);
