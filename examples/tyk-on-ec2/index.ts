/**
 * What does Tyk add to a request, and what do a token, a limit and analytics add to that? Three targets on three machines,
 * each at the same offered rate: 50 connections of 1,500 requests a second, in rounds that visit all three.
 *
 *   cd examples/tyk-on-ec2 && pulumi stack select --create try
 *   pulumi config set aws:region eu-central-1 && pulumi config set sshFrom 203.0.113.7/32 && pulumi up
 *
 * It costs what three machines cost until `pulumi destroy`, or until they end themselves after four hours.
 */
import * as pulumi from "@pulumi/pulumi";
import {
  Benchmark,
  GatewayUnderTest,
  LoadGenerator,
  UpstreamHost,
  plainScenario,
  type Scenario,
} from "@gatebench/core";
import { Ec2Topology } from "@gatebench/core/ec2";
import { repeat } from "@gatebench/core/measure";
import { goBenchSuite } from "@gatebench/core/upstreams";
import { direct, tyk } from "@gatebench/gateways";
import { hey } from "@gatebench/generators";

const site = new Ec2Topology("rig", {
  sshFrom: new pulumi.Config().require("sshFrom"),
  upstream: { instanceType: "c5.2xlarge" },
  gateway: { instanceType: "c5.9xlarge" },
  generator: { instanceType: "c5.9xlarge" },
});

const proxy: Scenario = { name: "proxy" };
const full: Scenario = {
  name: "full",
  auth: "key",
  rateLimit: { requests: 1_000_000, per: "1s", scope: "consumer", store: "local" },
  analytics: true,
};

const upstream = new UpstreamHost("upstream", { host: site.upstream, app: goBenchSuite() });
const gateway = { host: site.gateway, upstream };

const bench = new Benchmark("tyk", {
  generator: new LoadGenerator("hey", { host: site.generator, adapter: hey() }),
  targets: {
    direct: new GatewayUnderTest("direct", { ...gateway, adapter: direct(), scenario: plainScenario(proxy) }),
    proxy: new GatewayUnderTest("proxy", { ...gateway, adapter: tyk(), scenario: proxy }),
    full: new GatewayUnderTest("full", { ...gateway, adapter: tyk(), scenario: full }),
  },
  // Ten seconds: hey keeps the first million latencies, which is 13 s of this rate.
  load: { model: "closed", connections: 50, pacePerConnection: 1500, duration: "10s" },
  protocol: repeat({ runs: 6 }),
  purpose: "at-rate",
});

export const { summary } = bench;
