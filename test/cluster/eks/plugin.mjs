/**
 * A stand-in for the official eks plug-in (pulumi-resource-eks), for tests: `eks.Cluster` and `eks.ManagedNodeGroup`, as the
 * SDK of version 4 asks for them. It refuses what the official one refuses, in its words, and hands out the cluster of
 * test/cluster. Of the official one's children it makes two, aws.eks.Cluster and aws.eks.NodeGroup, which the stand-in of the
 * aws plug-in carries (test/twin/aws/eks.mjs); roles, security groups, the add-ons (VPC CNI, kube-proxy, CoreDNS), the OpenID
 * provider, access entries and launch templates are left out.
 */
import { createRequire } from "node:module";
import { clusterComponent } from "./cluster.mjs";
import { nodeGroupComponent } from "./node-group.mjs";

const require = createRequire(import.meta.url);
const { main } = require("@pulumi/pulumi/provider");
/** That of the SDK whose components it carries. */
const { version } = require("@pulumi/eks/package.json");
require("@pulumi/eks"); // So that a component can be read where it is passed on to another.

const components = { "eks:index:Cluster": clusterComponent, "eks:index:ManagedNodeGroup": nodeGroupComponent };

const ENGINE_POLL_MS = 500;

export function serveEksPlugin() {
  const engine = process.ppid;
  // An engine that was killed cannot stop its plug-ins.
  setInterval(() => process.ppid !== engine && process.exit(0), ENGINE_POLL_MS).unref();
  main({ version, schema: JSON.stringify({ name: "eks", version }), construct, call }, process.argv.slice(2));
}

async function construct(name, type, inputs, options) {
  const component = components[type];
  if (component) return component(name, inputs, options);
  throw new Error(
    `the stand-in of the eks plug-in has no "${type}". It has: ${Object.keys(components).join(", ")}. Add it to test/cluster/eks.`,
  );
}

async function call(token) {
  throw new Error(`the stand-in of the eks plug-in answers no "${token}". Use the cluster's kubeconfigJson instead.`);
}
