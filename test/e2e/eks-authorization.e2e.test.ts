/**
 * Presets of the published test of an authorization on a cluster (eks-rig.ts). Kubernetes, Locust, Envoy, Redis, Prometheus and our
 * services are real; Envoy stands where the presets have Istio, whose image cannot be had here.
 */
import type { RunFigure } from "@gatebench/core";
import type { OutputMap } from "@pulumi/pulumi/automation";
import { leftOnNodes, openEks, type EksRig } from "./eks-rig";

jest.setTimeout(400_000);

const images = [
  ...["node:22.12.0-bookworm-slim", "nicolaka/netshoot:v0.14", "envoyproxy/envoy:v1.40.0", "locustio/locust:2.47.0"],
  ...["redis:7.4.7", "prom/prometheus:v3.14.0", "prom/node-exporter:v1.12.1"],
  ...["gatebench/ext-authz:1", "gatebench/ping:1"],
];
const pools = ["gateway", "upstream", "generator", "observer", "service-1", "service-2"];

const asked = {
  ...{ preset: "ext-authz-1000", gateway: "envoy", grafana: "false" },
  ...{ authorizerImage: "gatebench/ext-authz:1", upstreamImage: "gatebench/ping:1" },
  ...{ users: "40", spawnPerS: "100", think: "50ms-150ms", duration: "8s", allowSmallGenerator: "true" },
};

let rig: EksRig;
beforeAll(async () => void (rig = await openEks(pools, images)));
afterAll(() => rig?.close());

type Figures = Readonly<Record<string, number>>;

function figuresOf({ figures }: OutputMap): Figures {
  const runs = (figures?.value as Readonly<Record<string, Readonly<Record<string, readonly RunFigure[][]>>>>).bench;
  const known = (runs?.envoy?.[0] ?? []).flatMap((one) => ("value" in one ? [[one.name, one.value] as const] : []));
  return Object.fromEntries(known);
}

let published: Figures;

test("each part stands on its nodes, and figures by PromQL stand beside the generator's", async () => {
  const { outputs } = await rig.up(asked);
  expect(outputs.summary?.value).not.toMatch(/run-failed|verification-failed/);
  const pods = await rig.pods();
  const nodeOf = (name: string) => pods.find(([pod]) => pod.includes(name))?.[1];
  expect(["ext-authz", "redis", "prometheus"].map(nodeOf)).toEqual(["service-1", "service-2", "observer"]);
  published = figuresOf(outputs);
  expect(published["authorizer-requests"]).toBeGreaterThan(100);
  expect(published["authorizer-allowed"]).toBeGreaterThan(0.9);
  expect(outputs.observatory?.value.tunnel).toMatch(/port-forward service\/\S+ 9090:\d+$/);
});

test("less CPU than it takes is the bottleneck: decisions wait for it, and checking a token is not what takes the time", async () => {
  const cpu = Math.max(0.01, Number((0.4 * (published["authorizer-cpu"] as number)).toFixed(3)));
  const { outputs } = await rig.up({ ...asked, authorizerLimits: JSON.stringify({ cpu, memory: "128Mi" }) });
  expect(outputs.summary?.value).not.toMatch(/run-failed|verification-failed/);
  const figures = figuresOf(outputs);
  expect(figures["authorizer-rps"]).toBeLessThan(0.7 * (published["authorizer-rps"] as number));
  expect(figures["authorizer-mean"]).toBeGreaterThan(3 * (published["authorizer-mean"] as number));
  expect(figures["authorizer-jwt-mean"]).toBeLessThan(0.3 * (figures["authorizer-mean"] as number));
});

test("a destroy leaves nothing in the cluster, nor on its nodes", async () => {
  await rig.destroy();
  expect(await leftOnNodes(rig, pools)).toEqual([]);
});
