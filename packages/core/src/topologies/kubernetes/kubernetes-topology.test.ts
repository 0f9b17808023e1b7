import type * as pulumi from "@pulumi/pulumi";
import { Benchmark } from "../../components/benchmark";
import { GatewayUnderTest } from "../../components/gateway-under-test";
import { LoadGenerator } from "../../components/load-generator";
import { Observatory } from "../../components/observatory";
import { UpstreamHost } from "../../components/upstream-host";
import { lineOf, type Protocol } from "../../contract";
import { isSecret, material, MockedEngine, plain, verbOf } from "../../hosts/mocked-engine";
import { repeat } from "../../measure";
import { fakeGateway, fakeGenerator } from "../../testing";
import { staticPayload } from "../../upstreams";
import { kubernetesFaults, KubernetesTopology, type KubernetesTopologyArgs } from "./kubernetes-topology";

const pool = (role: string, cpus = 4) => ({
  labels: { "gatebench/pool": role },
  taints: [{ key: "gatebench/pool", value: role, effect: "NoSchedule" as const }],
  cpus,
});
const sound: KubernetesTopologyArgs = {
  kubeconfig: "the-kubeconfig",
  namespace: "bench",
  upstream: pool("upstream"),
  gateway: pool("gateway", 16),
  generator: pool("generator", 96),
};

/** A whole benchmark in a cluster. */
async function carriedOut(): Promise<MockedEngine> {
  const engine = new MockedEngine();
  await engine.run(() => {
    const site = new KubernetesTopology("rig", sound);
    const upstream = new UpstreamHost("upstream", { host: site.upstreams, app: staticPayload() });
    const scenario = { name: "plain" };
    const target = new GatewayUnderTest("fake", { host: site.gateway, adapter: fakeGateway(), upstream, scenario });
    const generator = new LoadGenerator("wrk", { host: site.generator, adapter: fakeGenerator() });
    const load = { model: "closed", connections: 10, duration: "2s" } as const;
    return new Benchmark("bench", { generator, target, load, protocol: repeat(), results: "results" });
  });
  return engine;
}

const inputs = <T = Record<string, unknown>>(engine: MockedEngine, name: string, type: string) =>
  engine.registered.find((one) => one.name === name && one.type === type)?.inputs as T;
interface ServiceInputs {
  readonly spec: { readonly ports: readonly { readonly port: number; readonly targetPort: string }[] };
}
const deploymentType = "kubernetes:apps/v1:Deployment";
const serviceType = "kubernetes:core/v1:Service";
const secretType = "kubernetes:core/v1:Secret";

test("a node of each role has an agent, which may see Jobs and pods of the namespace and nothing else", async () => {
  const engine = new MockedEngine();
  const rig = await engine.run(() => new KubernetesTopology("rig", sound));
  const { upstream, gateway, generator, observer } = rig;
  expect([upstream, gateway, generator].map(({ name, kind, address, cpus }) => [name, kind, address, cpus])).toEqual([
    ["upstream", "kubernetes", "agent-upstream.bench.svc.cluster.local", 4],
    ["gateway", "kubernetes", "agent-gateway.bench.svc.cluster.local", 16],
    ["generator", "kubernetes", "agent-generator.bench.svc.cluster.local", 96],
  ]);
  expect(observer).toBe(generator);
  expect(engine.names(deploymentType)).toEqual(["rig-upstream-agent", "rig-gateway-agent", "rig-generator-agent"]);
  expect(inputs(engine, "rig-gateway-role", "kubernetes:rbac.authorization.k8s.io/v1:Role").rules).toEqual([
    { apiGroups: ["batch"], resources: ["jobs"], verbs: ["create", "get", "list", "delete"] },
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "delete", "deletecollection"] },
  ]);
  const types = new Set(engine.registered.map(({ type }) => type).filter((type) => type.startsWith("kubernetes:")));
  expect([...types].filter((type) => /Cluster|LoadBalancer|Autoscaler/.test(type))).toEqual([]);
});

test("whatever stands on a host stands on its pool's nodes, and on the very node of its agent", async () => {
  const engine = await carriedOut();
  const specOf = (name: string) =>
    inputs<{ spec: { template: { spec: object } } }>(engine, name, deploymentType).spec.template.spec;
  const own = {
    nodeSelector: { "gatebench/pool": "gateway" },
    tolerations: [{ key: "gatebench/pool", operator: "Equal", value: "gateway", effect: "NoSchedule" }],
  };
  expect(specOf("rig-gateway-agent")).toMatchObject({ ...own, hostPID: true, hostNetwork: true });
  expect(specOf("fake-fake")).toMatchObject(own);
  expect(specOf("fake-fake")).toHaveProperty(
    "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution.0",
    expect.objectContaining({
      labelSelector: { matchLabels: { "gatebench/agent": "agent-gateway" } },
      topologyKey: "kubernetes.io/hostname",
    }),
  );
});

test("no container has a limit that nobody asked for", async () => {
  const engine = await carriedOut();
  const spec = JSON.stringify(inputs(engine, "fake-fake", deploymentType));
  expect(spec).toContain('"limits":{}');
});

test("an upstream answers behind a Service of its own, by which the gateway is told of it while planning", async () => {
  const engine = await carriedOut();
  const service = inputs<ServiceInputs>(engine, "upstream-upstream-1", serviceType);
  expect(service).toMatchObject({
    metadata: { name: "upstream-upstream-1", namespace: "bench" },
    spec: { selector: { "gatebench/host": "agent-upstream" } },
  });
  const [{ port, targetPort } = { port: 0, targetPort: "" }] = service.spec.ports;
  expect(targetPort).toBe(`p${port}`);
  const texts = Object.values(plain(inputs(engine, "fake-fake", secretType).stringData) as Record<string, string>);
  expect(texts.join("\n")).toContain(`"host":"upstream-upstream-1.bench.svc.cluster.local","port":${port}`);
});

test("an observatory's parts are each behind a Service that has their port, and who tells of a machine has its network", async () => {
  const engine = new MockedEngine();
  const { tunnel } = await engine.run(() => {
    const site = new KubernetesTopology("rig", { ...sound, observer: pool("observer") });
    const upstream = new UpstreamHost("upstream", { host: site.upstreams, app: staticPayload() });
    const observatory = new Observatory("watch", { host: site.observer, watches: [upstream] });
    return observatory.access("a.kubeconfig");
  });
  const portsOf = (name: string) => inputs<ServiceInputs>(engine, name, serviceType).spec.ports.map(({ port }) => port);
  const [prometheus, exporter] = [portsOf("observer-watch"), portsOf("observer-watch-node-exporter")];
  expect([...prometheus, ...exporter].map((port) => port > 0)).toEqual([true, true]);
  const network = (name: string) => JSON.stringify(inputs(engine, name, deploymentType)).includes('"hostNetwork":true');
  expect(["watch-observer-node-exporter", "watch-upstream-node-exporter", "watch-prometheus"].map(network)).toEqual([
    ...[true, true, false],
  ]);
  expect(await valueOf(tunnel as pulumi.Output<string>)).toBe(
    `kubectl --kubeconfig a.kubeconfig --namespace bench port-forward service/observer-watch 9090:${prometheus[0]}`,
  );
});

const valueOf = <T>(output: pulumi.Output<T>): Promise<T> => new Promise((resolve) => void output.apply(resolve));

test("values stand in Secrets and nowhere else, and the kubeconfig in no input", async () => {
  const engine = await carriedOut();
  const shown = engine.registered.filter(({ type }) => type !== secretType && !type.startsWith("command:"));
  for (const secret of Object.values(material)) expect(JSON.stringify(shown)).not.toContain(secret);
  expect(isSecret(inputs(engine, "fake-fake", secretType).stringData)).toBe(true);
  const commands = engine.registered.filter(({ type }) => type.startsWith("command:"));
  for (const { inputs: given } of commands) {
    const { GATEBENCH_CLUSTER: cluster } = (given.environment ?? {}) as Record<string, unknown>;
    if (cluster !== undefined) expect(isSecret(cluster)).toBe(true);
    expect(JSON.stringify([given.create, given.delete])).not.toContain("the-kubeconfig");
  }
});

test("runs are asked of the generator's agent, in a chain of commands", async () => {
  const engine = await carriedOut();
  const runs = engine.registered.filter((one) => one.type.startsWith("command:") && verbOf(one.inputs) === "run-job");
  expect(runs.map(({ name }) => name)).toEqual(["bench-fake-verify", ...runsOf(repeat())]);
  for (const { inputs: given } of runs) {
    const { GATEBENCH_CLUSTER: cluster } = given.environment as Record<string, unknown>;
    expect(plain(cluster)).toContain('"agent":"agent-generator"');
  }
});

const runsOf = ({ maxRuns }: Protocol) => Array.from({ length: maxRuns }, (_, index) => `bench-fake-${index + 1}`);

test.each<[string, Partial<KubernetesTopologyArgs>, RegExp]>([
  ["a pool without labels", { gateway: { labels: {}, cpus: 4 } }, /^invalid-option: gateway.labels is empty/],
  ["no CPUs", { generator: pool("generator", 0) }, /^invalid-option: generator.cpus is 0/],
  ["a generator beside the gateway", { generator: pool("gateway") }, /generator and gateway are on the same nodes/],
  ["an upstream beside the gateway", { upstream: pool("gateway") }, /upstream and gateway are on the same nodes/],
  ["no upstreams", { upstream: [] }, /upstream is a list of 0 machines/],
  ["a namespace that is none", { namespace: "My Bench" }, /namespace "My Bench" is none.*"my-bench"/],
  [
    "a taint that is none",
    { gateway: { ...pool("gateway"), taints: [{ key: "a", value: "b", effect: "Never" as "NoSchedule" }] } },
    /gateway.taints: a has the effect "Never"/,
  ],
])("%s is refused in one line", (_, changes, line) => {
  expect(kubernetesFaults({ ...sound, ...changes }).map(lineOf)).toEqual([expect.stringMatching(line)]);
});
