/**
 * Istio's ingress gateway asks an authorizer about each request, which has a fifth of a CPU: what its users wait for is told by
 * Prometheus.
 *
 *   cd examples/istio-on-eks && pulumi stack select --create try
 *   pulumi config set aws:region us-west-2 && pulumi config set authorizerImage REGISTRY/ext-authz:1 && pulumi up
 */
import * as pulumi from "@pulumi/pulumi";
import { Authorizer, Benchmark, GatewayUnderTest, LoadGenerator, Observatory, UpstreamHost } from "@gatebench/core";
import { EksTopology } from "@gatebench/core/eks";
import { repeat } from "@gatebench/core/measure";
import { staticPayload } from "@gatebench/core/upstreams";
import { istio } from "@gatebench/gateways";
import { locust } from "@gatebench/generators";

const site = new EksTopology("rig", {
  upstream: { instanceType: "c5.large" },
  gateway: { instanceType: "c5.large" },
  generator: { instanceType: "c5.xlarge" },
  observer: { instanceType: "c5.large" },
  services: [{ instanceType: "c5.large" }, { instanceType: "c5.large" }],
});

const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
const authorizer = new Authorizer("authorizer", {
  ...{ host: site.services[0], redisHost: site.services.at(-1), poolSize: 20 },
  image: new pulumi.Config().require("authorizerImage"),
  limits: { cpu: 0.2, memory: "128Mi" },
});
const target = new GatewayUnderTest("istio", {
  ...{ host: site.gateway, upstream, authorizer, adapter: istio() },
  scenario: { name: "ext-authz", auth: "external", credential: "cookie" },
});
const generator = new LoadGenerator("locust", { host: site.generator, adapter: locust() });
const observatory = new Observatory("observatory", {
  host: site.observer,
  watches: [upstream, target, authorizer, generator],
});

const bench = new Benchmark("bench", {
  ...{ generator, target, observatory },
  load: { model: "users", users: 1000, spawnPerS: 100, think: { min: "1s", max: "3s" }, duration: "5m" },
  protocol: repeat({ runs: 3 }),
});

export const { rps, p99Ms, verdict, summary } = bench;
/** Figures of each run by PromQL stand in it: authorizer-p99, authorizer-redis-mean, authorizer-cpu, … */
export const { cells } = bench;
