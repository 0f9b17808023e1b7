/** A benchmark on the nodes of a real Kubernetes cluster (test/cluster). */
import { nginx } from "@gatebench/gateways";
import { benchProgram, openRig, plain, type Bench, type Rig, type Seen } from "./rig";
import { clusterImages, openKubernetes, type KubernetesSite } from "./kubernetes-site";

jest.setTimeout(300_000);

let cluster: KubernetesSite;
let rig: Rig;

beforeAll(async () => {
  cluster = await openKubernetes(clusterImages);
  rig = await openRig("kubernetes", cluster.env);
});
afterAll(async () => {
  await rig.destroy().finally(() => cluster.destroy());
});

async function measured(bench: Bench = {}): Promise<Seen> {
  const targets = { nginx: { adapter: nginx(), scenario: plain } };
  const { program, seen } = benchProgram({ targets, ...bench }, () => cluster.site());
  await rig.up(program);
  return seen;
}

test("the gateway is verified and measured, each node observed at the edges of every run", async () => {
  const { cells, verifications, runs } = await measured();
  expect(verifications.nginx?.laws.filter(({ finding }) => finding.verdict !== "held")).toEqual([]);
  expect(runs.map(({ outcome }) => ("failure" in outcome ? outcome.failure : "result"))).toEqual(["result", "result"]);
  const [hosts = []] = runs.map((run) => run.hosts);
  expect(Object.fromEntries(hosts.map(({ host, roles }) => [host, roles]))).toEqual({
    ...{ generator: ["generator"], gateway: ["gateway"], upstream: ["upstream"] },
  });
  for (const { workloads } of hosts) expect(workloads).toEqual([expect.objectContaining({ cpuS: expect.any(Number) })]);
  expect(cells.nginx?.rps).toBeGreaterThan(100);
});
