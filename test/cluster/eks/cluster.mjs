/** eks.Cluster: checked as the official plug-in checks it, then the cluster that GATEBENCH_CLUSTER_STATE names. */
import { createRequire } from "node:module";
import { clusterAccess } from "../../twin/aws/eks.mjs";
import { requireAwsCli } from "./aws-cli.mjs";

const require = createRequire(import.meta.url);
const pulumi = require("@pulumi/pulumi");
const aws = require("@pulumi/aws");

const MODES = ["CONFIG_MAP", "API_AND_CONFIG_MAP", "API"];
const ofNodes = [
  ...["nodeSubnetIds", "nodeAssociatePublicIpAddress", "instanceType", "instanceProfileName", "nodePublicKey"],
  ...["nodeRootVolumeSize", "nodeUserData", "minSize", "maxSize", "desiredCapacity", "nodeAmiId", "gpu"],
];

export function clusterComponent(name, inputs, options) {
  requireAwsCli();
  check(inputs);
  const self = new pulumi.ComponentResource("eks:index:Cluster", name, inputs, options);
  const eksCluster = eksClusterOf(name, inputs, self, options);
  const kubeconfigJson = eksCluster.endpoint.apply(() => clusterAccess().text);
  const kubeconfig = kubeconfigJson.apply(JSON.parse);
  const instanceRoles = pulumi.output(inputs.instanceRoles ?? (inputs.instanceRole ? [inputs.instanceRole] : []));
  const clusterSecurityGroupId = pulumi.output("");
  const state = {
    ...{
      eksCluster,
      kubeconfig,
      kubeconfigJson,
      instanceRoles,
      core: coreOf(inputs, eksCluster, kubeconfig, instanceRoles),
    },
    ...{ clusterSecurityGroupId, nodeSecurityGroupId: "", clusterIngressRuleId: "", defaultNodeGroupAsgName: "" },
    ...{ fargateProfileId: "", fargateProfileStatus: "", oidcProviderArn: "", oidcProviderUrl: "", oidcIssuer: "" },
    autoModeNodeRoleName: "",
  };
  self.registerOutputs(state);
  return { urn: self.urn, state };
}

function check(inputs) {
  const mode = inputs.authenticationMode;
  if (mode && !MODES.includes(mode))
    throw new Error(`Invalid value for authenticationMode: ${mode}. Allowed values are: ${MODES.join(", ")}.`);
  if (mode === "API") for (const name of ["roleMappings", "userMappings", "instanceRoles"]) checkEmpty(inputs, name);
  if (inputs.accessEntries && !(mode ?? "").startsWith("API")) {
    const how = mode ? `set to '${mode}'` : "not set";
    throw new Error(`The 'accessEntries' property is not supported when 'authenticationMode' is ${how}.`);
  }
  if (inputs.instanceRole && inputs.instanceRoles)
    throw new Error("instanceRole and instanceRoles are mutually exclusive, and cannot both be set.");
  if (inputs.subnetIds && (inputs.publicSubnetIds || inputs.privateSubnetIds))
    throw new Error(
      "subnetIds, and the use of publicSubnetIds and/or privateSubnetIds are mutually exclusive. Choose a single approach.",
    );
  if (inputs.nodeGroupOptions && ofNodes.some((name) => inputs[name]))
    throw new Error(
      "Setting nodeGroupOptions, and any set of singular node group option(s) on the cluster, is mutually exclusive. Choose a single approach.",
    );
  checkCarried(inputs);
}

function checkEmpty({ authenticationMode, ...inputs }, name) {
  if (Array.isArray(inputs[name]) && inputs[name].length > 0)
    throw new Error(
      `The '${name}' property does not support non-empty values when 'authenticationMode' is set to '${authenticationMode}'.`,
    );
}

function checkCarried({ skipDefaultNodeGroup, serviceRole, subnetIds, publicSubnetIds, privateSubnetIds }) {
  const why = (what) => new Error(`the stand-in of the eks plug-in ${what}`);
  if (!skipDefaultNodeGroup)
    throw why("makes no default node group: set skipDefaultNodeGroup, and give node groups of your own");
  if (!serviceRole) throw why("makes no role: give the cluster a serviceRole");
  if (!subnetIds && !publicSubnetIds && !privateSubnetIds)
    throw why("uses no default VPC: give vpcId and subnetIds, in two availability zones");
}

const subnetsOf = ({ subnetIds, publicSubnetIds, privateSubnetIds }) =>
  pulumi.all([subnetIds ?? [], publicSubnetIds ?? [], privateSubnetIds ?? []]).apply((lists) => lists.flat());

function eksClusterOf(name, inputs, parent, { provider, providers } = {}) {
  const { serviceRole, version, authenticationMode, endpointPrivateAccess, endpointPublicAccess } = inputs;
  const given = {
    ...{ name: inputs.name, version, deletionProtection: inputs.deletionProtection },
    roleArn: pulumi.output(serviceRole).apply((role) => role.arn),
    tags: pulumi.all([inputs.tags ?? {}, inputs.clusterTags ?? {}]).apply(([all, own]) => ({ ...all, ...own })),
    vpcConfig: { subnetIds: subnetsOf(inputs), endpointPrivateAccess, endpointPublicAccess },
    accessConfig: authenticationMode && { authenticationMode },
    enabledClusterLogTypes: inputs.enabledClusterLogTypes,
  };
  return new aws.eks.Cluster(`${name}-eksCluster`, given, { parent, provider, providers });
}

function coreOf(inputs, eksCluster, kubeconfig, instanceRoles) {
  const { publicSubnetIds, privateSubnetIds, serviceRole, vpcId } = inputs;
  return {
    ...{ cluster: eksCluster, endpoint: eksCluster.endpoint, kubeconfig, instanceRoles, clusterIamRole: serviceRole },
    ...{ vpcId, subnetIds: subnetsOf(inputs), publicSubnetIds, privateSubnetIds, nodeGroupOptions: {} },
    accessEntries: [],
  };
}
