/** aws.ec2.Instance: a machine of the twin. */
import { isDeepStrictEqual } from "node:util";
import { storeWith } from "../image-store.mjs";
import {
  createMachine,
  destroyMachine,
  hasShutItselfDown,
  isRunning,
  machineOf,
  restartElsewhere,
} from "../machine.mjs";
import { claimAddress, siteOf, unfitFor } from "../site.mjs";
import { all, apiError, arn, existing, get, newId, state } from "./cloud.mjs";
import { machineImage } from "./images.mjs";
import { address, block, flag, list, number, oneOf, tags, text, texts } from "./inputs.mjs";
import { canChange, instanceType } from "./instance-types.mjs";
import { GROUP, KEY_PAIR, PLACEMENT_GROUP, SUBNET, VPC } from "./types.mjs";
import { userDataScript } from "./user-data.mjs";

const onOff = oneOf("enabled", "disabled");
const rootBlockDevice = block({
  ...{ volumeSize: number, volumeType: text, iops: number, throughput: number },
  ...{ deleteOnTermination: flag, encrypted: flag, kmsKeyId: text, tags },
});
const metadataOptions = block({
  ...{ httpEndpoint: onOff, httpTokens: oneOf("optional", "required"), httpPutResponseHopLimit: number },
  ...{ instanceMetadataTags: onOff, httpProtocolIpv6: onOff },
});

export const instance = {
  inputs: {
    ...{
      ami: text,
      instanceType: text,
      subnetId: text,
      vpcSecurityGroupIds: texts,
      keyName: text,
      region: text,
      tags,
      volumeTags: tags,
    },
    ...{
      associatePublicIpAddress: flag,
      availabilityZone: text,
      privateIp: address,
      placementGroup: text,
      placementGroupId: text,
      tenancy: oneOf("default", "dedicated"),
    },
    ...{ userData: text, userDataBase64: text, userDataReplaceOnChange: flag, ebsOptimized: flag, monitoring: flag },
    ...{ rootBlockDevice, metadataOptions, cpuOptions: block({ coreCount: number, threadsPerCore: number }) },
    ...{
      creditSpecification: block({ cpuCredits: oneOf("standard", "unlimited") }),
      disableApiTermination: flag,
      sourceDestCheck: flag,
    },
    ...{ instanceInitiatedShutdownBehavior: oneOf("stop", "terminate"), iamInstanceProfile: text, hibernation: flag },
    ...{
      instanceMarketOptions: block({ marketType: text, spotOptions: block({ maxPrice: text }) }),
      forceDestroy: flag,
    },
    ...{
      capacityReservationSpecification: block({ capacityReservationPreference: text }),
      ephemeralBlockDevices: list(block({ deviceName: text, virtualName: text })),
    },
  },
  required: ["ami", "instanceType"],
  conflicts: [
    ["userData", "userDataBase64"],
    ["placementGroup", "placementGroupId"],
  ],
  replaces: [
    ...[
      "ami",
      "associatePublicIpAddress",
      "availabilityZone",
      "cpuOptions",
      "ebsOptimized",
      "hibernation",
      "keyName",
      "privateIp",
      "region",
    ],
    ...["placementGroup", "placementGroupId", "subnetId", "tenancy", "instanceMarketOptions", "ephemeralBlockDevices"],
  ],
  alsoReplaces: (before, after) => [
    ...(after.userDataReplaceOnChange ? ["userData", "userDataBase64"] : []),
    ...(canChange(before.instanceType, after.instanceType) ? [] : ["instanceType"]),
    ...(isDeepStrictEqual(before.rootBlockDevice?.encrypted, after.rootBlockDevice?.encrypted)
      ? []
      : ["rootBlockDevice"]),
  ],
  faults: userDataFaults,
  outputs: [
    ...[
      "arn",
      "availabilityZone",
      "instanceState",
      "primaryNetworkInterfaceId",
      "privateDns",
      "privateIp",
      "publicDns",
    ],
    ...["publicIp", "associatePublicIpAddress", "vpcSecurityGroupIds"],
  ],
  create,
  update,
  read,
  remove: ({ id }) => destroyMachine(state(), id),
};

function userDataFaults(inputs) {
  try {
    userDataScript(inputs);
    return [];
  } catch (error) {
    return [[inputs.userData === undefined ? "userDataBase64" : "userData", error.message]];
  }
}

async function create(inputs, { region }) {
  const subnet = await checked(inputs, region);
  const vpc = await get(VPC, subnet.inputs.vpcId);
  const machine = await started(inputs, subnet.inputs.cidrBlock, await siteOf(state(), vpc.id));
  const { id } = machine;
  const hasPublicIp = inputs.associatePublicIpAddress ?? subnet.outputs.mapPublicIpOnLaunch;
  return {
    ...{ id, arn: arn(region, `instance/${id}`), availabilityZone: subnet.outputs.availabilityZone },
    ...{ associatePublicIpAddress: hasPublicIp, primaryNetworkInterfaceId: newId("eni"), instanceState: "running" },
    ...{ vpcSecurityGroupIds: inputs.vpcSecurityGroupIds ?? [vpc.outputs.defaultSecurityGroupId] },
    ...addresses(machine, region, hasPublicIp, vpc.outputs.enableDnsHostnames),
  };
}

async function started(inputs, subnet, site) {
  const { privateIp, keyName } = inputs;
  const key = keyName === undefined ? undefined : await get(KEY_PAIR, keyName);
  const wanted = {
    ...{ site, subnet, privateIp, id: newId("i"), store: await imageStore(), userData: userDataScript(inputs) },
    groups: [], // Amazon Linux's user is in Docker's group only once the user data put it there.
    authorizedKeys: key ? [key.inputs.publicKey] : [],
  };
  if (privateIp !== undefined) await claim(site, privateIp);
  return createMachine(wanted).catch(async (error) => {
    await destroyMachine(state(), wanted.id);
    throw error;
  });
}

async function claim(site, address) {
  if (await claimAddress(site, address)) return;
  throw refused("InvalidIPAddress.InUse", `Address ${address} is in use.`);
}

/** The names of EC2's name servers lead nowhere here, so the public one is the address itself. */
function addresses({ privateIp, publicIp, hostname }, region, hasPublicIp, hasDnsNames) {
  const publicDns = hasPublicIp && hasDnsNames ? publicIp : "";
  return {
    privateIp,
    privateDns: `${hostname}.${region}.compute.internal`,
    publicIp: hasPublicIp ? publicIp : "",
    publicDns,
  };
}

let store;
/** The images that a registry would hold: named in GATEBENCH_TWIN_IMAGES, with blanks between. */
function imageStore() {
  const images = (process.env.GATEBENCH_TWIN_IMAGES ?? "").split(/\s+/).filter(Boolean);
  return (store ??= images.length > 0 ? storeWith(images) : Promise.resolve(undefined));
}

const refused = (code, text) => apiError("creating EC2 Instance", "RunInstances", code, text);

/** What RunInstances looks at before it starts anything. @returns the subnet */
async function checked({ ami, subnetId, keyName, vpcSecurityGroupIds = [], ...inputs }, region) {
  const type = instanceType(inputs.instanceType);
  if (!type) throw refused("InvalidParameterValue", `Invalid value '${inputs.instanceType}' for InstanceType.`);
  const image = machineImage(region, ami);
  if (!image) throw refused("InvalidAMIID.NotFound", `The image id '[${ami}]' does not exist`);
  checkArchitecture(type, image);
  if (inputs.placementGroup ?? inputs.placementGroupId) await checkPlacement(inputs, type);
  if (keyName !== undefined && !(await get(KEY_PAIR, keyName)))
    throw refused("InvalidKeyPair.NotFound", `The key pair '${keyName}' does not exist`);
  const subnet = await existingSubnet(subnetId);
  checkAddress(subnet.inputs.cidrBlock, inputs.privateIp);
  for (const id of vpcSecurityGroupIds) await checkGroup(id, subnet);
  return subnet;
}

async function existingSubnet(id) {
  const none = "No subnets found for the default VPC 'null'. Please specify a subnet.";
  if (id === undefined) throw refused("MissingInput", none);
  return existing(SUBNET, id, () => refused("InvalidSubnetID.NotFound", `The subnet ID '${id}' does not exist`));
}

const unfit = {
  outside: "does not fall within the subnet's address range",
  reserved: "is in subnet's reserved address range",
};

function checkAddress(subnet, address) {
  const reason = address === undefined ? undefined : unfitFor(subnet, address);
  if (reason) throw refused("InvalidParameterValue", `Address ${address} ${unfit[reason]}`);
}

function checkArchitecture({ supportedArchitectures: [wanted] }, { architecture }) {
  if (wanted === architecture) return;
  const text = `The architecture '${wanted}' of the specified instance type does not match the architecture '${architecture}' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again.`;
  throw refused("InvalidParameterValue", text);
}

async function checkPlacement({ placementGroup, placementGroupId }, { instanceType, supportedPlacementStrategies }) {
  const group = await placementGroupOf(placementGroup, placementGroupId);
  if (!group)
    throw refused(
      "InvalidPlacementGroup.Unknown",
      `The Placement Group '${placementGroup ?? placementGroupId}' is unknown.`,
    );
  if (supportedPlacementStrategies.includes(group.inputs.strategy)) return;
  const advice = "Specify a supported instance type or change the placement group strategy, and try again.";
  throw refused(
    "InvalidParameterCombination",
    `Cluster placement groups are not supported by the '${instanceType}' instance type. ${advice}`,
  );
}

async function placementGroupOf(name, id) {
  if (name !== undefined) return get(PLACEMENT_GROUP, name);
  return (await all(PLACEMENT_GROUP)).find(({ outputs }) => outputs.placementGroupId === id);
}

async function checkGroup(id, subnet) {
  const vpc = await get(VPC, subnet.inputs.vpcId);
  if (id === vpc.outputs.defaultSecurityGroupId) return;
  const group = await get(GROUP, id);
  if (!group) throw refused("InvalidGroup.NotFound", `The security group '${id}' does not exist`);
  const text = `Security group ${id} and subnet ${subnet.id} belong to different networks.`;
  if (group.inputs.vpcId !== vpc.id) throw refused("InvalidParameter", text);
}

/** Type and user data change while the instance stands still; it comes back with another public address. */
async function update({ id, inputs: before, outputs }, inputs, { region }) {
  const changes = (name) => !isDeepStrictEqual(before[name], inputs[name]);
  if (!["instanceType", "userData", "userDataBase64"].some(changes)) return {};
  const type = instanceType(inputs.instanceType);
  const wrong = (code, text) => apiError(`updating EC2 Instance (${id}) type`, "ModifyInstanceAttribute", code, text);
  if (!type) throw wrong("InvalidInstanceAttributeValue", `Invalid value '${inputs.instanceType}' for InstanceType.`);
  if (inputs.placementGroup ?? inputs.placementGroupId) await checkPlacement(inputs, type);
  const machine = await restartElsewhere(await machineOf(state(), id));
  const subnet = await get(SUBNET, inputs.subnetId);
  const vpc = await get(VPC, subnet.inputs.vpcId);
  return addresses(machine, region, outputs.publicIp !== "", vpc.outputs.enableDnsHostnames);
}

/** An instance that was taken down by other hands is gone; one that was stopped is said to be. */
async function read({ id, inputs, outputs }) {
  const machine = await machineOf(state(), id);
  if (machine && inputs.instanceInitiatedShutdownBehavior === "terminate" && (await hasShutItselfDown(machine)))
    return destroyMachine(state(), id);
  if (!machine) return undefined;
  const { publicIp, privateIp } = machine;
  const addresses = { privateIp, publicIp: outputs.publicIp === "" ? "" : publicIp };
  return { ...addresses, instanceState: (await isRunning(machine)) ? "running" : "stopped" };
}
