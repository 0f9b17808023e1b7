/** What a benchmark in a real Kubernetes cluster (test/cluster) does where the cluster is not as it should be, or changes meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Load, Run } from "@gatebench/core";
import type { Pools } from "@gatebench/core/kubernetes";
import { repeat } from "@gatebench/core/measure";
import { nginx } from "@gatebench/gateways";
import { wrk } from "@gatebench/generators";
import { edited } from "./altered";
import { benchProgram, openRig, plain, type Bench, type Rig } from "./rig";
import { clusterImages, openKubernetes, poolOf, type KubernetesSite } from "./kubernetes-site";
import { enginePid, noted, processesOf } from "./tools";

jest.setTimeout(300_000);

let cluster: KubernetesSite;
let rig: Rig;

beforeAll(async () => {
  cluster = await openKubernetes(clusterImages);
  rig = await openRig("kubernetes-faults", cluster.env);
});
afterAll(async () => {
  await rig.destroy().finally(() => cluster.destroy());
});

interface Asked extends Bench {
  readonly version?: string;
  readonly pools?: Partial<Pools>;
}

/** The load's starts are noted in the job's own folder. */
async function up({ version, pools, ...bench }: Asked = {}): Promise<readonly Run[]> {
  const load: Load = { model: "closed", connections: 8, duration: "1s" };
  const targets = { nginx: { adapter: nginx(version === undefined ? {} : { version }), scenario: plain } };
  const protocol = repeat({ runs: 1, warmUp: false, coolDown: "0s" });
  const given = { targets, load, protocol, generator: noted(wrk(), "starts"), ...bench };
  const { program, seen } = benchProgram(given, () => cluster.site(undefined, pools));
  await rig.up(program);
  return seen.runs;
}

/** The lines with a code that a failing up prints, each once, and the seconds it took. */
async function faultsOf(asked: Asked): Promise<{ readonly lines: readonly string[]; readonly seconds: number }> {
  rig.output.length = 0;
  const began = Date.now();
  await expect(up(asked)).rejects.toThrow();
  const lines = rig.output
    .join("")
    .split("\n")
    .map((line) => line.trim().replace(/^error: /, ""))
    .filter((line) => /^[a-z]+-[a-z-]+: /.test(line));
  return { lines: [...new Set(lines)], seconds: (Date.now() - began) / 1000 };
}

const soonS = 120;

test("a pool whose nodes are nowhere is one line that names its labels, and soon", async () => {
  const gateway = { ...poolOf("gateway"), labels: { "gatebench/pool": "gatway" } };
  const { lines, seconds } = await faultsOf({ pools: { gateway } });
  expect(lines).toEqual([
    "host-unready: no node of the cluster has the labels of gateway, gatebench/pool=gatway. kubectl get nodes --show-labels shows which there are; give the pool of gateway theirs, or add such a node, and run up again.",
  ]);
  expect(seconds).toBeLessThan(soonS);
});

test("a taint that no toleration names is one line that says what to write", async () => {
  const { lines, seconds } = await faultsOf({ pools: { gateway: { ...poolOf("gateway"), taints: [] } } });
  expect(lines).toEqual([
    'host-unready: node gateway of gateway has the taint gatebench/pool=gateway:NoSchedule, which its pool does not name. Give gateway.taints [{"key":"gatebench/pool","value":"gateway","effect":"NoSchedule"}], or take the taint off, and run up again.',
  ]);
  expect(seconds).toBeLessThan(soonS);
});

test("an image that cannot be pulled is one line with image, pod and node", async () => {
  const { lines, seconds } = await faultsOf({ version: "0.0.1" });
  expect(lines).toEqual([
    expect.stringMatching(
      /^image-unavailable: nginx:0\.0\.1 could not be pulled for pod gateway-bench-nginx-nginx-\S+ on node gateway: (ErrImagePull|ImagePullBackOff): .+\. Let the node reach its registry, or load the image under that name\.$/,
    ),
  ]);
  expect(seconds).toBeLessThan(soonS);
});

test("a gateway that ends at once is one line with pod, node and its last words", async () => {
  const adapter = edited(nginx(), ["worker_processes", "no_such_directive on;\nworker_processes"]);
  const { lines } = await faultsOf({ targets: { nginx: { adapter, scenario: plain } } });
  expect(lines).toEqual([
    expect.stringMatching(
      /^not-ready: bench-nginx-nginx ended before it answered: .+ \(pod gateway-bench-nginx-nginx-\S+ on node gateway, exit code 1\)\. It said: .*unknown directive "no_such_directive"/,
    ),
  ]);
});

const jobs = "/var/lib/gatebench/places/*/sessions/*/jobs";
/** Which loads are on record, and how often each was begun: "/…/starts 1". */
async function loads(): Promise<readonly string[]> {
  const count = `for file in ${jobs}/*/starts; do [ ! -e "$file" ] || echo "$file $(wc -l < "$file")"; done`;
  return (await cluster.on("generator", count)).split("\n").filter(Boolean);
}

const longLoad: Load = { model: "closed", connections: 8, duration: "12s" };

/** What an up came to in whose load something was done. */
async function disturbed(
  runId: string,
  disturb: () => Promise<unknown>,
  load = longLoad,
): Promise<readonly Run[] | Error> {
  const before = await loads();
  const began = async () => (await loads()).some((load) => !before.includes(load));
  let over = false;
  const ended = up({ load, runId })
    .catch((error: Error) => error)
    .finally(() => (over = true));
  while (!over && !(await began())) await sleep(100);
  await disturb();
  return ended;
}

/** The load of this session was begun once. */
async function expectOneStart(): Promise<void> {
  expect(await loads()).toEqual([expect.stringMatching(/ 1$/)]);
}

const outcomesOf = (runs: readonly Run[] | Error) =>
  runs instanceof Error ? [runs] : runs.map(({ outcome }) => ("failure" in outcome ? outcome.failure : "result"));

/** Of the tool that runs. */
async function podOfLoad(): Promise<string> {
  const selector = ["-l", "batch.kubernetes.io/job-name", "-o", "jsonpath={.items[*].metadata.name}"];
  return (await cluster.kubectl(["-n", "bench", "get", "pods", ...selector])).trim();
}

const evict = async () => {
  const name = await podOfLoad();
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: "bench" } };
  const path = `/api/v1/namespaces/bench/pods/${name}/eviction`;
  await cluster.kubectl(["create", "--raw", path, "-f", "-"], JSON.stringify(eviction));
};

const advice = "Keep the node free of drains and deletions, and run up with a new runId\\.";
const endings = [
  {
    how: "deleted",
    by: async () => cluster.kubectl(["-n", "bench", "delete", "pod", await podOfLoad(), "--wait=false"]),
    why: "it was deleted",
  },
  { how: "evicted", by: evict, why: "EvictionByEvictionAPI: Eviction API: evicting" },
];

test.each(endings)("a load whose pod is $how is a failed run with pod, node and reason", async ({ how, by, why }) => {
  // Its end is the pod's, however long a busy computer takes to come to that.
  const runs = await disturbed(how, by, { ...longLoad, duration: "60s" });
  expect(outcomesOf(runs)).toEqual([
    {
      code: "job-failed",
      message: expect.stringMatching(
        new RegExp(`^pod gatebench-\\w+-\\w+ on node generator was ended while its program ran: ${why}\\. ${advice}$`),
      ),
    },
  ]);
});

/** Processes of ours on this computer, by what their command line says. */
const pidsOf = (said: string, words: RegExp): readonly number[] =>
  processesOf(said)
    .filter((line) => words.test(line))
    .map((line) => Number(/^\S+ (\d+):/.exec(line)?.[1]));

function kill(pids: readonly number[]): void {
  expect(pids.length).toBeGreaterThan(0);
  for (const pid of pids) process.kill(pid, "SIGKILL");
}

const cuts = [
  { what: "the connection that waits for a run", of: () => pidsOf(cluster.state, /^kubectl .* run-job/) },
  {
    what: "the API server",
    of: () => pidsOf(`--advertise-address=${cluster.server}`, /^kube-apiserver /),
  },
];

test.each(cuts)("$what is cut: the run goes on, and is waited for", async ({ what, of }) => {
  const runs = await disturbed(what, async () => kill(of()));
  expect(outcomesOf(runs)).toEqual(["result"]);
  await expectOneStart();
});

test("after a killed engine, up takes the run that went on without it", async () => {
  const killed = await disturbed("killed", async () => process.kill(enginePid() as number, "SIGKILL"));
  expect(killed).toBeInstanceOf(Error);
  await rig.stack.cancel();
  expect(outcomesOf(await up({ load: longLoad, runId: "killed" }))).toEqual(["result"]);
  await expectOneStart();
  await rig.stack.destroy();
  expect(await cluster.left()).toEqual({});
});
