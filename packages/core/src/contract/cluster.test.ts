import { hostOf, ipOf, manifestsOf, namespacesOf, placed, serviceNamed } from "./cluster";
import type { Chart, ClusterDeployment } from "./deployment";

test("a host's name tells whether it is a Service, and whose", () => {
  const service = { name: "upstream-1", namespace: "rig" };
  expect(hostOf(service)).toBe("upstream-1.rig.svc.cluster.local");
  for (const host of [hostOf(service), "upstream-1.rig.svc", "upstream-1.rig.svc.other.domain"])
    expect(serviceNamed(host)).toEqual(service);
  for (const host of ["10.0.0.7", "upstream-1.test", "a.b.c.svc", "rig.svc", "<gatebench:address.redis>"])
    expect(serviceNamed(host)).toBeUndefined();
});

test("an address is said as it is, a name is looked up at the start", () => {
  expect(ipOf("10.0.0.7")).toBe("10.0.0.7");
  expect(ipOf("fd00::7")).toBe("fd00::7");
  expect(ipOf("upstream-1.rig.svc")).toBe("<gatebench:ip.upstream-1.rig.svc>");
});

const chart: Chart = {
  name: "one",
  chart: "one",
  version: "1.0.0",
  repository: "https://charts.test",
  namespace: "first",
  values: { controller: { tolerations: [], kind: "deployment" }, other: 1 },
  placement: {
    pool: "gateway",
    nodeSelector: "controller.nodeSelector",
    tolerations: "controller.tolerations",
    resources: "controller.pod.resources",
  },
};
const nodes = { nodeSelector: { pool: "gateway" }, tolerations: [{ key: "pool" }] };

test("a host places a chart's pods where its values say so, and leaves the rest of them alone", () => {
  expect(placed(chart, nodes)).toEqual({ controller: { ...nodes, kind: "deployment" }, other: 1 });
  expect(placed(chart, { ...nodes, resources: { limits: { cpu: "2" } } })).toEqual({
    controller: { ...nodes, kind: "deployment", pod: { resources: { limits: { cpu: "2" } } } },
    other: 1,
  });
  expect(chart.values).toEqual({ controller: { tolerations: [], kind: "deployment" }, other: 1 });
});

test("a chart without pods stays as it is", () => {
  const { placement, ...bare } = chart;
  expect(placement).toBeDefined();
  expect(placed(bare, nodes)).toBe(bare.values);
});

test("what pods need comes before what needs them, and each namespace is named once", () => {
  const [licence, route] = [{ kind: "Secret" }, { kind: "Route" }];
  const deployment: ClusterDeployment = {
    kind: "cluster",
    before: [licence],
    charts: [chart, { ...chart, name: "two" }, { ...chart, name: "three", namespace: "second" }],
    manifests: [route],
    pods: { namespace: "first", labels: {}, container: "one" },
    readiness: { port: 1 },
    entry: { scheme: "http", host: "one.first.svc", port: 1 },
    requests: [],
  };
  expect(manifestsOf(deployment)).toEqual([licence, route]);
  expect(namespacesOf(deployment)).toEqual(["first", "second"]);
});
