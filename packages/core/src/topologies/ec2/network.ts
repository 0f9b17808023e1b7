import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { addressIn, blockOf, type IpBlock } from "./ip-block";
import { firstOffset } from "./place";

export const defaultCidr = "10.77.0.0/24";

/** A subnet that is there already. */
export interface ExistingNetwork {
  readonly vpcId: pulumi.Input<string>;
  /** Reaches the internet, for packages and images, and gives public addresses. */
  readonly subnetId: pulumi.Input<string>;
  /**
   * The first of as many free addresses in the subnet as there are machines, and one for a gateway that may come. The second
   * upstream's is the twelfth, and so on; an observer's the twenty-seventh.
   */
  readonly firstAddress: string;
}

export interface NetworkArgs {
  readonly cidr?: string;
  readonly zone?: string;
  readonly existing?: ExistingNetwork;
  readonly sshFrom: string;
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * One subnet, and who may talk to whom in it: SSH from outside, everything among the machines, everything to the outside.
 */
export class Ec2Network {
  readonly subnetId: pulumi.Input<string>;
  readonly groupId: pulumi.Output<string>;
  /** What machines wait for: without a route their user data finds no packages. */
  readonly routed: readonly pulumi.Resource[];
  readonly #first: IpBlock;

  constructor(
    name: string,
    { cidr = defaultCidr, zone, existing, sshFrom, tags }: NetworkArgs,
    parent: pulumi.Resource,
  ) {
    const made = existing ? undefined : makeNetwork(name, cidr, zone, tags, parent);
    const vpcId = existing?.vpcId ?? (made as Made).vpc.id;
    this.subnetId = existing?.subnetId ?? (made as Made).subnet.id;
    this.groupId = makeGroup(name, vpcId, sshFrom, tags, parent);
    this.routed = made?.routed ?? [];
    this.#first = existing
      ? (blockOf(`${existing.firstAddress}/32`) as IpBlock)
      : { base: (blockOf(cidr) as IpBlock).base + firstOffset, bits: 32 };
  }

  /** That of the n-th place, counted from 0; the same each time the program runs. */
  address(index: number): string {
    return addressIn(this.#first, index);
  }
}

interface Made {
  readonly vpc: aws.ec2.Vpc;
  readonly subnet: aws.ec2.Subnet;
  readonly routed: readonly pulumi.Resource[];
}

function makeNetwork(
  name: string,
  cidr: string,
  zone: string | undefined,
  tags: NetworkArgs["tags"],
  parent: pulumi.Resource,
): Made {
  const named = (part: string) => ({ ...tags, Name: `${name}-${part}` });
  const opts = { parent };
  const vpc = new aws.ec2.Vpc(`${name}-vpc`, { cidrBlock: cidr, enableDnsHostnames: true, tags: named("vpc") }, opts);
  const subnet = new aws.ec2.Subnet(
    `${name}-subnet`,
    { vpcId: vpc.id, cidrBlock: cidr, ...(zone ? { availabilityZone: zone } : {}), tags: named("subnet") },
    opts,
  );
  const internet = new aws.ec2.InternetGateway(`${name}-internet`, { vpcId: vpc.id, tags: named("internet") }, opts);
  const table = new aws.ec2.RouteTable(
    `${name}-routes`,
    { vpcId: vpc.id, routes: [{ cidrBlock: "0.0.0.0/0", gatewayId: internet.id }], tags: named("routes") },
    opts,
  );
  const association = new aws.ec2.RouteTableAssociation(
    `${name}-routes-of-subnet`,
    { subnetId: subnet.id, routeTableId: table.id },
    opts,
  );
  return { vpc, subnet, routed: [association] };
}

function makeGroup(
  name: string,
  vpcId: pulumi.Input<string>,
  sshFrom: string,
  tags: NetworkArgs["tags"],
  parent: pulumi.Resource,
): pulumi.Output<string> {
  const opts = { parent };
  const group = new aws.ec2.SecurityGroup(
    `${name}-group`,
    { vpcId, description: "gatebench: machines of one benchmark", tags: { ...tags, Name: `${name}-group` } },
    opts,
  );
  const rule = { securityGroupId: group.id, tags };
  new aws.vpc.SecurityGroupIngressRule(
    `${name}-ssh`,
    { ...rule, description: "SSH", ipProtocol: "tcp", fromPort: 22, toPort: 22, cidrIpv4: sshFrom },
    opts,
  );
  new aws.vpc.SecurityGroupIngressRule(
    `${name}-within`,
    { ...rule, description: "everything among the machines", ipProtocol: "-1", referencedSecurityGroupId: group.id },
    opts,
  );
  const egress = new aws.vpc.SecurityGroupEgressRule(
    `${name}-out`,
    { ...rule, description: "packages and images", ipProtocol: "-1", cidrIpv4: "0.0.0.0/0" },
    opts,
  );
  return pulumi.all([group.id, egress.id]).apply(([id]) => id);
}
