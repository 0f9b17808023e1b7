/**
 * Which gateway answers sooner? The P99 of nginx and envoy with key authentication, both offered the same rate.
 *
 * Two latencies may be compared only at equal offered rate: as fast as it can, a generator measures how many of its own
 * connections wait. So hey holds each of 20 connections to 50 requests/s – 1,000 in all, far below what either gateway
 * can do – in rounds that visit both gateways and the path without one. The runs repeat until the P99 is known to ± 10 %.
 *
 *   eval "$(npm run -s gatebench:env)" && cd examples/compare-gateways
 *   pulumi stack select --create try && pulumi up
 */
import {
  Benchmark,
  GatewayUnderTest,
  LoadGenerator,
  UpstreamHost,
  plainScenario,
  type Scenario,
} from "@gatebench/core";
import { LocalTopology } from "@gatebench/core/local";
import { untilStable } from "@gatebench/core/measure";
import { staticPayload } from "@gatebench/core/upstreams";
import { direct, envoy, nginx } from "@gatebench/gateways";
import { hey } from "@gatebench/generators";

const scenario: Scenario = { name: "key-auth", auth: "key" };

const site = new LocalTopology("site");
const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
const gateway = { host: site.gateway, upstream, scenario };

const bench = new Benchmark("latency", {
  generator: new LoadGenerator("hey", { host: site.generator, adapter: hey() }),
  targets: {
    direct: new GatewayUnderTest("direct", { ...gateway, adapter: direct(), scenario: plainScenario(scenario) }),
    nginx: new GatewayUnderTest("nginx", { ...gateway, adapter: nginx() }),
    envoy: new GatewayUnderTest("envoy", { ...gateway, adapter: envoy() }),
  },
  load: { model: "closed", connections: 20, pacePerConnection: 50, duration: "5s" },
  protocol: untilStable({ figure: "p99Ms", relative: 0.1, max: 10, coolDown: "0s" }),
  purpose: "at-rate",
});

export const { summary } = bench;
