import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { addressIn, blockOf, type IpBlock } from "../ec2/ip-block";

export const defaultCidr = "10.76.0.0/16";

export interface EksNetwork {
  readonly vpcId: pulumi.Output<string>;
  /** In two zones: the control plane wants them. */
  readonly subnetIds: readonly pulumi.Output<string>[];
  /** What nodes wait for: without a route they find no images. */
  readonly routed: readonly pulumi.Resource[];
}

export interface EksNetworkArgs {
  readonly cidr?: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** A network with a way out and no translator of addresses: nodes have public addresses, and nobody is let in. */
export function makeEksNetwork(
  name: string,
  { cidr = defaultCidr, tags }: EksNetworkArgs,
  parent: pulumi.Resource,
): EksNetwork {
  const opts = { parent };
  const named = (part: string) => ({ ...tags, Name: `${name}-${part}` });
  const vpc = new aws.ec2.Vpc(
    `${name}-vpc`,
    { cidrBlock: cidr, enableDnsHostnames: true, enableDnsSupport: true, tags: named("vpc") },
    opts,
  );
  const internet = new aws.ec2.InternetGateway(`${name}-internet`, { vpcId: vpc.id, tags: named("internet") }, opts);
  const table = new aws.ec2.RouteTable(
    `${name}-routes`,
    { vpcId: vpc.id, routes: [{ cidrBlock: "0.0.0.0/0", gatewayId: internet.id }], tags: named("routes") },
    opts,
  );
  const zones = aws.getAvailabilityZonesOutput({ state: "available" }, opts).names;
  const halves = halvesOf(cidr).map((cidrBlock, index) => {
    const subnet = new aws.ec2.Subnet(
      `${name}-subnet-${index + 1}`,
      {
        vpcId: vpc.id,
        cidrBlock,
        availabilityZone: zones.apply((names) => names[index] as string),
        mapPublicIpOnLaunch: true,
        tags: named(`subnet-${index + 1}`),
      },
      opts,
    );
    const association = new aws.ec2.RouteTableAssociation(
      `${name}-routes-of-subnet-${index + 1}`,
      { subnetId: subnet.id, routeTableId: table.id },
      opts,
    );
    return { subnet, association };
  });
  return {
    vpcId: vpc.id,
    subnetIds: halves.map(({ subnet }) => subnet.id),
    routed: halves.map(({ association }) => association),
  };
}

/** All of a network in two of the same size. */
function halvesOf(cidr: string): readonly [string, string] {
  const block = blockOf(cidr) as IpBlock;
  const bits = block.bits + 1;
  return [`${addressIn(block, 0)}/${bits}`, `${addressIn(block, 2 ** (32 - bits))}/${bits}`];
}
