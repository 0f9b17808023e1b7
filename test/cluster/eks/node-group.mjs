/** eks.ManagedNodeGroup: checked as the official plug-in checks it, then a node group of the stand-in of the aws plug-in. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const pulumi = require("@pulumi/pulumi");
const aws = require("@pulumi/aws");

const INVALID = "The input properties for the managed node group are invalid.";
/** They want a launch template or user data, which nobody reads here. */
const UNCARRIED = [
  ...["amiId", "bootstrapExtraArgs", "bottlerocketSettings", "enableEfaSupport", "enableIMDSv2", "kubeletExtraArgs"],
  ...[
    "launchTemplate",
    "nodeadmExtraOptions",
    "operatingSystem",
    "placementGroupAvailabilityZone",
    "remoteAccess",
    "userData",
  ],
];

export function nodeGroupComponent(name, inputs, options) {
  check(inputs);
  const self = new pulumi.ComponentResource("eks:index:ManagedNodeGroup", name, inputs, options);
  const core = pulumi.output(inputs.cluster).apply((given) => given.core ?? given);
  const nodeGroup = nodeGroupOf(name, inputs, core, self, options);
  const state = { nodeGroup, placementGroupName: "" };
  self.registerOutputs(state);
  return { urn: self.urn, state };
}

function check({ nodeRole, nodeRoleArn, ...inputs }) {
  const errors = [];
  if (nodeRole && nodeRoleArn)
    errors.push({
      propertyPath: "nodeRole",
      reason: "You cannot specify both nodeRole and nodeRoleArn when creating a managed node group.",
    });
  if (!nodeRole && !nodeRoleArn)
    errors.push({
      propertyPath: "nodeRole",
      reason: "An IAM role, or role ARN must be provided to create a managed node group",
    });
  for (const propertyPath of UNCARRIED.filter((name) => inputs[name] !== undefined))
    errors.push({ propertyPath, reason: "the stand-in of the eks plug-in carries no launch templates: leave it out" });
  if (errors.length > 0) throw new pulumi.InputPropertiesError({ message: INVALID, errors });
}

function nodeGroupOf(name, inputs, core, parent, { provider, providers } = {}) {
  const { nodeRole, nodeRoleArn, scalingConfig, ignoreScalingChanges } = inputs;
  const roleArn = nodeRoleArn ?? pulumi.output(nodeRole).apply((role) => role.arn);
  const given = {
    ...pick(inputs, ["nodeGroupName", "nodeGroupNamePrefix", "instanceTypes", "amiType", "capacityType", "diskSize"]),
    ...pick(inputs, ["labels", "taints", "tags", "version"]),
    clusterName: inputs.clusterName ?? core.apply(({ cluster }) => cluster.name),
    nodeRoleArn: permitted(roleArn, core),
    scalingConfig: pulumi
      .output(scalingConfig ?? {})
      .apply(({ desiredSize = 2, minSize = 1, maxSize = 2 }) => ({ desiredSize, minSize, maxSize })),
    subnetIds: inputs.subnetIds ?? core.apply(({ subnetIds }) => subnetIds),
  };
  const ignoreChanges = ignoreScalingChanges ? ["scalingConfig.desiredSize"] : undefined;
  return new aws.eks.NodeGroup(name, given, { parent, provider, providers, ignoreChanges });
}

const pick = (inputs, names) => Object.fromEntries(names.map((name) => [name, inputs[name]]));

/** Where the cluster takes roles from a list, the group's must be on it. */
const permitted = (roleArn, core) =>
  core.apply(({ cluster, instanceRoles = [] }) =>
    pulumi
      .all([roleArn, cluster.accessConfig, pulumi.all(instanceRoles.map((role) => role.arn))])
      .apply(([arn, access, roles]) => {
        if ((access?.authenticationMode ?? "CONFIG_MAP").startsWith("API") || roles.includes(arn)) return arn;
        throw new pulumi.InputPropertyError({
          propertyPath: "nodeRole",
          reason:
            "A managed node group cannot be created without first setting its role in the cluster's instanceRoles",
        });
      }),
  );
