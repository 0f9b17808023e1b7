import type { Preset } from "@gatebench/matrix/stack";
import { loadBalancingPresets } from "./load-balancing-presets";

/** hey, 50 connections of 1,500 requests a second each; 5 minutes, three times. */
const load = {
  generator: "hey",
  connections: "50",
  pacePerConnection: "1500",
  duration: "5m",
  repetitions: "3",
  // hey keeps its first million latencies: 13 seconds at this rate.
  alsoFor: "10s",
  alsoBy: "oha",
};
const machines = { upstreamType: "c5.2xlarge", gatewayType: "c5.9xlarge", generatorType: "c5.9xlarge" };
const common = { ...load, ...machines, upstream: "go-bench-suite" };

const differsIn = [
  "Amazon Linux 2023",
  "a cluster placement group",
  "the P99 of 10-second runs, and of oha at the same rate, because hey's of 5 minutes is that of its first 13 seconds",
];
const ofTyk = [
  ...differsIn,
  "Tyk 5.13 and Redis 7.4 (theirs are not stated)",
  "GOGC 1600 (theirs is not stated)",
  "private addresses in place of host entries",
];

const full = {
  name: "full",
  auth: "key",
  // Far above the load: each request is counted, and none refused.
  rateLimit: { requests: 1_000_000, per: "1s", scope: "consumer", store: "local" },
  analytics: true,
};
const posted = {
  method: "POST",
  path: "/echo",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ name: "gatebench", items: [1, 2, 3] }),
};

/** Tyk's published test on EC2, in its order: each case is read against the first. */
const tykPresets: Readonly<Record<string, Preset>> = {
  "tyk-baseline": {
    settings: { ...common, gateway: "direct", scenario: "plain" },
    published: { rps: 74_801, p99Ms: 0.5 },
    differsIn,
  },
  "tyk-proxy": {
    settings: { ...common, gateway: "tyk", scenario: "plain" },
    published: { rps: 71_556, p99Ms: 1, note: "0.6 ms more than without a gateway, at 65 % of its CPUs" },
    differsIn: ofTyk,
  },
  "tyk-full": {
    settings: { ...common, gateway: "tyk", scenario: JSON.stringify(full) },
    published: { note: "75,000 requests a second asked for" },
    differsIn: ofTyk,
  },
  "tyk-full-post": {
    settings: { ...common, gateway: "tyk", scenario: JSON.stringify({ ...full, name: "full-post", request: posted }) },
    published: { note: "hey was chosen because it can send bodies; no figure was published for it" },
    differsIn: ofTyk,
  },
};

/** By the name a stack file gives. */
export const presets: Readonly<Record<string, Preset>> = { ...tykPresets, ...loadBalancingPresets };
