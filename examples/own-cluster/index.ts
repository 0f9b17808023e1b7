/**
 * Gateways in a Kubernetes cluster that is there already, whoever runs it: nodes of three pools, one namespace.
 *
 *   kubectl label node NODE gatebench/pool=gateway        and so on, for upstream and generator
 *   cd examples/own-cluster && pulumi stack select --create try
 *   pulumi config set --secret kubeconfig -- "$(cat ~/.kube/benchmarks)" && pulumi up
 */
import * as pulumi from "@pulumi/pulumi";
import { Benchmark, GatewayUnderTest, LoadGenerator, UpstreamHost, type Scenario } from "@gatebench/core";
import { KubernetesTopology } from "@gatebench/core/kubernetes";
import { untilStable } from "@gatebench/core/measure";
import { staticPayload } from "@gatebench/core/upstreams";
import { direct, envoy, nginx } from "@gatebench/gateways";
import { k6 } from "@gatebench/generators";

const config = new pulumi.Config();
const pool = (role: string, cpus: number) => ({ labels: { "gatebench/pool": role }, cpus });

const site = new KubernetesTopology("rig", {
  kubeconfig: config.requireSecret("kubeconfig"),
  upstream: pool("upstream", 4),
  gateway: pool("gateway", 4),
  generator: pool("generator", 8),
});

const scenario: Scenario = { name: "plain" };
const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
const gateway = { host: site.gateway, upstream, scenario };

const bench = new Benchmark("bench", {
  generator: new LoadGenerator("k6", { host: site.generator, adapter: k6() }),
  targets: {
    direct: new GatewayUnderTest("direct", { ...gateway, adapter: direct() }),
    nginx: new GatewayUnderTest("nginx", { ...gateway, adapter: nginx() }),
    envoy: new GatewayUnderTest("envoy", { ...gateway, adapter: envoy() }),
  },
  load: { model: "closed", connections: 64, duration: "15s" },
  protocol: untilStable(),
});

export const { rps, p99Ms, verdict, summary } = bench;
