/** A benchmark on the nodes of a real Kubernetes cluster (test/cluster): what stands where, what is measured anew, what is left. */
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GeneratorAdapter } from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import { nginx } from "@gatebench/gateways";
import { wrk } from "@gatebench/generators";
import { benchProgram, openRig, plain, type Bench, type Rig, type Seen } from "./rig";
import { clusterImages, openKubernetes, type KubeObject, type KubernetesSite } from "./kubernetes-site";

jest.setTimeout(300_000);

const results = join(tmpdir(), `gatebench-kubernetes-results-${process.pid}`);
const long = 20 * 1024 * 1024;

let cluster: KubernetesSite;
let rig: Rig;
let first: Measured;

beforeAll(async () => {
  cluster = await openKubernetes(clusterImages);
  rig = await openRig("kubernetes", cluster.env);
  first = await measured();
});
afterAll(async () => {
  rmSync(results, { recursive: true, force: true });
  await rig.destroy().finally(() => cluster.destroy());
});

/** wrk that says more than a Job's log would hold, beside what is read of it. */
const talkative = (): GeneratorAdapter => ({
  ...wrk(),
  plan: (load, target) => {
    const plan = wrk().plan(load, target);
    if (plan.kind !== "containers") throw new Error("not a command");
    const command = ["sh", "-c", `head -c ${long} /dev/zero | tr '\\0' x >&2; exec "$@"`, "sh", ...plan.job.command];
    return { ...plan, job: { ...plan.job, command } };
  },
});

interface Measured {
  readonly seen: Seen;
  readonly pods: readonly KubeObject[];
  readonly jobs: readonly KubeObject[];
  /** Names of what was created or replaced, or changed. */
  readonly changed: readonly string[];
}

/** One up, and everything it made in the cluster meanwhile. */
async function measured({ workers, ...bench }: Bench = {}): Promise<Measured> {
  const targets = { nginx: { adapter: nginx(), scenario: plain, workers } };
  const protocol = repeat({ runs: 1, warmUp: false, coolDown: "0s" });
  const given = { targets, protocol, generator: talkative(), results, ...bench };
  const { program, seen } = benchProgram(given, () => cluster.site());
  const [pods, jobs] = [cluster.watch("pods"), cluster.watch("jobs")];
  rig.events.length = 0;
  await rig.up(program);
  const changed = rig.events.flatMap(({ resourcePreEvent }) => {
    const { op, urn, type = "" } = resourcePreEvent?.metadata ?? {};
    return op !== undefined && op !== "same" && /^(kubernetes|command):/.test(type) ? [urn?.split("::").pop()] : [];
  });
  return { seen, pods: await pods(), jobs: await jobs(), changed: [...new Set(changed as string[])].sort() };
}

const lives = (objects: readonly KubeObject[]): readonly string[] => [
  ...new Set(objects.map(({ metadata }) => metadata.name)),
];

test("the gateway is verified and measured, each node observed at the edges of every run", () => {
  const { cells, verifications, runs } = first.seen;
  expect(verifications.nginx?.laws.filter(({ finding }) => finding.verdict !== "held")).toEqual([]);
  expect(runs.map(({ outcome }) => ("failure" in outcome ? outcome.failure : "result"))).toEqual(["result"]);
  const [hosts = []] = runs.map((run) => run.hosts);
  expect(Object.fromEntries(hosts.map(({ host, roles }) => [host, roles]))).toEqual({
    ...{ generator: ["generator"], gateway: ["gateway"], upstream: ["upstream"] },
  });
  for (const { workloads } of hosts) expect(workloads).toEqual([expect.objectContaining({ cpuS: expect.any(Number) })]);
  expect(cells.nginx?.rps).toBeGreaterThan(100);
});

test("every pod is on the node of its pool, agents, workloads and tools alike", () => {
  const placed = first.pods.filter(({ spec }) => spec.nodeName !== undefined);
  const poolsOf = (pods: readonly KubeObject[]) =>
    new Set(
      pods.map(({ metadata: { labels }, spec }) => {
        const host = labels["gatebench/agent"] ?? labels["gatebench/host"];
        return `${host} on ${spec.nodeName}`;
      }),
    );
  const expected = ["upstream", "gateway", "generator"].map((role) => `agent-${role} on ${role}`);
  expect(poolsOf(placed)).toEqual(new Set(expected));
  expect(poolsOf(placed.filter(({ metadata }) => "gatebench/workload" in metadata.labels))).toEqual(
    new Set(expected.slice(0, 2)),
  );
  const tools = placed.filter(({ metadata }) => "batch.kubernetes.io/job-name" in metadata.labels);
  expect(tools.flatMap(({ spec }) => spec.containers ?? []).map(({ image }) => image)).toEqual(
    expect.arrayContaining(["gatebench/wrk:4.1.0", "nicolaka/netshoot:v0.14"]),
  );
});

test("no container of a pod or a Job has a limit nobody asked for", () => {
  const specs = [...first.pods.map(({ spec }) => spec), ...first.jobs.map(({ spec }) => spec.template?.spec)];
  const containers = specs.flatMap((spec) => spec?.containers ?? []);
  expect(containers.length).toBeGreaterThan(6);
  expect(containers.filter(({ resources }) => Object.keys(resources?.limits ?? {}).length > 0)).toEqual([]);
});

test("an output of 20 MB arrives whole", () => {
  const [run] = first.seen.runs;
  expect(run?.artifacts.find(({ path }) => path === "stderr")?.bytes).toBe(long);
  const arrived = readFileSync(join(results, "raw", "bench", "nginx", `001-${run?.id}`, "stderr"));
  expect(arrived.equals(Buffer.alloc(long, "x"))).toBe(true);
});

test("a second up makes nothing and runs nothing, and states the same figures", async () => {
  const { seen, jobs, changed } = await measured();
  expect({ jobs: lives(jobs), changed }).toEqual({ jobs: [], changed: [] });
  expect(seen.runs.map(({ id }) => id)).toEqual(first.seen.runs.map(({ id }) => id));
});

test("a changed gateway alone is replaced, verified and measured again", async () => {
  const { changed, seen, pods } = await measured({ workers: 1 });
  expect(changed).toEqual([
    ...["bench-nginx-1", "bench-nginx-1-artifacts", "bench-nginx-nginx", "bench-nginx-nginx-record"],
    "bench-nginx-verify",
  ]);
  expect(seen.runs.map(({ outcome }) => Object.keys(outcome))).toEqual([["result"]]);
  const fresh = pods.filter(({ metadata }) => metadata.labels["gatebench/workload"] === "nginx");
  expect(lives(fresh)).toHaveLength(2);
});

test("another runId measures anew, with the gateway as it is", async () => {
  const { changed, seen } = await measured({ workers: 1, runId: "2" });
  expect(seen.runs).toHaveLength(1);
  expect(seen.runs[0]?.id).not.toBe(first.seen.runs[0]?.id);
  expect(changed).toContain("bench-nginx-1");
  expect(changed).not.toContain("bench-nginx-nginx");
});

test("a destroy leaves no namespace, no folder on a node and no process", async () => {
  expect(Object.keys(await cluster.left())).toEqual(["namespace", "gateway", "upstream", "generator"]);
  await rig.stack.destroy();
  expect(await cluster.left()).toEqual({});
});
