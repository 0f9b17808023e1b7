/**
 * How much NGINX Ingress Controller does with two workers: connections are doubled until nothing more comes of it.
 *
 *   cd examples/nginx-on-eks && pulumi stack select --create try
 *   pulumi config set aws:region us-west-2 && pulumi up
 */
import { Benchmark, GatewayUnderTest, LoadGenerator, UpstreamHost } from "@gatebench/core";
import { EksTopology } from "@gatebench/core/eks";
import { saturate } from "@gatebench/core/measure";
import { staticPayload } from "@gatebench/core/upstreams";
import { nginxIngressController } from "@gatebench/gateways";
import { wrk } from "@gatebench/generators";

const site = new EksTopology("rig", {
  upstream: { instanceType: "c5n.2xlarge" },
  gateway: { instanceType: "c5n.xlarge" },
  generator: { instanceType: "c5n.2xlarge" },
});

const upstream = new UpstreamHost("upstream", {
  host: site.upstream,
  app: staticPayload(),
  behaviour: { responseBytes: 1024 },
});
const target = new GatewayUnderTest("controller", {
  ...{ host: site.gateway, upstream, adapter: nginxIngressController(), workers: 2 },
  scenario: { name: "plain" },
});

const bench = new Benchmark("bench", {
  generator: new LoadGenerator("wrk", { host: site.generator, adapter: wrk() }),
  target,
  load: { model: "closed", connections: 16, threads: 8, duration: "1m" },
  protocol: saturate(),
});

export const { rps, p99Ms, verdict, summary } = bench;
