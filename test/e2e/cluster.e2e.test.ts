/**
 * The Kubernetes cluster under test/cluster, by itself: real nodes with pools, on which pods run, are limited, reach each other
 * by name and are looked into; and it leaves nothing behind.
 */
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { job, openCluster, pod, podOn, type Cluster, type Node } from "./cluster";
import { until } from "./tools";
import { leftOf } from "./twin";

jest.setTimeout(120_000);

const NGINX = "nginx:1.30.4";
const TOOLS = "nicolaka/netshoot:v0.14";
const pools = ["gateway", "upstream", "generator", "observer"];
const nothing = {
  ...{ devices: [], processes: [], namespaces: [], mounts: [], controlGroups: [], accounts: [] },
  files: [],
};

/** What the whole computer has: firewall rules without their counts, and settings that a kubelet would change. */
const computers = () => ({
  rules: execFileSync("iptables-save", { encoding: "utf8" }).replaceAll(/^#.*$|\[\d+:\d+\]/gm, ""),
  settings: ["vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops", "net/ipv4/ip_forward"].map((name) =>
    readFileSync(`/proc/sys/${name}`, "utf8"),
  ),
});

let cluster: Cluster;
let nodes: readonly Node[];
const before = process.getuid?.() === 0 ? computers() : undefined;

beforeAll(async () => {
  if (process.getuid?.() !== 0) throw new Error("needs-root: a cluster makes network namespaces. Type: sudo npm test");
  cluster = openCluster();
  const taints = ["gatebench/pool=observer:NoSchedule"];
  const observer = { name: "observer", labels: { "gatebench/pool": "observer" }, taints, reservedCpu: "500m" };
  const wanted = JSON.stringify([...pools.slice(0, 3), observer]);
  nodes = (JSON.parse(await cluster.command("up", "--nodes", wanted)) as { nodes: readonly Node[] }).nodes;
  await cluster.command("image", NGINX, TOOLS);
});
afterAll(() => cluster.command("down"));

interface NodeObject {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly taints: readonly object[] };
  readonly status: {
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
    readonly allocatable: { readonly cpu: string };
  };
}

const inPool = (pool: string, image: string, script: string, more: object = {}) =>
  podOn(pool, { image, command: ["sh", "-c", script], ...more });

/** What a Job on the generator's pool says, once it is through. */
async function saidBy(name: string, spec: object): Promise<string> {
  await cluster.apply(job(name, spec));
  await cluster.kubectl(["wait", `job/${name}`, "--for=condition=complete", "--timeout=60s"]);
  return cluster.kubectl(["logs", `job/${name}`]);
}

const isReady = (name: string) => cluster.kubectl(["wait", `pod/${name}`, "--for=condition=ready", "--timeout=60s"]);

test("its nodes are ready, each with its pool, its taint and the processors that are left to pods", async () => {
  const { items } = JSON.parse(await cluster.kubectl(["get", "nodes", "-o", "json"])) as { items: NodeObject[] };
  const seen = items.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    pool: metadata.labels["gatebench/pool"],
    taints: spec.taints,
    ready: status.conditions.find(({ type }) => type === "Ready")?.status,
    cpu: status.allocatable.cpu,
  }));
  const count = cpus().length;
  const cpuOf = (pool: string) => (pool === "observer" ? `${count * 1000 - 500}m` : `${count}`);
  const expected = pools.map((pool) => ({
    name: pool,
    pool,
    taints: [{ key: "gatebench/pool", value: pool, effect: "NoSchedule" }],
    ready: "True",
    cpu: cpuOf(pool),
  }));
  expect(seen).toEqual(expect.arrayContaining(expected));
  expect(seen).toHaveLength(pools.length);
});

test("a pod that tolerates no pool's taint stays pending", async () => {
  await cluster.apply(pod("nowhere", podOn(undefined, { image: NGINX })));
  await cluster.kubectl(["wait", "pod/nowhere", "--for=condition=PodScheduled=false", "--timeout=20s"]);
  const why = await cluster.kubectl(["get", "pod", "nowhere", "-o", "jsonpath={.status.phase} {.status.conditions}"]);
  expect(why).toMatch(/^Pending .*had untolerated taint/);
});

test("a Deployment on the gateway's pool, once ready, is reached by a Job on the generator's through its Service's name", async () => {
  const readinessProbe = { httpGet: { path: "/", port: 80 }, periodSeconds: 1 };
  const metadata = { name: "web" };
  const template = { metadata: { labels: { app: "web" } }, spec: podOn("gateway", { image: NGINX, readinessProbe }) };
  const selector = { app: "web" };
  await cluster.apply(
    { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { selector: { matchLabels: selector }, template } },
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector, ports: [{ port: 80 }] } },
  );
  await cluster.kubectl(["rollout", "status", "deployment/web", "--timeout=60s"]);
  const names = ["web", "web.default.svc", "web.default.svc.cluster.local"];
  const script = names.map((name) => `curl -sS --max-time 5 http://${name}/`).join(" && ");
  const greeting = "nginx on a twin of EC2\n";
  expect(await saidBy("asks", inPool("generator", TOOLS, script))).toBe(greeting.repeat(3));
  // From its own node as well, and from the network of a node.
  expect(await saidBy("asks-beside", inPool("gateway", TOOLS, script))).toBe(greeting.repeat(3));
  const ofHost = { ...inPool("upstream", TOOLS, script), hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" };
  expect(await saidBy("asks-from-host", ofHost)).toBe(greeting.repeat(3));
});

test("a limit of a tenth of a processor leaves no more than that of its time", async () => {
  const seconds = 4;
  const count = "cat /sys/fs/cgroup/cpu.stat /sys/fs/cgroup/cpu/cpu.stat 2> /dev/null";
  const script = `timeout ${seconds} sh -c 'while :; do :; done'; times; ${count}; true`;
  const said = await saidBy("spins", inPool("generator", TOOLS, script, { resources: { limits: { cpu: "100m" } } }));
  const [, user, system] = /\n0m([\d.]+)s 0m([\d.]+)s\n/.exec(said) ?? [];
  const share = (Number(user) + Number(system)) / seconds;
  expect(share).toBeGreaterThan(0);
  expect(share).toBeLessThan(0.15);
  expect(Number(/nr_throttled (\d+)/.exec(said)?.[1])).toBeGreaterThan(seconds);
});

test("a log of 20 MB is whole", async () => {
  const [lines, digits] = [200_000, 99];
  const said = await saidBy("writes", inPool("generator", TOOLS, `seq -f %0${digits}.0f 1 ${lines}`));
  const text = Array.from({ length: lines }, (_, index) => `${String(index + 1).padStart(digits, "0")}\n`).join("");
  expect([said.length, sha256(said)]).toEqual([20_000_000, sha256(text)]);
});

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

test("a command in a pod reads what it is given", async () => {
  await cluster.apply(pod("reads", inPool("upstream", TOOLS, "exec sleep infinity")));
  await isReady("reads");
  const given = "line\n".repeat(100_000);
  expect(await cluster.kubectl(["exec", "-i", "reads", "--", "wc", "-c"], given)).toBe(`${given.length}\n`);
});

test("a pod with its node's processes, network and files sees those, and no other node's", async () => {
  const folder = "/var/lib/gatebench";
  const hostPath = (name: string, path: string, type: string) => ({ name, hostPath: { path, type } });
  const volumes = [hostPath("jobs", folder, "DirectoryOrCreate"), hostPath("groups", "/sys/fs/cgroup", "Directory")];
  const volumeMounts = [
    { name: "jobs", mountPath: folder },
    { name: "groups", mountPath: "/groups" },
  ];
  const container = { image: TOOLS, command: ["sleep", "infinity"], volumeMounts };
  const host = { hostNetwork: true, hostPID: true, dnsPolicy: "ClusterFirstWithHostNet", volumes };
  for (const pool of ["gateway", "upstream"]) await cluster.apply(pod(`agent-${pool}`, podOn(pool, container, host)));
  for (const pool of ["gateway", "upstream"]) await isReady(`agent-${pool}`);
  const on = (pool: string, script: string) => cluster.kubectl(["exec", `agent-${pool}`, "--", "sh", "-c", script]);

  const processes = "cat /proc/[0-9]*/comm 2> /dev/null; true";
  const [ofGateway, ofUpstream] = await Promise.all([on("gateway", processes), on("upstream", processes)]);
  expect([ofGateway, ofUpstream].map((list) => list.match(/^kubelet$/gm))).toEqual([["kubelet"], ["kubelet"]]);
  expect(ofGateway).toContain("nginx");
  expect(ofUpstream).not.toContain("nginx");

  const group = await on("gateway", "for f in /proc/[0-9]*; do grep -q nginx $f/comm && cat $f/cgroup; done | sort -u");
  const [, path] = /(\/kubepods\/\S+)/.exec(group) ?? [];
  const counters = `cat /groups${path}/cpu.stat /groups/cpu${path}/cpu.stat 2> /dev/null; true`;
  expect(await on("gateway", counters)).toContain("nr_throttled");
  expect(await on("upstream", counters)).toBe("");

  await on("gateway", `touch ${folder}/mine`);
  expect(await on("upstream", `ls ${folder}`)).toBe("");
  expect(await cluster.command("run", "gateway", "ls", folder)).toBe("mine\n");
  const address = nodes.find(({ name }) => name === "gateway")?.address;
  expect(await cluster.kubectl(["get", "pod", "agent-gateway", "-o", "jsonpath={.status.podIP}"])).toBe(address);
});

test("a pod asks the API server as its ServiceAccount, and gets what that may see", async () => {
  const metadata = { name: "reader" };
  const api = "rbac.authorization.k8s.io";
  const subjects = [{ kind: "ServiceAccount", name: "reader", namespace: "default" }];
  await cluster.apply(
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    {
      ...{ apiVersion: `${api}/v1`, kind: "Role", metadata },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }],
    },
    {
      ...{ apiVersion: `${api}/v1`, kind: "RoleBinding", metadata, subjects },
      roleRef: { apiGroup: api, kind: "Role", name: "reader" },
    },
  );
  const script = `cd /var/run/secrets/kubernetes.io/serviceaccount; for what in pods secrets; do
    curl -sS --cacert ca.crt -H "Authorization: Bearer $(cat token)" -o /dev/null -w '%{http_code}\\n' \
      https://kubernetes.default.svc/api/v1/namespaces/default/$what; done`;
  const spec = { ...inPool("observer", TOOLS, script), serviceAccountName: "reader" };
  expect(await saidBy("asks-server", spec)).toBe("200\n403\n");
});

test("definitions of others are had from their Go modules, and hold what is written by them", async () => {
  await cluster.command("crds", "gateway-api");
  const route = (spec: object) => ({
    ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata: { name: "route" } },
    spec,
  });
  expect(await cluster.apply(route({ hostnames: ["a.example"] }))).toContain("route created");
  await expect(cluster.apply(route({ hostname: "a.example" }))).rejects.toThrow('unknown field "hostname"');
});

test("what cannot be made is refused by its name: an image, a node, a second cluster in one folder", async () => {
  await expect(cluster.command("image", "traefik:3.14")).rejects.toThrow(/twin-image: .*"traefik:3.14"/);
  await expect(cluster.command("up", "--nodes", "Gate way")).rejects.toThrow(
    'cluster-nodes: a node cannot be named "Gate way"',
  );
  await expect(cluster.command("up")).rejects.toThrow(`cluster-present: ${cluster.state} has a cluster already.`);
  await expect(cluster.command("run", "other", "true")).rejects.toThrow(
    'cluster-node: the cluster has no node "other". It has: gateway, upstream, generator, observer.',
  );
});

test("one whose start was killed is taken down, while another stands", async () => {
  // Of its five machines so many are written down.
  for (const machines of [2, 5]) {
    const other = openCluster();
    const starting = other.begin();
    await until(() => recorded(other.state) >= machines);
    starting.kill("SIGKILL");
    const made = await other.made();
    await other.command("down");
    expect(leftOf(other.state, made)).toEqual(nothing);
  }
  expect(await cluster.kubectl(["get", "--raw", "/readyz"])).toBe("ok");
});

function recorded(state: string): number {
  const folder = join(state, "machines");
  const ids = existsSync(folder) ? readdirSync(folder) : [];
  return ids.filter((id) => existsSync(join(folder, id, "record.json"))).length;
}

test("it leaves nothing when it is taken down, with pods that run", async () => {
  const made = await cluster.made();
  const { devices, namespaces, controlGroups } = leftOf(cluster.state, made);
  expect([devices?.length, namespaces?.length]).toEqual([6, 5]);
  expect(controlGroups).not.toEqual([]);
  await cluster.command("down");
  expect(leftOf(cluster.state, made)).toEqual(nothing);
  expect(computers()).toEqual(before);
});
