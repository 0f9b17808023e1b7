/**
 * Gateways of several workloads and generators of several hosts in a real Kubernetes cluster (test/cluster), with
 * credentials that are looked for wherever they must not be. Tyk and Kong are stand-ins; see tyk-deployment.
 */
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { broken, resultOf, type LoadResult } from "@gatebench/core";
import { repeat } from "@gatebench/core/measure";
import { envoy, kong, tyk } from "@gatebench/gateways";
import { hey, k6, locust } from "@gatebench/generators";
import { benchProgram, declare, observe, openRig, type Bench, type Rig, type Seen } from "./rig";
import { clusterImages, openKubernetes, poolOf, type KubeObject, type KubernetesSite } from "./kubernetes-site";
import { foundBelow, foundIn, needlesOf, plantedValues, recordsOf, withoutSecrets } from "./planted";

jest.setTimeout(400_000);

const images = [
  ...clusterImages,
  ...["envoyproxy/envoy:v1.40.0", "tykio/tyk-gateway:v5.13.1", "redis:7.4.7", "kong:3.9.3"],
  ...["grafana/k6:1.8.1", "locustio/locust:2.47.0"],
];

const credentials = {
  ...plantedValues(),
  // Tyk takes it in a path.
  "consumer-1.key": "planted-key~4711.of_ours",
  "gateway.secret": "planted+gateway/secret==4711",
};
const needles = needlesOf(credentials);

const benches: Readonly<Record<string, Bench>> = {
  hey: {
    generator: hey(),
    targets: { envoy: { adapter: envoy(), scenario: { name: "secure", scheme: "https", auth: "key" } } },
  },
  k6: { generator: k6(), targets: { tyk: { adapter: tyk(), scenario: { name: "keyed", auth: "key" } } } },
  locust: {
    generator: locust(),
    load: { model: "users", users: 10, spawnPerS: 100, think: { min: "5ms", max: "20ms" }, duration: "3s" },
    targets: { kong: { adapter: kong(), scenario: { name: "users", auth: "basic" } } },
  },
};

let cluster: KubernetesSite;
let rig: Rig;
let pods: readonly KubeObject[];
let jobs: readonly KubeObject[];
const seen = Object.fromEntries(Object.keys(benches).map((name) => [name, benchProgram({}).seen])) as Record<
  string,
  Seen
>;

/** All benchmarks of one program, one after the other. */
const program: PulumiFn = async () => {
  const site = cluster.site(credentials, { workers: [poolOf("observer")] });
  const protocol = repeat({ runs: 1, warmUp: false, coolDown: "0s" });
  for (const [name, bench] of Object.entries(benches)) {
    const workers = name === "locust" ? site.workers : [];
    observe(declare({ name, protocol, ...bench }, { ...site, workers }), seen[name] as Seen);
  }
};

beforeAll(async () => {
  cluster = await openKubernetes(images);
  rig = await openRig("kubernetes-gateways", cluster.env);
  const [watchedPods, watchedJobs] = [cluster.watch("pods"), cluster.watch("jobs")];
  await rig.up(program);
  [pods, jobs] = [await watchedPods(), await watchedJobs()];
});
afterAll(async () => {
  await rig.destroy().finally(() => cluster.destroy());
});

const resultIn = (name: string): LoadResult => {
  const [run] = seen[name]?.runs ?? [];
  const result = run && resultOf(run);
  if (!result) throw new Error(`${name}: ${JSON.stringify(run?.outcome)}`);
  return result;
};

test.each(["hey", "k6", "locust"])("what is under load from %s holds its laws and answers as expected", (name) => {
  for (const verification of Object.values(seen[name]?.verifications ?? {})) expect(broken(verification)).toEqual([]);
  const { responses, statuses, errors } = resultIn(name);
  expect(responses).toBeGreaterThan(10);
  expect({ expected: Object.keys(statuses).every((status) => /^2/.test(status)), errors }).toEqual({
    ...{ expected: true, errors: {} },
  });
});

test("what stands beside a gateway is reached behind the same Service, each port leading to one pod", async () => {
  const slices = await cluster.kubectl([
    ...["-n", "bench", "get", "endpointslices", "-o", "json"],
    ...["-l", "kubernetes.io/service-name=gateway-k6-tyk"],
  ]);
  const { items } = JSON.parse(slices) as {
    items: { ports: { name: string }[] | null; endpoints: { targetRef: { name: string } }[] }[];
  };
  const leading = items.flatMap(({ ports, endpoints }) =>
    (ports ?? []).map(({ name }) => [name, endpoints.map(({ targetRef }) => targetRef.name)] as const),
  );
  expect(new Set(leading.map(([name]) => name)).size).toBe(leading.length);
  for (const [, names] of leading) expect(names).toHaveLength(1);
  const behind = leading.flatMap(([, names]) => names).join(" ");
  expect(behind).toContain("gateway-k6-tyk-tyk-");
  expect(behind).toContain("gateway-k6-tyk-redis-");
});

test("Locust's worker on a node of its own reports to the coordinator on the generator's", () => {
  expect(resultIn("locust").processes).toEqual({ asked: 1, reported: 1 });
  const worker = pods.find(({ metadata }) => /^worker-1-locust/.test(metadata.name));
  expect(worker?.metadata.labels["gatebench/host"]).toBe("agent-worker-1");
});

test("credentials stand in Secrets, and in no pod, Job, state, word or result", async () => {
  const secrets = await cluster.kubectl(["-n", "bench", "get", "secrets", "-o", "json"]);
  expect(foundIn(secrets, needles).length).toBeGreaterThan(0);
  const state = withoutSecrets(await rig.stack.exportStack());
  const events = rig.events.filter(({ diagnosticEvent }) => (diagnosticEvent?.severity as string) !== "debug");
  const found = {
    pods: foundIn(JSON.stringify(pods), needles),
    jobs: foundIn(JSON.stringify(jobs), needles),
    state: [...foundIn(JSON.stringify(state), needles), ...foundIn(recordsOf(state).join("\n"), needles)],
    stored: Object.values(foundBelow(rig.backend, needles)).flat(),
    said: foundIn(JSON.stringify([rig.output.join(""), events]), needles),
    results: foundIn(JSON.stringify(seen), needles),
  };
  expect(found).toEqual({ pods: [], jobs: [], state: [], stored: [], said: [], results: [] });
  expect(jobs.length).toBeGreaterThan(3);
});
