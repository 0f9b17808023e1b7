/**
 * `stacks/eks` as people run it: its presets of Kong's published test, with shortened loads, on nodes of a real cluster
 * (test/cluster). Engine, program, Kubernetes and k6 are real; Kong is a stand-in, and so are the plug-ins of aws, eks and
 * kubernetes, the last of which does what it is told to the real cluster.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LocalWorkspace, type EngineEvent, type OutputMap, type Stack } from "@pulumi/pulumi/automation";
import { openCluster, type Cluster } from "./cluster";
import { openTwin, type Twin } from "./twin";

jest.setTimeout(400_000);

const images = [
  "node:22.12.0-bookworm-slim",
  "nginx:1.30.4",
  "nicolaka/netshoot:v0.14",
  "grafana/k6:1.8.1",
  "kong:3.9.3",
];
const stackFolder = join(__dirname, "..", "..", "stacks", "eks");
const shortened = {
  ...{ upstreamType: "c5.large", gatewayType: "c5.large", generatorType: "c5.large" },
  ...{ workers: "1", connections: "4", duration: "2s", repetitions: "1" },
};

let cluster: Cluster;
let twin: Twin;
let stack: Stack;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatebench-eks-stack-"));
  cluster = openCluster();
  const system = { name: "system", labels: { "gatebench/pool": "system" } };
  const nodes = JSON.stringify(["gateway", "upstream", "generator", system]);
  const made = JSON.parse(await cluster.command("up", "--nodes", nodes, "--images", images.join(" "))) as Made;
  twin = openTwin();
  writeFileSync(join(folder, "aws"), "#!/bin/sh\necho aws-cli/2.15.0 Python/3.11\n");
  chmodSync(join(folder, "aws"), 0o755);
  const bins = ["cluster", "twin"].map((name) => join(__dirname, "..", name, "bin"));
  const envVars = {
    PULUMI_BACKEND_URL: `file://${folder}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...twin.env,
    GATEBENCH_CLUSTER_STATE: cluster.state,
    PATH: [folder, ...bins, dirname(made.kubectl), process.env.PATH].join(":"),
  };
  stack = await LocalWorkspace.createStack({ stackName: "cluster", workDir: stackFolder }, { envVars });
});
afterAll(async () => {
  await stack?.destroy();
  rmSync(join(stackFolder, "Pulumi.cluster.yaml"), { force: true });
  await twin?.destroy();
  await cluster.command("down");
  rmSync(folder, { recursive: true, force: true });
});

interface Made {
  readonly kubectl: string;
}

async function up(
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly outputs: OutputMap; readonly events: readonly EngineEvent[] }> {
  const events: EngineEvent[] = [];
  const all = Object.entries({ ...shortened, results: join(folder, "results"), ...settings });
  await stack.setAllConfig(Object.fromEntries(all.map(([key, value]) => [`gatebench-eks:${key}`, { value }])));
  const { outputs } = await stack.up({ onEvent: (event) => void events.push(event) });
  return { outputs, events };
}

const touched = (events: readonly EngineEvent[], type: RegExp): readonly string[] =>
  events
    .flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata ?? [])
    .filter((metadata) => type.test(metadata.type) && metadata.op !== "same")
    .map(({ urn }) => urn.split("::").pop() as string);

interface Pods {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly nodeName: string };
  }[];
}

test("a published test comes up, is verified and measured over HTTPS, each role on nodes of its own", async () => {
  const { outputs } = await up({ preset: "kong-1" });
  const summary = outputs.summary?.value as string;
  expect(summary).toContain("published: 142,443.4 RPS, P99 6.24 ms, P95 3.55 ms");
  expect(summary).not.toMatch(/run-failed|verification-failed/);
  expect(outputs.rps?.value).toBeGreaterThan(20);
  const { items } = JSON.parse(await cluster.kubectl(["get", "pods", "-n", "gatebench", "-o", "json"])) as Pods;
  const nodes = items.map(({ metadata, spec }) => [metadata.name.replace(/^agent-/, "").split("-")[0], spec.nodeName]);
  expect(nodes.length).toBeGreaterThan(4);
  for (const [role, node] of nodes) expect(node).toBe(role);
  const raw = readdirSync(join(folder, "results", "cluster", "raw"), { recursive: true, encoding: "utf8" });
  expect(raw.filter((path) => path.endsWith("/stdout")).length).toBeGreaterThan(1);
});

test("another case replaces the gateway's configuration and leaves cluster and nodes alone", async () => {
  const { outputs, events } = await up({ preset: "kong-6" });
  expect(touched(events, /^(aws|eks):/)).toEqual([]);
  expect(outputs.summary?.value).not.toMatch(/run-failed|verification-failed/);
  expect(outputs.rps?.value).toBeGreaterThan(20);
});

test("a second up runs nothing", async () => {
  const { events } = await up({ preset: "kong-6" });
  expect(touched(events, /./)).toEqual([]);
});

test("a destroy leaves nothing in the cluster, nor on its nodes", async () => {
  await stack.destroy();
  const left = await cluster.kubectl(["get", "namespaces", "-o", "name"]);
  expect(left).not.toContain("gatebench");
  for (const node of ["gateway", "upstream", "generator"])
    expect(await cluster.command("run", node, "sh", "-c", "ls /var/lib/gatebench/places 2> /dev/null; true")).toBe("");
});
