/** The questions a program may ask of the twin's account. */
import { ACCOUNT } from "./cloud.mjs";
import { machineImages } from "./images.mjs";
import { allInstanceTypes, instanceType } from "./instance-types.mjs";

const asked = (action, operation, service, code, text) =>
  new Error(
    `${action}: operation error ${service}: ${operation}, https response error StatusCode: 400, api error ${code}: ${text}`,
  );

/** @type {Record<string, (args: any, region: string) => any>} */
export const invokes = {
  "aws:index/getRegion:getRegion": (_, region) => ({
    id: region,
    region,
    name: region,
    description: `Twin of ${region}`,
    endpoint: "twin.invalid",
  }),
  "aws:index/getCallerIdentity:getCallerIdentity": () => ({
    ...{ id: ACCOUNT, accountId: ACCOUNT, arn: `arn:aws:iam::${ACCOUNT}:user/twin`, userId: "AIDATWIN" },
  }),
  "aws:index/getAvailabilityZones:getAvailabilityZones": (args, region) => {
    const names = zonesOf(region).filter((zone) => !args.excludeNames?.includes(zone));
    const zoneIds = names.map((name) => `twin-az${"abc".indexOf(name.at(-1)) + 1}`);
    return { ...args, id: region, region, names, zoneIds, groupNames: [region] };
  },
  "aws:ec2/getInstanceType:getInstanceType": ({ instanceType: name }, region) => {
    const found = instanceType(name);
    const text = `The following supplied instance types do not exist: [${name}]`;
    if (!found)
      throw asked(`reading EC2 Instance Type (${name})`, "DescribeInstanceTypes", "EC2", "InvalidInstanceType", text);
    return { ...found, id: name, region };
  },
  "aws:ec2/getInstanceTypes:getInstanceTypes": ({ filters = [] }, region) => {
    const passes = (name) => filters.every((filter) => passesTypeFilter(name, filter));
    return { id: region, region, filters, instanceTypes: allInstanceTypes.filter(passes) };
  },
  "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": (args, region) => offerings(args, region),
  "aws:ec2/getAmi:getAmi": (args, region) => ami(args, region),
  "aws:ssm/getParameter:getParameter": ({ name, withDecryption = true }, region) => {
    const image = machineImages(region).find(({ parameter }) => parameter === name);
    if (!image) throw asked(`reading SSM Parameter (${name})`, "GetParameter", "SSM", "ParameterNotFound", "");
    const arn = `arn:aws:ssm:${region}::parameter${name}`;
    return {
      id: name,
      name,
      arn,
      region,
      withDecryption,
      type: "String",
      version: 1,
      value: image.id,
      insecureValue: image.id,
    };
  },
};

const zonesOf = (region) => ["a", "b", "c"].map((letter) => `${region}${letter}`);

const typeFilters = {
  "instance-type": (type, values) => values.some((value) => matches(type.instanceType, value)),
  "processor-info.supported-architecture": (type, values) => values.includes(type.supportedArchitectures[0]),
  "burstable-performance-supported": (type, values) => values.includes(String(type.burstablePerformanceSupported)),
};

function passesTypeFilter(name, filter) {
  const passes = typeFilters[filter.name];
  if (!passes) throw notAnswered("filter of getInstanceTypes", filter.name, Object.keys(typeFilters));
  return passes(instanceType(name), filter.values);
}

/** Every type in every zone: the twin has no scarcity. */
function offerings({ filters = [], locationType = "region" }, region) {
  const places = locationType === "availability-zone" ? zonesOf(region) : [region];
  const known = { "instance-type": 0, location: 0 };
  const unknown = filters.find(({ name }) => !(name in known));
  if (unknown) throw notAnswered("filter of getInstanceTypeOfferings", unknown.name, Object.keys(known));
  const passes = (type, place) =>
    filters.every(({ name, values }) => values.some((value) => matches(name === "location" ? place : type, value)));
  const rows = places.flatMap((place) =>
    allInstanceTypes.filter((type) => passes(type, place)).map((type) => [type, place]),
  );
  const [instanceTypes, locations] = [rows.map(([type]) => type), rows.map(([, place]) => place)];
  return {
    id: region,
    region,
    filters,
    locationType,
    instanceTypes,
    locations,
    locationTypes: rows.map(() => locationType),
  };
}

const imageFilters = {
  name: (image, values) => values.some((value) => matches(image.name, value)),
  architecture: (image, values) => values.includes(image.architecture),
  "image-id": (image, values) => values.includes(image.id),
  state: (_, values) => values.includes("available"),
  "virtualization-type": (_, values) => values.includes("hvm"),
  "root-device-type": (_, values) => values.includes("ebs"),
  "owner-alias": (_, values) => values.includes("amazon"),
};

function ami({ filters = [], owners = [], mostRecent = false, nameRegex }, region) {
  const unknown = filters.find(({ name }) => !(name in imageFilters));
  if (unknown) throw notAnswered("filter of getAmi", unknown.name, Object.keys(imageFilters));
  const fits = (image) =>
    filters.every(({ name, values }) => imageFilters[name](image, values)) &&
    (!nameRegex || new RegExp(nameRegex).test(image.name));
  const isAmazons = owners.length === 0 || owners.includes("amazon") || owners.includes(AMAZON);
  const found = isAmazons ? machineImages(region).filter(fits) : [];
  if (found.length === 0)
    throw new Error("Your query returned no results. Please change your search criteria and try again.");
  if (found.length > 1 && !mostRecent)
    throw new Error(
      "Your query returned more than one result. Please try a more specific search criteria, or set `most_recent` attribute to true.",
    );
  const [{ id, name, architecture, creationDate }] = found;
  const owner = { ownerId: AMAZON, imageOwnerAlias: "amazon" };
  return {
    id,
    imageId: id,
    name,
    architecture,
    creationDate,
    ...owner,
    region,
    filters,
    owners,
    mostRecent,
    state: "available",
    rootDeviceName: "/dev/xvda",
    rootDeviceType: "ebs",
    virtualizationType: "hvm",
  };
}

const AMAZON = "137112412989";

/** `*` and `?` as in EC2's filters. */
const matches = (text, pattern) =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
  ).test(text);

export const notAnswered = (what, name, possible) =>
  new Error(`the twin of EC2 has no ${what} "${name}". It has: ${possible.join(", ")}. Add it to test/twin/aws.`);
