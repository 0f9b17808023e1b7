/** The program on Pulumi mocks: what it makes of settings, and every mistake refused before anything is created. */
import * as pulumi from "@pulumi/pulumi";
import program from "./index";

const made: string[] = [];

beforeAll(() =>
  pulumi.runtime.setMocks(
    {
      newResource: ({ name, type, inputs }) => {
        made.push(type);
        return { id: `${name}-id`, state: inputs };
      },
      call: () => ({}),
    },
    "gatebench-ec2",
    "test",
    true,
  ),
);
beforeEach(() => void made.splice(0));

const sound = { sshFrom: "203.0.113.7/32", preset: "tyk-full" };
const balanced = { preset: "lb-round-robin" };
const app = (more: object) =>
  JSON.stringify({ name: "app", image: "app:1.0.0", command: ["app"], port: 8080, ...more });

async function refusalOf(changes: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const all = Object.entries({ ...sound, ...changes }).filter(([, value]) => value !== "");
  pulumi.runtime.setAllConfig(Object.fromEntries(all.map(([key, value]) => [`gatebench-ec2:${key}`, value])));
  const refused: Error = await program().then(
    () => new Error("it was not refused"),
    (error: Error) => error,
  );
  return refused.message.split("\n");
}

test.each<[why: string, settings: Readonly<Record<string, string>>, line: RegExp]>([
  ["no address to log in from", { sshFrom: "" }, /^invalid-option: sshFrom is missing/],
  [
    "an observatory that sees too little of a run",
    { preset: "lb-single", duration: "20s" },
    /^invalid-option: an observatory that scrapes every 15s sees too little of a run of 20s: /,
  ],
  ["the whole world", { sshFrom: "0.0.0.0/0" }, /sshFromAnywhere: true/],
  ["an address that is none", { sshFrom: "10.0.0.300/32" }, /sshFrom "10.0.0.300\/32" is no CIDR/],
  ["a flag that is no flag", { sshFromAnywhere: "yes" }, /^invalid-option: config.sshFromAnywhere: /],
  [
    "no such preset",
    { preset: "tyk-fastest" },
    /^unknown-preset: config.preset "tyk-fastest" is not one. Known: tyk-baseline, /,
  ],
  ["a preset that belongs to everything", { preset: "constructor" }, /^unknown-preset: /],
  [
    "a key nobody knows",
    { gatwayType: "c5.large" },
    /^unknown-key: config.gatwayType in the stack file is not known. Known: gateway, /,
  ],
  ["no such gateway", { gateway: "tyke" }, /^unknown-gateway: "tyke" is not one of /],
  ["no such generator", { generator: "ab" }, /^unknown-generator: "ab" is not one of /],
  ["no such second generator", { alsoBy: "ab" }, /^unknown-generator: "ab" is not one of /],
  ["no such scenario", { scenario: "fast" }, /^unknown-scenario: /],
  [
    "a scenario that is no JSON",
    { scenario: "{auth: key}" },
    /^invalid-scenario: config.scenario begins like a scenario in full/,
  ],
  ["a scenario with an unknown word", { scenario: '{"name":"x","oauth":true}' }, /^invalid-scenario: .*oauth/],
  [
    "key auth with zero consumers",
    { scenario: '{"name":"x","auth":"key","consumers":0}' },
    /asks for key auth and has no consumers/,
  ],
  [
    "a policy this gateway has none of",
    { scenario: '{"name":"x","auth":"jwt"}' },
    /^unsupported-policy: tyk cannot enforce jwt/,
  ],
  ["a TLS profile Tyk cannot serve", { scenario: "https" }, /^unsupported-policy: tyk cannot enforce /],
  [
    "no such upstream",
    { upstream: "nginx" },
    /^invalid-option: config.upstream: "nginx" is not one. Known: static-payload, go-bench-suite, ping. Choose one, or give a container/,
  ],
  [
    "a container that is no JSON",
    { upstream: "{name: app}" },
    /^invalid-option: config.upstream begins like a container in full, and is no JSON/,
  ],
  [
    "a container without an image",
    { upstream: '{"name":"app","command":["app"]}' },
    /^invalid-option: config.upstream.image: /,
  ],
  ["a container of any version", { upstream: app({ image: "app" }) }, /names no version/],
  [
    "a container that is not told where to listen",
    { ...balanced, upstream: app({ port: undefined }) },
    /upstream app is not told where to listen/,
  ],
  [
    "two of a container with one port on one machine",
    { ...balanced, upstream: app({}), upstreamMachines: "1" },
    /the upstream app cannot be there 2 times on one host, because it always listens on 8080/,
  ],
  [
    "a container that answers as a scenario says",
    { upstream: app({}), scenario: '{"name":"x","upstream":{"responseBytes":10}}' },
    /the upstream app cannot answer with 10 bytes/,
  ],
  [
    "https without a gateway, to an upstream without TLS",
    { gateway: "direct", scenario: "https" },
    /the upstream serves no TLS, and there is no gateway before it/,
  ],
  [
    "more machines than upstreams",
    { upstreamMachines: "2" },
    /config.upstreamMachines 2 is more than the 1 upstreams of scenario "full"/,
  ],
  [
    "one upstream against one",
    { againstSingle: "true" },
    /config.againstSingle: scenario "full" has one upstream already/,
  ],
  [
    "users who are no number",
    { ...balanced, alsoUsers: "1000,many" },
    /config.alsoUsers.1: "many" is not a whole number/,
  ],
  ["no such purpose", { purpose: "fun" }, /^invalid-option: config.purpose: /],
  [
    "a redirect to http",
    { scenario: '{"name":"x","redirectHttp":true}' },
    /redirects HTTP to https and is served over http/,
  ],
  [
    "a redirect of a gateway that has none",
    { ...balanced, gateway: "envoy" },
    /envoy cannot enforce a redirect of HTTP to https/,
  ],
  [
    "agents for a generator that has none",
    { ...balanced, generator: "k6" },
    /k6 sends a load by itself, and 2 hosts for workers were given/,
  ],
  ["a burstable gateway", { gatewayType: "t3.2xlarge" }, /gateway.instanceType t3.2xlarge is burstable/],
  ["a burstable upstream", { upstreamType: "t3.large" }, /upstream.instanceType t3.large is burstable/],
  ["no such size", { gatewayType: "c5.enormous" }, /gateway.instanceType "c5.enormous" is none/],
  ["a size without a family", { generatorType: "large" }, /generator.instanceType "large" is none/],
  [
    "a generator smaller than the gateway",
    { generatorType: "c5.large" },
    /generator.instanceType c5.large has 2 CPUs, and the gateway 36/,
  ],
  [
    "three threads to a core",
    { threadsPerCore: "3" },
    /^invalid-option: config.threadsPerCore: "3" is not a whole number from 1 to 2/,
  ],
  [
    "an end before the loads",
    { ttl: "20m" },
    /^invalid-option: config.ttl 20m is shorter than the loads, which take \d+ minutes/,
  ],
  ["an end without a unit", { ttl: "4" }, /^invalid-option: config.ttl: "4" is not a duration/],
  ["an end in a year", { ttl: "8760h" }, /ttl 8760h is not from 10m to 168h/],
  ["half a network of one's own", { vpcId: "vpc-1" }, /config.vpcId, subnetId and firstAddress belong together/],
  [
    "a first address that is none",
    { vpcId: "v", subnetId: "s", firstAddress: "10.0.1" },
    /network.firstAddress "10.0.1" is no address/,
  ],
  [
    "two networks",
    { cidr: "10.9.0.0/24", vpcId: "v", subnetId: "s", firstAddress: "10.0.1.9" },
    /cidr and network are both given/,
  ],
  ["a network too small", { cidr: "10.9.0.0/30" }, /cidr "10.9.0.0\/30" is no network for the machines/],
  ["a network that is none", { cidr: "10.9.0.0" }, /cidr "10.9.0.0" is no network/],
  [
    "an image of one architecture for two",
    { machineImage: "ami-1", upstreamType: "c6g.2xlarge" },
    /machineImage ami-1 has one architecture/,
  ],
  ["no duration", { duration: "300" }, /^invalid-option: config.duration: "300" is not a duration/],
  ["no connections", { connections: "0" }, /^invalid-option: config.connections: "0" is not a whole number/],
  ["half a connection", { connections: "1.5" }, /^invalid-option: config.connections: "1.5"/],
  ["two loads at once", { ratePerS: "1000" }, /^invalid-load: /],
  ["repetitions without end", { repetitions: "1000" }, /^invalid-option: config.repetitions: /],
  ["no such protocol", { protocol: "flood" }, /^invalid-option: config.protocol: /],
  ["a generator that cannot send this", { generator: "wrk" }, /^unsupported-load: wrk cannot /],
  ["workers for a generator that has none", { generatorWorkers: "2" }, /hey sends a load by itself/],
  ["a script for a generator that takes none", { script: "package.json" }, /^(unsupported|invalid)-[a-z]+: hey /],
  ["a script that is not there", { script: "nowhere.js" }, /^invalid-option: config.script: nowhere.js cannot be read/],
])("%s is refused in one line, before anything is created", async (_, settings, line) => {
  const lines = await refusalOf(settings);
  expect(lines).toContainEqual(expect.stringMatching(line));
  expect(made).toEqual([]);
});

test("everything wrong with the machines is told at once", async () => {
  expect(await refusalOf({ sshFrom: "home", ttl: "1000h", gatewayType: "t3.large" })).toHaveLength(3);
});
