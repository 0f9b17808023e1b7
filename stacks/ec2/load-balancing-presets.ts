import { publishedRow, type Preset } from "@gatebench/matrix/stack";

/** An agent runs at most 3,000 users. */
const nGrinder = { generator: "ngrinder", generatorWorkers: "2", duration: "1m", repetitions: "3" };
const byCountThenMore = { users: "50", iterations: "100", startWithin: "1s", alsoUsers: "1000,2000,3000,4000" };
const machines = {
  upstreamType: "t3a.large",
  gatewayType: "t3a.large",
  generatorType: "t3a.large",
  workerType: "t3a.large",
  // As published. What a burstable machine gives depends on what it did before.
  allowBurstable: "true",
};
/** As published; Prometheus and Grafana had no machine that was told of. */
const watched = { observe: "true", scrapeInterval: "15s", observerType: "t3a.large" };
/** 3,708 KB/s of 568.6 answers a second are 6,678 bytes for each. */
const common = {
  ...nGrinder,
  ...machines,
  ...watched,
  gateway: "nginx",
  upstream: "static-payload",
  responseBytes: "6700",
};

const behindTls = { scheme: "https", redirectHttp: true };
const two = { upstream: { count: 2 } };
const balanced = { ...common, ...byCountThenMore, upstreamMachines: "2", againstSingle: "true" };

const byCount = { users: 50, perUser: 100 };
const single = publishedRow({
  ...{ ...byCount, servers: 1, tps: 568.6, meanMs: 78, leastMs: 12, longestMs: 1144, deviationMs: 80.2, kibPerS: 3708 },
});
const pair = publishedRow({
  ...{ ...byCount, servers: 2, balancing: "balanced", tps: 1441.8, meanMs: 24, leastMs: 8, longestMs: 73 },
  ...{ deviationMs: 6.83, kibPerS: 9400 },
});
const many = [
  publishedRow({ users: 1000, tps: 442.8, peakTps: 563, meanMs: 409, errors: 0 }),
  publishedRow({ users: 2000, tps: 424.4, peakTps: 668.5, meanMs: 890, errors: 0 }),
  publishedRow({ users: 3000, tps: 444, peakTps: 612.5, meanMs: 660, errors: 0 }),
  publishedRow({ users: 4000, tps: 443.4, peakTps: 651, meanMs: 661, errors: 0 }),
];

const differsIn = [
  "a static page of 6.7 KB in place of an application with its database (RDS t3.large) and cache (ElastiCache r6g.large)",
  "no Redis cache",
  "Prometheus and Grafana on a t3a.large of their own (where they were is not stated), and a node exporter on each machine in place of the application's own figures",
  "ports of the benchmark's own in place of 80 and 443",
  "one minute for 1000 to 4000 users, who all start at once (theirs are not stated)",
  "a t3a.large each for nGrinder's controller and its two agents (theirs are not stated)",
  "Amazon Linux 2023, and three runs of each, of which the table has the middle one",
];
const note = "the rows marked so above, measured with nGrinder by the authors of a series of articles";

/** nGrinder against NGINX that balances two servers, as published: each preset but the first measures one server beside it. */
export const loadBalancingPresets: Readonly<Record<string, Preset>> = {
  "lb-single": {
    settings: { ...common, ...byCountThenMore, scenario: JSON.stringify({ name: "single", ...behindTls }) },
    published: { tests: [single, ...many], note },
    differsIn,
  },
  "lb-round-robin": {
    settings: {
      ...balanced,
      scenario: JSON.stringify({ name: "round-robin", ...behindTls, balancing: "round-robin", ...two }),
    },
    published: { tests: [single, pair, ...many], note },
    differsIn,
  },
  "lb-least-connections": {
    settings: {
      ...balanced,
      scenario: JSON.stringify({ name: "least-connections", ...behindTls, balancing: "least-connections", ...two }),
    },
    published: { tests: [single, pair, ...many], note },
    differsIn,
  },
  "lb-micro": {
    settings: {
      ...common,
      ...{ upstreamType: "t3.micro", gatewayType: "t3.micro", purpose: "breaking-point" },
      ...{ users: "500", alsoUsers: "1000" },
      scenario: JSON.stringify({ name: "single", ...behindTls }),
    },
    published: { note: "a t3.micro failed above 1000 users, a laptop (M1 Pro) above 500; no other figure" },
    differsIn: [
      ...differsIn.slice(0, 4),
      "NGINX and the server behind it each on a t3.micro (which of them theirs was is not stated)",
      "one minute for 500 and 1000 users, who all start at once (theirs are not stated)",
      ...differsIn.slice(5),
      "no laptop",
    ],
  },
};
