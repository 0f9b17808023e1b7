import type * as AwsEc2 from "@aws-sdk/client-ec2";
import type { EC2Client, Filter, Tag } from "@aws-sdk/client-ec2";

/** AWS's SDK, which is loaded only where it is asked for, and a client of it. */
export interface Ec2 {
  readonly sdk: typeof AwsEc2;
  readonly client: EC2Client;
}

/** One thing on EC2, as it can be told from others. */
export interface Ec2Resource {
  readonly id: string;
  readonly about: string;
  readonly since: Date | undefined;
  readonly tags: Readonly<Record<string, string>>;
  /** What it is removed by, where that is not its id. */
  readonly by?: string;
  /** What has to be let go of first. */
  readonly attachedTo?: readonly string[];
}

/** How one kind of thing is found and removed. */
export interface Ec2Kind {
  readonly name: string;
  /** Those that match, and are not gone already. */
  list(ec2: Ec2, filters: Filter[]): Promise<readonly Ec2Resource[]>;
  remove(ec2: Ec2, resource: Ec2Resource): Promise<unknown>;
  /** Returns when those that were removed hold nothing any more. Default: at once. */
  gone?(ec2: Ec2, ids: readonly string[], withinS: number): Promise<unknown>;
}

/**
 * Everything `Ec2Topology` makes, in the order in which EC2 lets it go: machines hold everything else, a VPC holds what is in it. A
 * subnet takes its route table's association with it, a security group its rules, a machine its disk.
 */
export const ec2Kinds: readonly Ec2Kind[] = [
  {
    name: "instance",
    list: async ({ sdk, client }, filters) => {
      const Filters = [
        ...filters,
        { Name: "instance-state-name", Values: ["pending", "running", "stopping", "stopped"] },
      ];
      const pages = await all(sdk.paginateDescribeInstances({ client }, { Filters }));
      const instances = pages.flatMap(({ Reservations = [] }) =>
        Reservations.flatMap(({ Instances = [] }) => Instances),
      );
      return instances.map(({ InstanceId, InstanceType, State, LaunchTime, Tags }) =>
        found(InstanceId, Tags, [InstanceType, State?.Name], LaunchTime),
      );
    },
    remove: ({ sdk, client }, { id }) => client.send(new sdk.TerminateInstancesCommand({ InstanceIds: [id] })),
    gone: ({ sdk, client }, ids, maxWaitTime) =>
      sdk.waitUntilInstanceTerminated({ client, maxWaitTime, minDelay: 1, maxDelay: 10 }, { InstanceIds: [...ids] }),
  },
  {
    name: "volume",
    list: async ({ sdk, client }, filters) => {
      const Filters = [...filters, { Name: "status", Values: ["available", "error"] }];
      const pages = await all(sdk.paginateDescribeVolumes({ client }, { Filters }));
      return pages
        .flatMap(({ Volumes = [] }) => Volumes)
        .map(({ VolumeId, Size, CreateTime, Tags }) => found(VolumeId, Tags, [`${Size} GiB`], CreateTime));
    },
    remove: ({ sdk, client }, { id }) => client.send(new sdk.DeleteVolumeCommand({ VolumeId: id })),
  },
  {
    name: "key pair",
    list: async ({ sdk, client }, filters) => {
      const { KeyPairs = [] } = await client.send(new sdk.DescribeKeyPairsCommand({ Filters: filters }));
      return KeyPairs.map(({ KeyPairId, KeyName, CreateTime, Tags }) => found(KeyPairId, Tags, [KeyName], CreateTime));
    },
    remove: ({ sdk, client }, { id }) => client.send(new sdk.DeleteKeyPairCommand({ KeyPairId: id })),
  },
  {
    name: "placement group",
    list: async ({ sdk, client }, filters) => {
      const { PlacementGroups = [] } = await client.send(new sdk.DescribePlacementGroupsCommand({ Filters: filters }));
      return PlacementGroups.filter(({ State }) => State !== "deleted" && State !== "deleting").map(
        ({ GroupId, GroupName, Tags }) => ({ ...found(GroupId, Tags, [GroupName]), by: GroupName as string }),
      );
    },
    remove: ({ sdk, client }, { by }) => client.send(new sdk.DeletePlacementGroupCommand({ GroupName: by })),
  },
  {
    name: "security group",
    list: async ({ sdk, client }, filters) => {
      const pages = await all(sdk.paginateDescribeSecurityGroups({ client }, { Filters: filters }));
      return pages
        .flatMap(({ SecurityGroups = [] }) => SecurityGroups)
        .map(({ GroupId, GroupName, VpcId, Tags }) => found(GroupId, Tags, [GroupName, VpcId]));
    },
    remove: ({ sdk, client }, { id }) => client.send(new sdk.DeleteSecurityGroupCommand({ GroupId: id })),
  },
  {
    name: "subnet",
    list: async ({ sdk, client }, filters) => {
      const pages = await all(sdk.paginateDescribeSubnets({ client }, { Filters: filters }));
      return pages
        .flatMap(({ Subnets = [] }) => Subnets)
        .map(({ SubnetId, CidrBlock, VpcId, Tags }) => found(SubnetId, Tags, [CidrBlock, VpcId]));
    },
    remove: ({ sdk, client }, { id }) => client.send(new sdk.DeleteSubnetCommand({ SubnetId: id })),
  },
  {
    name: "route table",
    list: async ({ sdk, client }, filters) => {
      const pages = await all(sdk.paginateDescribeRouteTables({ client }, { Filters: filters }));
      return pages
        .flatMap(({ RouteTables = [] }) => RouteTables)
        .map(({ RouteTableId, VpcId, Tags }) => found(RouteTableId, Tags, [VpcId]));
    },
    remove: ({ sdk, client }, { id }) => client.send(new sdk.DeleteRouteTableCommand({ RouteTableId: id })),
  },
  {
    name: "internet gateway",
    list: async ({ sdk, client }, filters) => {
      const pages = await all(sdk.paginateDescribeInternetGateways({ client }, { Filters: filters }));
      return pages
        .flatMap(({ InternetGateways = [] }) => InternetGateways)
        .map(({ InternetGatewayId, Attachments = [], Tags }) => {
          const attachedTo = Attachments.flatMap(({ VpcId }) => VpcId ?? []);
          return { ...found(InternetGatewayId, Tags, attachedTo), attachedTo };
        });
    },
    remove: async ({ sdk, client }, { id, attachedTo = [] }) => {
      const InternetGatewayId = id;
      for (const VpcId of attachedTo)
        await client.send(new sdk.DetachInternetGatewayCommand({ InternetGatewayId, VpcId }));
      await client.send(new sdk.DeleteInternetGatewayCommand({ InternetGatewayId }));
    },
  },
  {
    name: "VPC",
    list: async ({ sdk, client }, filters) => {
      const pages = await all(sdk.paginateDescribeVpcs({ client }, { Filters: filters }));
      return pages
        .flatMap(({ Vpcs = [] }) => Vpcs)
        .map(({ VpcId, CidrBlock, Tags }) => found(VpcId, Tags, [CidrBlock]));
    },
    remove: ({ sdk, client }, { id }) => client.send(new sdk.DeleteVpcCommand({ VpcId: id })),
  },
];

async function all<T>(pages: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

function found(
  id: string | undefined,
  given: Tag[] | undefined,
  words: readonly (string | undefined)[],
  since?: Date,
): Ec2Resource {
  const tags = Object.fromEntries((given ?? []).map(({ Key = "", Value = "" }) => [Key, Value]));
  const about = [tags.Name, ...words].filter((word) => word !== undefined && word !== "").join(", ");
  return { id: id as string, about, since, tags };
}
