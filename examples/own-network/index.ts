/**
 * Our components among somebody's own: a VPC that other things live in, one of its subnets for three machines, and a gateway
 * measured there. The VPC and its subnet stand for yours; give theirs instead and leave them out.
 *
 *   cd examples/own-network && pulumi stack select --create try
 *   pulumi config set aws:region eu-central-1 && pulumi config set sshFrom 203.0.113.7/32 && pulumi up
 */
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { Benchmark, GatewayUnderTest, LoadGenerator, UpstreamHost, type Scenario } from "@gatebench/core";
import { Ec2Topology } from "@gatebench/core/ec2";
import { untilStable } from "@gatebench/core/measure";
import { staticPayload } from "@gatebench/core/upstreams";
import { direct, nginx } from "@gatebench/gateways";
import { wrk } from "@gatebench/generators";

const config = new pulumi.Config();

const vpc = new aws.ec2.Vpc("company", { cidrBlock: "10.0.0.0/16" });
const internet = new aws.ec2.InternetGateway("company", { vpcId: vpc.id });
const subnet = new aws.ec2.Subnet("benchmarks", { vpcId: vpc.id, cidrBlock: "10.0.1.0/24" });
const routes = new aws.ec2.RouteTable("benchmarks", {
  vpcId: vpc.id,
  routes: [{ cidrBlock: "0.0.0.0/0", gatewayId: internet.id }],
});
const routed = new aws.ec2.RouteTableAssociation("benchmarks", { subnetId: subnet.id, routeTableId: routes.id });

const site = new Ec2Topology("rig", {
  sshFrom: config.require("sshFrom"),
  network: {
    vpcId: vpc.id,
    subnetId: routed.subnetId.apply((id) => id as string),
    firstAddress: config.get("firstAddress") ?? "10.0.1.20",
  },
  upstream: { instanceType: "c6i.xlarge" },
  gateway: { instanceType: "c6i.xlarge" },
  generator: { instanceType: "c6i.2xlarge" },
  tags: { Team: "platform" },
});

const scenario: Scenario = { name: "plain" };
const upstream = new UpstreamHost("upstream", { host: site.upstream, app: staticPayload() });
const gateway = { host: site.gateway, upstream, scenario };

const bench = new Benchmark("bench", {
  generator: new LoadGenerator("wrk", { host: site.generator, adapter: wrk() }),
  targets: {
    direct: new GatewayUnderTest("direct", { ...gateway, adapter: direct() }),
    nginx: new GatewayUnderTest("nginx", { ...gateway, adapter: nginx() }),
  },
  load: { model: "closed", connections: 64, duration: "15s" },
  protocol: untilStable(),
});

export const { rps, p99Ms, verdict, summary } = bench;
