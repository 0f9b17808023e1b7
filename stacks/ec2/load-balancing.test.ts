/** The load-balancing presets on Pulumi mocks: machines, who stands where, what is sent, what is said to differ. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import program from "./index";
import { presets } from "./presets";
import { ownKeys, settings } from "./settings";

jest.setTimeout(60_000);

interface Made {
  readonly type: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

const made: Made[] = [];
const cloud: Readonly<Record<string, (inputs: Readonly<Record<string, unknown>>) => object>> = {
  "aws:ssm/getParameter:getParameter": () => ({ value: "ami-of-the-day" }),
  "aws:ec2/getInstanceType:getInstanceType": () => ({
    ...{ defaultVcpus: 2, supportedArchitectures: ["x86_64"], supportedPlacementStrategies: ["partition"] },
  }),
};

beforeAll(() =>
  pulumi.runtime.setMocks(
    {
      newResource: ({ name, type, inputs }) => {
        made.push({ name, type, inputs });
        return { id: `${name}-id`, state: inputs };
      },
      call: ({ token, inputs }) => cloud[token]?.(inputs) ?? {},
    },
    "gatebench-ec2",
    "test",
    true,
  ),
);

function configure(asked: Readonly<Record<string, string>>): void {
  const all = Object.entries({ sshFrom: "203.0.113.7/32", results: "", repetitions: "1", ...asked });
  pulumi.runtime.setAllConfig(Object.fromEntries(all.map(([key, value]) => [`gatebench-ec2:${key}`, value])));
}

const known = new Map<string, readonly Made[]>();

/** What a preset makes, with some keys changed; each once. */
async function up(preset: string, changes: Readonly<Record<string, string>> = {}): Promise<readonly Made[]> {
  configure({ preset, ...changes });
  const key = JSON.stringify([preset, changes]);
  const all = known.get(key) ?? (await madeNow());
  known.set(key, all);
  return all;
}

async function madeNow(): Promise<readonly Made[]> {
  made.splice(0);
  await program();
  await pulumi.runtime.disconnect();
  return [...made];
}

const ofType = (all: readonly Made[], type: string) => all.filter((one) => one.type === type);
const benchmarksOf = (all: readonly Made[]) =>
  Object.fromEntries(ofType(all, "gatebench:index:Benchmark").map(({ name, inputs }) => [name, inputs]));
const instancesOf = (all: readonly Made[]) =>
  Object.fromEntries(
    ofType(all, "aws:ec2/instance:Instance").map(({ name, inputs }) => [
      name.replace(/^rig-|-instance$/g, ""),
      [inputs.instanceType, inputs.privateIp],
    ]),
  );

test.each(["lb-round-robin", "lb-least-connections"])(
  "%s: two servers, NGINX, a controller and two agents",
  async (preset) => {
    const all = await up(preset);
    expect(instancesOf(all)).toEqual({
      upstream: ["t3a.large", "10.77.0.10"],
      gateway: ["t3a.large", "10.77.0.11"],
      generator: ["t3a.large", "10.77.0.12"],
      "worker-1": ["t3a.large", "10.77.0.13"],
      "worker-2": ["t3a.large", "10.77.0.14"],
      "upstream-2": ["t3a.large", "10.77.0.21"],
      observer: ["t3a.large", "10.77.0.36"],
    });
    const [ingress, egress] = ["Ingress", "Egress"].map((way) =>
      ofType(all, `aws:vpc/securityGroup${way}Rule:SecurityGroup${way}Rule`).map(({ inputs }) => inputs.cidrIpv4),
    );
    expect([ingress, egress]).toEqual([expect.arrayContaining(["203.0.113.7/32", undefined]), ["0.0.0.0/0"]]);
    expect(ingress).toHaveLength(2);
  },
);

test("50 users × 100, then as many as nGrinder was given; one server is measured beside two, in turn", async () => {
  const benchmarks = benchmarksOf(await up("lb-round-robin"));
  const names = ["bench", "users-1000", "users-2000", "users-3000", "users-4000"];
  expect(Object.keys(benchmarks).toSorted()).toEqual(names);
  expect(benchmarks.bench).toMatchObject({
    generator: "ngrinder",
    targets: ["direct", "nginx", "single"],
    load: { model: "iterations", users: 50, perUser: 100, startWithin: "1s", connection: "keep-alive" },
  });
  expect(benchmarks["users-4000"]?.load).toEqual({
    ...{ model: "users", users: 4000, duration: "1m", connection: "keep-alive" },
  });
});

test("watched as published: Prometheus every 15 s and Grafana beside all runs, on a machine of their own", async () => {
  const all = await up("lb-single");
  expect(ofType(all, "gatebench:index:Observatory").map(({ inputs }) => inputs)).toEqual([
    { scrapeInterval: "15s", watches: ["upstream upstream", "gateway direct", "gateway nginx", "generator ngrinder"] },
  ]);
  for (const { observatory } of Object.values(benchmarksOf(all))) expect(observatory).toEqual({ scrapeIntervalS: 15 });
  const without = await up("lb-single", { observe: "false" });
  expect(ofType(without, "gatebench:index:Observatory")).toEqual([]);
  expect(instancesOf(without)).not.toHaveProperty("observer");
});

test("the stack says how the observatory is reached: a tunnel, and the key that opens it", async () => {
  configure({ preset: "lb-single" });
  const outputs = (await program()) as unknown as Record<string, pulumi.Output<string>> & {
    observatory: Record<"tunnel" | "prometheus", pulumi.Output<string>> & {
      grafana: { password: pulumi.Output<string> };
    };
  };
  const { observatory, privateKey } = outputs;
  expect(await pulumi.isSecret(privateKey as pulumi.Output<string>)).toBe(true);
  expect(await pulumi.isSecret(observatory.grafana.password)).toBe(true);
  expect(Object.keys(observatory).toSorted()).toEqual(["grafana", "prometheus", "tunnel"]);
  await pulumi.runtime.disconnect();
});

test("all loads are sent by one controller and its agents", async () => {
  const all = await up("lb-single");
  expect(ofType(all, "gatebench:index:LoadGenerator").map(({ name }) => name)).toEqual(["ngrinder"]);
  expect(ofType(all, "gatebench:index:Benchmark")).toHaveLength(5);
});

test("the gateway stands before two servers with the policy asked for, its double before one, both behind https", async () => {
  const gateways = async (preset: string) =>
    ofType(await up(preset), "gatebench:index:GatewayUnderTest").map(({ name, inputs }) => [name, inputs.scenario]);
  const behindTls = { scheme: "https", redirectHttp: true };
  expect(await gateways("lb-least-connections")).toEqual([
    ["direct", { name: "plain", scheme: "https", upstream: { count: 1 } }],
    ["nginx", { name: "least-connections", ...behindTls, balancing: "least-connections", upstream: { count: 2 } }],
    ["single", { name: "single", ...behindTls, upstream: { count: 1 } }],
  ]);
  expect(await gateways("lb-single")).toEqual([
    ["direct", { name: "plain", scheme: "https" }],
    ["nginx", { name: "single", ...behindTls }],
  ]);
});

test("answers have the published size, of as many servers as there are machines", async () => {
  const upstreamOf = async (preset: string, changes = {}) =>
    ofType(await up(preset, changes), "gatebench:index:UpstreamHost").map(({ inputs }) => inputs);
  expect(await upstreamOf("lb-round-robin")).toMatchObject([
    { app: "static-payload", behaviour: { count: 2, responseBytes: 6700 } },
  ]);
  const app = JSON.stringify({ name: "app", image: "registry.example/app:1.2.3", command: ["app"], port: 8080 });
  expect(await upstreamOf("lb-round-robin", { upstream: app })).toMatchObject([
    { app: "app", version: "1.2.3", behaviour: { count: 2 } },
  ]);
});

test("an application without TLS is measured without the baseline, which would need it", async () => {
  const upstream = JSON.stringify({ name: "app", image: "registry.example/app:1.2.3", command: ["app"], port: 8080 });
  const { bench } = benchmarksOf(await up("lb-round-robin", { upstream }));
  expect(bench?.targets).toEqual(["nginx", "single"]);
});

test.each([
  ["k6", "0"],
  ["locust", "2"],
  ["locust", "0"],
])("%s with %s workers sends the same loads", async (generator, generatorWorkers) => {
  const ours = benchmarksOf(await up("lb-single"));
  const theirs = benchmarksOf(await up("lb-single", { generator, generatorWorkers }));
  expect(Object.values(theirs).map((one) => one.generator)).toEqual(Array(5).fill(generator));
  expect(Object.values(theirs).map((one) => one.load)).toEqual(Object.values(ours).map((one) => one.load));
});

test("lb-micro looks for where the smallest machines break", async () => {
  const all = await up("lb-micro");
  const { upstream, gateway, generator } = instancesOf(all);
  expect([upstream?.[0], gateway?.[0], generator?.[0]]).toEqual(["t3.micro", "t3.micro", "t3a.large"]);
  expect(settings().asked.purpose).toBe("breaking-point");
  expect(Object.values(benchmarksOf(all)).map(({ load }) => load)).toEqual(
    [500, 1000].map((users) => ({ model: "users", users, duration: "1m", connection: "keep-alive" })),
  );
});

test("what a stack file changes of a preset, it differs in", () => {
  configure({ preset: "lb-single", repetitions: "3", generator: "k6", generatorWorkers: "0", ttl: "2h" });
  expect(settings().preset?.differsIn.slice(presets["lb-single"]?.differsIn.length)).toEqual([
    "generator as this stack has it",
    "generatorWorkers as this stack has it",
  ]);
});

const loadBalancing = Object.entries(presets).filter(([name]) => name.startsWith("lb-"));

test.each(loadBalancing)(
  "%s says what was published, and in what it differs",
  (_, { published, differsIn, settings: asked }) => {
    expect(published.note).toMatch(/\w/);
    expect(differsIn.join("; ")).toMatch(/static page of 6.7 KB in place of an application.*one minute for .*users/);
    expect(asked.scenario).toContain('"redirectHttp":true');
  },
);

describe("README.md", () => {
  const readme = readFileSync(join(__dirname, "README.md"), "utf8");

  test.each([...ownKeys, ...Object.keys(presets)])("says what %s is", (name) =>
    expect(readme).toContain(`\`${name}\``),
  );

  test.each(Object.keys(presets))("%s has a stack file", (name) =>
    expect(readFileSync(join(__dirname, `Pulumi.${name}.yaml`), "utf8")).toContain(`gatebench-ec2:preset: ${name}\n`),
  );
});
