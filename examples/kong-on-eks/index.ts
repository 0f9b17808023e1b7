/**
 * A gateway on EKS in a program of one's own: a cluster is made, Kong is measured in it with k6, beside the path without it.
 *
 *   cd examples/kong-on-eks && pulumi stack select --create try
 *   pulumi config set aws:region us-west-2 && pulumi up
 */
import { Benchmark, GatewayUnderTest, LoadGenerator, UpstreamHost, type Scenario } from "@gatebench/core";
import { EksTopology } from "@gatebench/core/eks";
import { repeat } from "@gatebench/core/measure";
import { staticPayload } from "@gatebench/core/upstreams";
import { direct, kong } from "@gatebench/gateways";
import { k6 } from "@gatebench/generators";

const site = new EksTopology("rig", {
  upstream: { instanceType: "c5.2xlarge" },
  gateway: { instanceType: "c5.4xlarge" },
  generator: { instanceType: "c5.4xlarge" },
});

const scenario: Scenario = { name: "keys", scheme: "https", auth: "key", routes: 100, consumers: 100 };
const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload(), tls: true });
const gateway = { host: site.gateway, upstream };

const bench = new Benchmark("bench", {
  generator: new LoadGenerator("k6", { host: site.generator, adapter: k6() }),
  targets: {
    direct: new GatewayUnderTest("direct", {
      ...gateway,
      adapter: direct(),
      scenario: { name: "plain", scheme: "https" },
    }),
    kong: new GatewayUnderTest("kong", { ...gateway, adapter: kong(), scenario, workers: 16 }),
  },
  load: { model: "closed", connections: 300, duration: "1m", spread: "normal" },
  protocol: repeat({ runs: 5 }),
});

export const { rps, p99Ms, verdict, summary } = bench;
/** For kubectl: `pulumi stack output kubeconfig --show-secrets`. */
export const { kubeconfig } = site;
