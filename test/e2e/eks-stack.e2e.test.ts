/** Presets of Kong's published test on a cluster (eks-rig.ts). Kubernetes and k6 are real, Kong is a stand-in. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { leftOnNodes, openEks, touched, type EksRig } from "./eks-rig";

jest.setTimeout(400_000);

const images = [
  "node:22.12.0-bookworm-slim",
  "nginx:1.30.4",
  "nicolaka/netshoot:v0.14",
  "grafana/k6:1.8.1",
  "kong:3.9.3",
];
const pools = ["gateway", "upstream", "generator"];

let rig: EksRig;
beforeAll(async () => void (rig = await openEks(pools, images)));
afterAll(() => rig?.close());

test("a published test comes up, is verified and measured over HTTPS, each role on nodes of its own", async () => {
  const { outputs } = await rig.up({ preset: "kong-1" });
  const summary = outputs.summary?.value as string;
  expect(summary).toContain("published: 142,443.4 RPS, P99 6.24 ms, P95 3.55 ms");
  expect(summary).not.toMatch(/run-failed|verification-failed/);
  expect(outputs.rps?.value).toBeGreaterThan(20);
  const pods = await rig.pods();
  expect(pods.length).toBeGreaterThan(4);
  for (const [pod, node] of pods) expect(node).toBe(pod.replace(/^agent-/, "").split("-")[0]);
  const raw = readdirSync(join(rig.results, "raw"), { recursive: true, encoding: "utf8" });
  expect(raw.filter((path) => path.endsWith("/stdout")).length).toBeGreaterThan(1);
});

test("another case replaces the gateway's configuration and leaves cluster and nodes alone", async () => {
  const { outputs, events } = await rig.up({ preset: "kong-6" });
  expect(touched(events, /^(aws|eks):/)).toEqual([]);
  expect(outputs.summary?.value).not.toMatch(/run-failed|verification-failed/);
  expect(outputs.rps?.value).toBeGreaterThan(20);
});

test("a second up runs nothing", async () => {
  const { events } = await rig.up({ preset: "kong-6" });
  expect(touched(events, /./)).toEqual([]);
});

test("a destroy leaves nothing in the cluster, nor on its nodes", async () => {
  await rig.destroy();
  expect(await leftOnNodes(rig, pools)).toEqual([]);
});
