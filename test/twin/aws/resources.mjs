/**
 * The resources the twin carries: what each takes, which changes make a new one, and what EC2 says when something is
 * wrong. A VPC is a site, an instance is a machine; the rest is kept in the books.
 */
import { createHash, randomBytes } from "node:crypto";
import { contains, overlap } from "../ip-range.mjs";
import { createSite, destroySite } from "../site.mjs";
import { ACCOUNT, all, apiError, arn, existing, get, newId, state } from "./cloud.mjs";
import { eksResources } from "./eks.mjs";
import { iamResources } from "./iam.mjs";
import { cidr, flag, list, number, oneOf, tags, text, texts, block } from "./inputs.mjs";
import { instance } from "./instance.mjs";
import * as types from "./types.mjs";

const { ASSOCIATION, EGRESS, GATEWAY, GROUP, INGRESS, INSTANCE } = types;
const { KEY_PAIR, PLACEMENT_GROUP, ROUTE, SUBNET, TABLE, VPC } = types;

/**
 * @typedef {object} Context  @property {string} region @property {Record<string, string>} defaultTags
 * @typedef {object} Resource
 * @property {Record<string, import("./inputs.mjs").Kind>} inputs
 * @property {string[]} [required] @property {string[][]} [conflicts]
 * @property {string} [named]  The input that gets a name of its own when it is left out.
 * @property {string[]} replaces  Inputs whose change makes a new resource.
 * @property {(before: any, after: any) => string[]} [alsoReplaces]
 * @property {(inputs: any) => [string, string][]} [faults]  What can be told wrong before anything is asked for.
 * @property {string[]} outputs  Known once it exists.
 * @property {(inputs: any, context: Context) => Promise<any>} create  Its id, and its outputs.
 * @property {(entry: any, inputs: any, context: Context) => Promise<any>} [update]  The outputs that change.
 * @property {(entry: any) => Promise<any>} [read]  The outputs as they are now; undefined: it is gone.
 * @property {(entry: any) => Promise<void>} [remove]
 */

const common = { region: text, tags };

const vpc = {
  inputs: { ...common, cidrBlock: cidr, enableDnsHostnames: flag, enableDnsSupport: flag, instanceTenancy: text },
  required: ["cidrBlock"],
  replaces: ["cidrBlock", "region"],
  outputs: [
    "arn",
    "defaultNetworkAclId",
    "defaultRouteTableId",
    "defaultSecurityGroupId",
    "mainRouteTableId",
    "ownerId",
  ],
  create: async (inputs, { region }) => {
    const { cidrBlock, enableDnsHostnames = false, enableDnsSupport = true, instanceTenancy = "default" } = inputs;
    const id = newId("vpc");
    await createSite(state(), id, cidrBlock);
    const table = newId("rtb");
    return {
      ...{ id, enableDnsHostnames, enableDnsSupport, instanceTenancy, ownerId: ACCOUNT, arn: arn(region, `vpc/${id}`) },
      ...{ defaultNetworkAclId: newId("acl"), defaultSecurityGroupId: newId("sg") },
      ...{ defaultRouteTableId: table, mainRouteTableId: table },
    };
  },
  remove: async ({ id }) => {
    const users = (await all()).filter(({ type, inputs }) => type !== GATEWAY && inputs.vpcId === id);
    const text = `The vpc '${id}' has dependencies and cannot be deleted.`;
    if (users.length > 0) throw apiError(`deleting EC2 VPC (${id})`, "DeleteVpc", "DependencyViolation", text);
    await destroySite(state(), id);
  },
};

const subnet = {
  inputs: { ...common, vpcId: text, cidrBlock: cidr, availabilityZone: text, mapPublicIpOnLaunch: flag },
  required: ["vpcId"],
  replaces: ["vpcId", "cidrBlock", "availabilityZone", "region"],
  outputs: ["arn", "ownerId", "availabilityZone", "availabilityZoneId"],
  create: async ({ vpcId, cidrBlock, availabilityZone, mapPublicIpOnLaunch = false }, { region }) => {
    const { inputs } = await existingVpc(vpcId, "creating EC2 Subnet", "CreateSubnet");
    const wrong = (code, text) => apiError("creating EC2 Subnet", "CreateSubnet", code, text);
    if (!cidrBlock) throw wrong("MissingParameter", "Either 'cidrBlock' or 'ipv6CidrBlock' should be provided.");
    if (!contains(inputs.cidrBlock, cidrBlock))
      throw wrong("InvalidSubnet.Range", `The CIDR '${cidrBlock}' is invalid.`);
    const others = (await all(SUBNET)).filter((other) => other.inputs.vpcId === vpcId);
    if (others.some((other) => overlap(other.inputs.cidrBlock, cidrBlock)))
      throw wrong("InvalidSubnet.Conflict", `The CIDR '${cidrBlock}' conflicts with another subnet`);
    const zone = availabilityZone ?? `${region}a`;
    const zones = ["a", "b", "c"].map((letter) => `${region}${letter}`);
    if (!zones.includes(zone)) {
      const text = `Value (${zone}) for parameter availabilityZone is invalid. Subnets can currently only be created in the following availability zones: ${zones.join(", ")}.`;
      throw wrong("InvalidParameterValue", text);
    }
    const id = newId("subnet");
    const places = { availabilityZone: zone, availabilityZoneId: `twin-az${zone.charCodeAt(zone.length - 1) - 96}` };
    return { id, arn: arn(region, `subnet/${id}`), ownerId: ACCOUNT, mapPublicIpOnLaunch, ...places };
  },
  remove: async ({ id }) => {
    const text = `The subnet '${id}' has dependencies and cannot be deleted.`;
    if (await isUsed(INSTANCE, "subnetId", id))
      throw apiError(`deleting EC2 Subnet (${id})`, "DeleteSubnet", "DependencyViolation", text);
  },
};

const internetGateway = {
  inputs: { ...common, vpcId: text },
  replaces: ["region"],
  outputs: ["arn", "ownerId"],
  create: async ({ vpcId }, { region }) => {
    if (vpcId) await existingVpc(vpcId, "attaching EC2 Internet Gateway", "AttachInternetGateway");
    const id = newId("igw");
    return { id, arn: arn(region, `internet-gateway/${id}`), ownerId: ACCOUNT };
  },
};

const route = block({ cidrBlock: cidr, ipv6CidrBlock: text, gatewayId: text });

const routeTable = {
  inputs: { ...common, vpcId: text, routes: list(route) },
  required: ["vpcId"],
  replaces: ["vpcId", "region"],
  outputs: ["arn", "ownerId"],
  create: async ({ vpcId, routes = [] }, { region }) => {
    await existingVpc(vpcId, "creating EC2 Route Table", "CreateRouteTable");
    await Promise.all(routes.map(({ gatewayId }) => gatewayId && existingGateway(gatewayId)));
    const id = newId("rtb");
    return { id, arn: arn(region, `route-table/${id}`), ownerId: ACCOUNT };
  },
  remove: async ({ id }) => {
    const text = `The routeTable '${id}' has dependencies and cannot be deleted.`;
    if (await isUsed(ASSOCIATION, "routeTableId", id))
      throw apiError(`deleting EC2 Route Table (${id})`, "DeleteRouteTable", "DependencyViolation", text);
  },
};

const routeResource = {
  inputs: { region: text, routeTableId: text, destinationCidrBlock: cidr, gatewayId: text },
  required: ["routeTableId"],
  replaces: ["routeTableId", "destinationCidrBlock", "region"],
  outputs: ["origin", "state"],
  create: async ({ routeTableId, destinationCidrBlock, gatewayId }) => {
    await existingTable(routeTableId, "creating Route", "CreateRoute");
    if (gatewayId) await existingGateway(gatewayId);
    const id = `r-${routeTableId}${createHash("sha256").update(destinationCidrBlock).digest("hex").slice(0, 8)}`;
    return { id, origin: "CreateRoute", state: "active" };
  },
};

const routeTableAssociation = {
  inputs: { region: text, routeTableId: text, subnetId: text, gatewayId: text },
  required: ["routeTableId"],
  replaces: ["subnetId", "gatewayId", "region"],
  outputs: [],
  create: async ({ routeTableId, subnetId, gatewayId }) => {
    const [action, operation] = ["creating Route Table Association", "AssociateRouteTable"];
    await existingTable(routeTableId, action, operation);
    if (subnetId) await existingSubnet(subnetId, action, operation);
    if (gatewayId) await existingGateway(gatewayId);
    return { id: newId("rtbassoc") };
  },
};

const inlineRule = block({
  fromPort: number,
  toPort: number,
  protocol: text,
  cidrBlocks: texts,
  description: text,
  self: flag,
  securityGroups: texts,
});

const securityGroup = {
  inputs: {
    ...common,
    name: text,
    namePrefix: text,
    description: text,
    vpcId: text,
    ingress: list(inlineRule),
    egress: list(inlineRule),
    revokeRulesOnDelete: flag,
  },
  conflicts: [["name", "namePrefix"]],
  named: "name",
  replaces: ["name", "namePrefix", "description", "vpcId", "region"],
  outputs: ["arn", "ownerId"],
  create: async ({ vpcId, name, description = "Managed by Pulumi" }, { region }) => {
    if (vpcId) await existingVpc(vpcId, "creating Security Group", "CreateSecurityGroup");
    const text = `The security group '${name}' already exists for VPC '${vpcId}'`;
    if ((await all(GROUP)).some((group) => group.inputs.vpcId === vpcId && group.inputs.name === name))
      throw apiError(`creating Security Group (${name})`, "CreateSecurityGroup", "InvalidGroup.Duplicate", text);
    const id = newId("sg");
    return { id, arn: arn(region, `security-group/${id}`), ownerId: ACCOUNT, description };
  },
  remove: async ({ id }) => {
    const users = (await all(INSTANCE)).filter(({ inputs }) => inputs.vpcSecurityGroupIds?.includes(id));
    const text = `resource ${id} has a dependent object`;
    if (users.length > 0)
      throw apiError(`deleting Security Group (${id})`, "DeleteSecurityGroup", "DependencyViolation", text);
  },
};

const securityGroupRule = (direction, type) => ({
  inputs: {
    ...{ ...common, securityGroupId: text, ipProtocol: text, fromPort: number, toPort: number, description: text },
    ...{ cidrIpv4: cidr, cidrIpv6: text, prefixListId: text, referencedSecurityGroupId: text },
  },
  required: ["ipProtocol", "securityGroupId"],
  replaces: ["securityGroupId", "region"],
  faults: (inputs) => ruleFaults(inputs),
  outputs: ["arn", "securityGroupRuleId"],
  create: async (inputs, { region }) => {
    const [action, operation] = [`creating VPC Security Group ${direction} Rule`, `AuthorizeSecurityGroup${direction}`];
    await existing(GROUP, inputs.securityGroupId, () =>
      apiError(
        action,
        operation,
        "InvalidGroup.NotFound",
        `The security group '${inputs.securityGroupId}' does not exist`,
      ),
    );
    const same = (other) =>
      Object.keys(peers)
        .concat("securityGroupId", "ipProtocol", "fromPort", "toPort")
        .every((name) => other.inputs[name] === inputs[name]);
    if ((await all(type)).some(same)) {
      const text = `the specified rule "peer: ${peerOf(inputs)}, ${inputs.ipProtocol}, from port: ${inputs.fromPort}, to port: ${inputs.toPort}, ALLOW" already exists`;
      throw apiError(action, operation, "InvalidPermission.Duplicate", text);
    }
    const id = newId("sgr");
    return { id, securityGroupRuleId: id, arn: arn(region, `security-group-rule/${id}`) };
  },
});

const peers = { cidrIpv4: 0, cidrIpv6: 0, prefixListId: 0, referencedSecurityGroupId: 0 };
const peerOf = (inputs) =>
  Object.keys(peers)
    .map((name) => inputs[name])
    .find(Boolean);

function ruleFaults(inputs) {
  const given = Object.keys(peers).filter((name) => name in inputs);
  const one = `exactly one of [${Object.keys(peers).join(", ")}] must be given`;
  const ports = inputs.ipProtocol !== "-1" && !("fromPort" in inputs && "toPort" in inputs);
  return [
    ...(given.length === 1 ? [] : [["cidrIpv4", `Invalid Attribute Combination: ${one}, not ${given.length}`]]),
    ...(ports ? [["fromPort", `fromPort and toPort are required when ipProtocol is ${inputs.ipProtocol}`]] : []),
  ];
}

const keyPair = {
  inputs: { ...common, keyName: text, keyNamePrefix: text, publicKey: text },
  required: ["publicKey"],
  conflicts: [["keyName", "keyNamePrefix"]],
  named: "keyName",
  replaces: ["keyName", "keyNamePrefix", "publicKey", "region"],
  outputs: ["arn", "fingerprint", "keyPairId", "keyType"],
  create: async ({ keyName, publicKey }, { region }) => {
    const wrong = (code, text) => apiError(`importing EC2 Key Pair (${keyName})`, "ImportKeyPair", code, text);
    const [, kind] = /^ssh-(rsa|ed25519) [A-Za-z0-9+/=]+( .*)?\s*$/.exec(publicKey) ?? [];
    if (!kind) throw wrong("InvalidKey.Format", "Key is not in valid OpenSSH public key format");
    if (await get(KEY_PAIR, keyName)) throw wrong("InvalidKeyPair.Duplicate", "The keypair already exists");
    const fingerprint = createHash("sha256")
      .update(Buffer.from(publicKey.split(" ")[1], "base64"))
      .digest("base64");
    return {
      id: keyName,
      arn: arn(region, `key-pair/${keyName}`),
      fingerprint,
      keyPairId: newId("key"),
      keyType: kind,
    };
  },
};

const placementGroup = {
  inputs: {
    ...common,
    name: text,
    strategy: oneOf("cluster", "partition", "spread"),
    partitionCount: number,
    spreadLevel: text,
  },
  required: ["strategy"],
  named: "name",
  replaces: ["name", "strategy", "partitionCount", "spreadLevel", "region"],
  outputs: ["arn", "placementGroupId"],
  create: async ({ name }, { region }) => {
    const text = `The Placement Group '${name}' already exists.`;
    if (await get(PLACEMENT_GROUP, name))
      throw apiError(
        `creating EC2 Placement Group (${name})`,
        "CreatePlacementGroup",
        "InvalidPlacementGroup.Duplicate",
        text,
      );
    return { id: name, arn: arn(region, `placement-group/${name}`), placementGroupId: newId("pg") };
  },
  remove: async ({ id }) => {
    const text = `The placement group '${id}' is in use and may not be deleted.`;
    if (await isUsed(INSTANCE, "placementGroup", id))
      throw apiError(
        `deleting EC2 Placement Group (${id})`,
        "DeletePlacementGroup",
        "InvalidPlacementGroup.InUse",
        text,
      );
  },
};

/** @type {Record<string, Resource>} */
export const resources = {
  [VPC]: vpc,
  [SUBNET]: subnet,
  [GATEWAY]: internetGateway,
  [TABLE]: routeTable,
  [ROUTE]: routeResource,
  [ASSOCIATION]: routeTableAssociation,
  [GROUP]: securityGroup,
  [INGRESS]: securityGroupRule("Ingress", INGRESS),
  [EGRESS]: securityGroupRule("Egress", EGRESS),
  [KEY_PAIR]: keyPair,
  [PLACEMENT_GROUP]: placementGroup,
  [INSTANCE]: instance,
  ...iamResources,
  ...eksResources,
};

const isUsed = async (type, input, id) => (await all(type)).some(({ inputs }) => inputs[input] === id);

const existingVpc = (id, action, operation) =>
  existing(VPC, id, () => apiError(action, operation, "InvalidVpcID.NotFound", `The vpc ID '${id}' does not exist`));
const existingSubnet = (id, action, operation) =>
  existing(SUBNET, id, () =>
    apiError(action, operation, "InvalidSubnetID.NotFound", `The subnet ID '${id}' does not exist`),
  );
const existingTable = (id, action, operation) =>
  existing(TABLE, id, () =>
    apiError(action, operation, "InvalidRouteTableID.NotFound", `The routeTable ID '${id}' does not exist`),
  );
const existingGateway = (id) =>
  existing(GATEWAY, id, () =>
    apiError("creating Route", "CreateRoute", "InvalidGatewayID.NotFound", `The gateway ID '${id}' does not exist`),
  );

/** A name as the bridge of the real plug-in makes it: NAME-1234567. */
export const ownName = (name) => `${name}-${randomBytes(4).toString("hex").slice(0, 7)}`;
