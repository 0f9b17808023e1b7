import type { Preset } from "@gatebench/matrix/stack";
import type { Settings } from "./settings";

type EksPreset = Preset<keyof Settings>;

/** NGINX' sizing: until the gateway's workers are full, as their procedure raises threads and connections. */
const sizing = {
  gateway: "nginx-ingress-controller",
  generator: "wrk",
  protocol: "saturate",
  threads: "16",
  connections: "16",
  duration: "180s",
  repetitions: "3",
  upstreamType: "c5n.9xlarge",
  gatewayType: "c5n.9xlarge",
  generatorType: "c5n.9xlarge",
};
const sizingDiffers = [
  "NGINX Ingress Controller 5.5 (theirs is NGINX Plus' of 2021)",
  "wrk on a node of its own in the cluster (theirs is on a machine outside it)",
  "one backend on all CPUs of its node (theirs has three replicas)",
  "at most 512 connections, doubled from 16 (theirs at most 500)",
];

/** Of each count of workers: requests and TLS transactions per second, and what the smallest c5n that has it costs a month. */
const sizes = [
  { cpus: 1, rps: 45_000, tlsTps: 6_700, priced: "c5n.large at $100 a month" },
  { cpus: 2, rps: 80_000, tlsTps: 12_600, priced: "c5n.large at $100 a month" },
  { cpus: 4, rps: 135_000, tlsTps: 23_000, priced: "c5n.xlarge at $200 a month" },
  { cpus: 8, rps: 175_000, tlsTps: 40_000, priced: "c5n.2xlarge at $400 a month" },
  { cpus: 16, rps: 237_000, tlsTps: 68_500, priced: "c5n.4xlarge at $795 a month" },
  { cpus: 32, rps: 290_000, tlsTps: 88_800, priced: "c5n.9xlarge at $1790 a month" },
  { cpus: 36, rps: 300_000, tlsTps: 92_800, priced: "c5n.9xlarge at $1790 a month" },
];

const sizingPresets: Readonly<Record<string, EksPreset>> = Object.fromEntries(
  sizes.flatMap(({ cpus, rps, tlsTps, priced: note }) => [
    [
      `nic-rps-${cpus}`,
      {
        settings: { ...sizing, workers: `${cpus}`, scenario: "plain", responseBytes: "1024" },
        published: { rps, note },
        differsIn: sizingDiffers,
      },
    ],
    [
      `nic-tls-${cpus}`,
      {
        settings: { ...sizing, workers: `${cpus}`, scenario: "tls-transactions" },
        published: { tlsTps, note },
        differsIn: sizingDiffers,
      },
    ],
  ]),
);

/** Kong's own: HTTPS, 16 workers, five runs of 15 minutes, requests spread by a normal distribution. */
const kong = {
  gateway: "kong",
  workers: "16",
  generator: "k6",
  connections: "300",
  spread: "normal",
  duration: "15m",
  repetitions: "5",
  upstreamType: "c5.metal",
  gatewayType: "c5.4xlarge",
  generatorType: "c5.metal",
};
const kongDiffers = [
  "Kong 3.9 open source (theirs is Kong Gateway 3.8)",
  "a static body of 66 bytes in place of go-bench-suite, which serves no TLS for the path without a gateway",
  "300 connections, as in the example beside their scripts (those of the published runs are not stated)",
];

/** Counted and never refused, as theirs: 10¹² a day. */
const rateLimit = { requests: 1_000_000_000_000, per: "24h", scope: "gateway", store: "local" };
const many = { routes: 100, consumers: 100 };

const cases = [
  { rps: 142_443.4, p99Ms: 6.24, p95Ms: 3.55, asks: {} },
  { rps: 137_561.7, p99Ms: 6.36, p95Ms: 3.58, asks: { routes: 100 } },
  { rps: 120_897.4, p99Ms: 8.08, p95Ms: 3.6, asks: { rateLimit } },
  { rps: 116_867.2, p99Ms: 8.51, p95Ms: 3.78, asks: { rateLimit, routes: 100 } },
  { rps: 105_657.4, p99Ms: 8.62, p95Ms: 4.38, asks: { rateLimit, auth: "key" } },
  { rps: 100_047.6, p99Ms: 9.12, p95Ms: 4.45, asks: { rateLimit, auth: "key", ...many } },
  { rps: 98_031.6, p99Ms: 10.47, p95Ms: 5.02, asks: { rateLimit, auth: "basic" } },
  { rps: 92_548.2, p99Ms: 9.8, p95Ms: 5.25, asks: { rateLimit, auth: "basic", ...many } },
];

const kongPresets: Readonly<Record<string, EksPreset>> = Object.fromEntries(
  cases.map(({ rps, p99Ms, p95Ms, asks }, index) => {
    const name = `kong-${index + 1}`;
    const scenario = { name, scheme: "https", upstream: { responseBytes: 66 }, ...asks };
    return [
      name,
      {
        settings: { ...kong, scenario: JSON.stringify(scenario) },
        published: { rps, p99Ms, note: `P95 ${p95Ms} ms` },
        differsIn: kongDiffers,
      },
    ];
  }),
);

/** The published test of an external authorization: users who think, cookies, and pods with little CPU. */
const authorization = {
  gateway: "istio",
  scenario: JSON.stringify({ name: "ext-authz", auth: "external", credential: "cookie" }),
  generator: "locust",
  generatorOptions: JSON.stringify({ client: "http" }),
  think: "1s-3s",
  duration: "5m",
  repetitions: "3",
  purpose: "breaking-point",
  upstream: "ping",
  upstreamLimits: JSON.stringify({ cpu: 0.3, memory: "1Gi" }),
  authorizerPool: "20",
  authorizerLimits: JSON.stringify({ cpu: 0.2, memory: "128Mi" }),
  redisLimits: JSON.stringify({ cpu: 0.5, memory: "1Gi" }),
  serviceMachines: "2",
  workers: "2",
  observe: "true",
  upstreamType: "t3.small",
  gatewayType: "t3.medium",
  serviceType: "t3.medium",
  allowBurstable: "true",
};
const authorizationDiffers = [
  "Istio 1.30 (theirs is not stated)",
  "Locust on a node of its own in the cluster (theirs is a laptop, over the internet)",
  "the authorizer on a node of its own (theirs is not stated), and of ours: with buckets fine enough for its P99",
  "the path under test answers with 18 bytes (theirs is an API's)",
  "a P99 of ours is Locust's; theirs is read from buckets so coarse that it is their artefact",
];

const stages = [
  { users: 1000, spawnPerS: 100, note: "an earlier stage; unloaded latency 14.3 ms" },
  {
    users: 2000,
    spawnPerS: 200,
    note: "of the authorization P99 431–484 ms, mean 57–80 ms; success 90.4–94 %, 200–884 RPS, 0.02–0.19 cores",
  },
  { users: 2500, spawnPerS: 250, note: "of the authorization P99 about 470 ms, mean about 125 ms; success about 86 %" },
];

const authorizationPresets: Readonly<Record<string, EksPreset>> = Object.fromEntries(
  stages.map(({ users, spawnPerS, note }) => [
    `ext-authz-${users}`,
    {
      settings: { ...authorization, users: `${users}`, spawnPerS: `${spawnPerS}` },
      published: { note },
      differsIn: authorizationDiffers,
    },
  ]),
);

/** By the name a stack file gives. */
export const presets: Readonly<Record<string, EksPreset>> = {
  ...sizingPresets,
  ...kongPresets,
  ...authorizationPresets,
};
