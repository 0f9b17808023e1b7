/** The program on Pulumi mocks: what each preset makes, and every mistake refused before anything is created. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import program from "./index";
import { presets } from "./presets";

interface Made {
  readonly type: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}
const made: Made[] = [];
const answers = {
  getAvailabilityZones: { names: ["a", "b"] },
  getCallerIdentity: { accountId: "123456789012" },
  getRegion: { region: "eu-west-1" },
};
jest.setTimeout(60_000);
/** Nothing says that a program has made all it makes. */
const quietMs = 300;
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gatebench-eks-"));
  for (const name of ["kubectl", "aws", "docker"]) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho ${name} "$@" >> ${join(folder, "asked")}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  writeFileSync(join(folder, "kubeconfig"), "the-kubeconfig");
  process.env.PATH = `${folder}:${process.env.PATH}`;
  const call = ({ token }: pulumi.runtime.MockCallArgs) =>
    Object.entries(answers).find(([asked]) => token.endsWith(asked))?.[1] ?? {};
  const newResource = ({ name, type, inputs }: pulumi.runtime.MockResourceArgs) => {
    made.push({ type, name, inputs: inputs as Made["inputs"] });
    return { id: `${name}-id`, state: inputs as object };
  };
  return pulumi.runtime.setMocks({ newResource, call }, "gatebench-eks", "test", true);
});
beforeEach(() => void made.splice(0));
afterAll(() => rmSync(folder, { recursive: true }));

const configured = (settings: Readonly<Record<string, string>>) =>
  pulumi.runtime.setAllConfig(
    Object.fromEntries(Object.entries(settings).map(([key, value]) => [`gatebench-eks:${key}`, value])),
  );

async function planned(settings: Readonly<Record<string, string>>): Promise<readonly Made[]> {
  configured({ results: "", ...settings });
  await program();
  for (let before = -1; before !== made.length; await sleep(quietMs)) before = made.length;
  return made.splice(0);
}

async function refusalOf(settings: Readonly<Record<string, string>>): Promise<readonly string[]> {
  configured(settings);
  const refused: Error = await program().then(
    () => new Error("it was not refused"),
    (error: Error) => error,
  );
  return refused.message.split("\n");
}

test.each(Object.keys(presets))("%s is planned: a node for each role, and no load balancer", async (preset) => {
  const all = await planned({ preset });
  const groups = all.filter(({ type }) => type === "eks:index:ManagedNodeGroup");
  expect(groups.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["rig-upstream-nodes", "rig-gateway-nodes", "rig-generator-nodes"]),
  );
  for (const { inputs } of groups) expect(inputs.scalingConfig).toEqual({ desiredSize: 1, minSize: 1, maxSize: 1 });
  expect(JSON.stringify(all)).not.toContain("LoadBalancer");
});

test("the cluster asks AWS who may use it, and its nodes stand in one zone", async () => {
  const all = await planned({ preset: "kong-1" });
  const cluster = all.find(({ type }) => type === "eks:index:Cluster");
  expect(cluster?.inputs).toMatchObject({ authenticationMode: "API", skipDefaultNodeGroup: true });
  const zones = all.filter(({ type }) => type === "eks:index:ManagedNodeGroup").map(({ inputs }) => inputs.subnetIds);
  expect(zones).toEqual(zones.map(() => ["rig-subnet-1-id"]));
  expect(all.filter(({ type }) => /natGateway|autoscaling/i.test(type))).toEqual([]);
});

test("the sweep of CPUs changes the count of workers, and nothing else", async () => {
  const [one, two] = [await planned({ preset: "nic-rps-1" }), await planned({ preset: "nic-rps-2" })];
  const text = ({ inputs }: Made) => JSON.stringify(inputs);
  const others = two.filter((made) => !one.some((same) => same.name === made.name && text(same) === text(made)));
  const resources = others.filter(({ type }) => !type.startsWith("gatebench:") && !type.startsWith("command:"));
  expect(resources.map(({ name }) => name)).toEqual(["nginx-ingress-controller-nginx-ingress"]);
  const [before, after] = [one, two].map((all) =>
    text(all.find(({ name }) => name === "nginx-ingress-controller-nginx-ingress") as Made),
  );
  expect(after?.replace('"worker-processes":"2"', '"worker-processes":"1"')).toBe(before);
});

test("the preset of an authorization: Istio asks a service and Redis on nodes of their own, each with as little as published", async () => {
  const all = await planned({ preset: "ext-authz-2000", ...images });
  const groups = all.filter(({ type }) => type === "eks:index:ManagedNodeGroup").map(({ name }) => name);
  expect(groups).toEqual(
    expect.arrayContaining(["rig-service-1-nodes", "rig-service-2-nodes", "rig-observer-nodes", "rig-upstream-nodes"]),
  );
  const started = new Map(
    all
      .filter(({ type }) => type === "kubernetes:apps/v1:Deployment")
      .map(({ name, inputs }) => [name, (inputs as unknown as Deployed).spec.template.spec]),
  );
  const limits = (name: string) => started.get(name)?.containers[0]?.resources?.limits;
  expect(limits("authorizer-ext-authz")).toEqual({ cpu: "0.2", memory: "128Mi" });
  expect(limits("authorizer-redis")).toEqual({ cpu: "0.5", memory: "1Gi" });
  expect(limits("upstream-upstream-1")).toEqual({ cpu: "0.3", memory: "1Gi" });
  const released = all
    .filter(({ type }) => /helm.sh.*:Release$/.test(type))
    .map(({ inputs }) => JSON.stringify(inputs));
  expect(released.join()).toContain('"timeout":"0.25s"');
  expect(JSON.stringify(all)).toContain("service-1-authorizer.gatebench.svc.cluster.local");
});

test("images that nobody has named are built from our sources, and pushed to a registry of the account", async () => {
  const all = await planned({ preset: "ext-authz-1000" });
  const registry = "123456789012.dkr.ecr.eu-west-1.amazonaws.com";
  const repositories = all
    .filter(({ type }) => type === "aws:ecr/repository:Repository")
    .map(({ inputs }) => inputs.name);
  expect(repositories).toEqual(["gatebench/gatebench-eks-test/ext-authz", "gatebench/gatebench-eks-test/ping"]);
  const image = new RegExp(`^${registry}/gatebench/gatebench-eks-test/ext-authz:[0-9a-f]{12}$`);
  const started = all.find(({ name }) => name === "authorizer-ext-authz");
  expect(JSON.stringify(all.filter(({ type }) => type === "kubernetes:apps/v1:Deployment"))).toContain(
    `${registry}/gatebench/gatebench-eks-test/ping:`,
  );
  expect(started).toBeDefined();
  const push = all.find(({ name }) => name === "ext-authz-image")?.inputs as unknown as Push;
  expect(push.environment.IMAGE).toMatch(image);
  rmSync(join(folder, "asked"), { force: true });
  execFileSync("sh", ["-c", push.create], { env: { ...process.env, ...push.environment } });
  expect(readFileSync(join(folder, "asked"), "utf8").trim().split("\n").sort()).toEqual([
    "aws ecr get-login-password --region eu-west-1",
    `docker build --platform linux/amd64 --target ext-authz --tag ${push.environment.IMAGE} ${push.environment.SOURCES}`,
    `docker login --username AWS --password-stdin ${registry}`,
    `docker push ${push.environment.IMAGE}`,
  ]);
});

interface Push {
  readonly create: string;
  readonly environment: Readonly<Record<string, string>>;
}

test("NGINX Plus is had with a licence and a registry of one's own", async () => {
  const credentials = JSON.stringify({ "gateway.licence": "a-licence-of-ours", "gateway.registry": '{"auths":{}}' });
  const all = await planned({ ...plus, credentials });
  expect(all.filter(({ type }) => /helm.sh.*:Release$/.test(type))).toHaveLength(1);
});

const images = { authorizerImage: "registry.example/ext-authz:1", upstreamImage: "registry.example/ping:1" };
const plus = { gateway: "nginx-ingress-controller", gatewayOptions: '{"plus":true}' };
const external = '{"name":"x","auth":"external"}';

interface Deployed {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly { readonly resources?: { readonly limits?: object } }[] };
    };
  };
}

test("a cluster that is there is used as it is: nothing of AWS is made", async () => {
  const given = { upstreamCpus: "4", gatewayCpus: "4", generatorCpus: "8" };
  const all = await planned({ kubeconfig: join(folder, "kubeconfig"), gateway: "nginx", ...given });
  expect(all.filter(({ type }) => /^(aws|eks):/.test(type))).toEqual([]);
  expect(all.filter(({ type }) => type === "kubernetes:apps/v1:Deployment").map(({ name }) => name)).toEqual(
    expect.arrayContaining(["rig-gateway-agent", "nginx-nginx", "upstream-upstream-1"]),
  );
});

const there = () => ({
  kubeconfig: join(folder, "kubeconfig"),
  ...{ upstreamCpus: "4", gatewayCpus: "4", generatorCpus: "8" },
});

test.each<[why: string, settings: () => Readonly<Record<string, string>>, line: RegExp]>([
  [
    "no such preset",
    () => ({ preset: "kong-9" }),
    /^unknown-preset: config.preset "kong-9" is not one. Known: nic-rps-1/,
  ],
  ["a key nobody knows", () => ({ gatwayType: "c5.large" }), /^unknown-key: config.gatwayType/],
  ["a type that is none", () => ({ gatewayType: "large" }), /^invalid-option: gateway.instanceType "large" is none/],
  ["a burstable type", () => ({ gatewayType: "t3.large" }), /gateway.instanceType t3.large is burstable/],
  ["a small generator", () => ({ generatorType: "c5.large" }), /generator.instanceType c5.large has 2 CPUs/],
  ["bare metal that does not tell", () => ({ gatewayType: "x9z.metal" }), /does not tell its CPUs/],
  ["no version of Kubernetes", () => ({ version: "34" }), /version "34" is none of Kubernetes/],
  ["a network too small", () => ({ cidr: "10.0.0.0/28" }), /cidr "10.0.0.0\/28" is no network for a cluster/],
  ["a network that is none", () => ({ cidr: "ten" }), /cidr "ten" is no network/],
  ["a flag that is no flag", () => ({ spot: "yes" }), /^invalid-option: config.spot/],
  [
    "a kubeconfig that is not there",
    () => ({ ...there(), kubeconfig: "nowhere" }),
    /kubeconfig: nowhere cannot be read/,
  ],
  ["no CPUs of a node", () => ({ ...there(), gatewayCpus: "" }), /^invalid-option: config.gatewayCpus/],
  ["a namespace that is none", () => ({ ...there(), namespace: "My_Bench" }), /namespace "My_Bench" is none/],
  ["no such gateway", () => ({ gateway: "istoi" }), /^unknown-gateway: "istoi" is not one of /],
  ["no such generator", () => ({ generator: "ab" }), /^unknown-generator: /],
  ["no such scenario", () => ({ scenario: "fast" }), /^unknown-scenario: /],
  ["a policy this gateway has none of", () => ({ gateway: "istio", scenario: "key-auth" }), /istio cannot enforce key/],
  [
    "a limit this gateway has none of",
    () => ({
      gateway: "nginx-ingress-controller",
      scenario: '{"name":"x","rateLimit":{"requests":10,"per":"1s","scope":"gateway","store":"redis"}}',
    }),
    /nginx-ingress-controller cannot enforce /,
  ],
  ["a TLS profile this gateway cannot serve", () => ({ gateway: "tyk", scenario: "https" }), /tyk cannot /],
  ["a load of a model it has none of", () => ({ generator: "wrk", users: "10" }), /^unsupported-load: wrk cannot /],
  ["no duration", () => ({ duration: "300" }), /^invalid-option: config.duration/],
  ["repetitions without end", () => ({ repetitions: "1000" }), /^invalid-option: config.repetitions/],
  ["no upstream of that name", () => ({ upstream: "nginx" }), /^invalid-option: config.upstream/],
  ["more hosts than upstreams", () => ({ upstreamMachines: "17" }), /^invalid-option: config.upstreamMachines/],
  ["workers for a generator that has none", () => ({ generatorWorkers: "2" }), /wrk sends a load by itself/],
  ["a second generator that is none", () => ({ alsoBy: "ab" }), /^unknown-generator: /],
  [
    "an authorizer without an image",
    () => ({ ...there(), gateway: "envoy", scenario: external }),
    /config.authorizerImage is missing/,
  ],
  ["a ping without an image", () => ({ ...there(), upstream: "ping" }), /config.upstreamImage is missing/],
  [
    "services of two architectures",
    () => ({ gateway: "envoy", scenario: external, serviceMachines: "1", serviceType: "c6g.large" }),
    /config.serviceType c6g.large and upstreamType c5.xlarge have two architectures/,
  ],
  ["an image for what has its own", () => ({ upstreamImage: "x:1" }), /upstreamImage and upstreamLimits are ping's/],
  [
    "limits that are no JSON",
    () => ({ authorizerLimits: "0.2" + "x" }),
    /authorizerLimits: this is no JSON; write it as/,
  ],
  [
    "memory without a unit",
    () => ({ redisLimits: '{"memory":"128"}' }),
    /redisLimits.memory: memory is written with its unit/,
  ],
  [
    "a limit of something else",
    () => ({ redisLimits: '{"disk":"1Gi"}' }),
    /^invalid-option: config.redisLimits: .*disk/,
  ],
  ["a pool of no connections", () => ({ authorizerPool: "0" }), /^invalid-option: config.authorizerPool/],
  ["three nodes for two services", () => ({ serviceMachines: "3" }), /^invalid-option: config.serviceMachines/],
  ["nodes for nobody who is asked", () => ({ serviceMachines: "1" }), /config.serviceMachines 1 would stand idle/],
  [
    "a node of no type for a service",
    () => ({ ...images, gateway: "envoy", scenario: external, serviceMachines: "1", serviceType: "large" }),
    /service-1.instanceType "large" is none/,
  ],
  [
    "an external authorization for a gateway that has none",
    () => ({ gateway: "kong", scenario: external }),
    /kong cannot /,
  ],
  ["options that are no JSON", () => ({ gatewayOptions: "plus" }), /gatewayOptions: this is no JSON/],
  [
    "an option no gateway reads",
    () => ({ gateway: "istio", gatewayOptions: '{"plus":true}' }),
    /^unknown-key: config.gatewayOptions: istio has no such option/,
  ],
  [
    "an option no generator reads",
    () => ({ generator: "locust", users: "5", generatorOptions: '{"clients":"http"}' }),
    /config.generatorOptions: locust has no such option/,
  ],
  [
    "Plus without a licence",
    () => plus,
    /^missing-credential: config.credentials: nginx-ingress-controller needs "gateway.licence", "gateway.registry"/,
  ],
  [
    "more workers than the node has CPUs",
    () => ({ workers: "8" }),
    /config.workers 8 is more than the 4 CPUs of the gateway's node/,
  ],
  [
    "more workers than a node that is there has",
    () => ({ ...there(), workers: "5" }),
    /config.workers 5 is more than the 4 CPUs/,
  ],
  ["an observatory that sees too little", () => ({ observe: "true", scrapeInterval: "10s" }), /scrape/],
  ["no such purpose", () => ({ purpose: "fast" }), /^invalid-option: config.purpose/],
])("%s is refused in one line, before anything is created", async (_, settings, line) => {
  expect(await refusalOf(settings())).toContainEqual(expect.stringMatching(line));
  expect(made).toEqual([]);
});

test("a machine without the programs that speak to a cluster is told so", async () => {
  const path = process.env.PATH;
  process.env.PATH = "";
  const lines = await refusalOf({});
  process.env.PATH = path;
  expect(lines).toEqual([
    expect.stringMatching(/^missing-binary: aws is not on PATH/),
    expect.stringMatching(/^missing-binary: kubectl is not on PATH/),
  ]);
});
