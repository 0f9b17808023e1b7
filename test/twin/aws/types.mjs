/** Type tokens of the resources the twin carries. */
export const VPC = "aws:ec2/vpc:Vpc";
export const SUBNET = "aws:ec2/subnet:Subnet";
export const GATEWAY = "aws:ec2/internetGateway:InternetGateway";
export const TABLE = "aws:ec2/routeTable:RouteTable";
export const ROUTE = "aws:ec2/route:Route";
export const ASSOCIATION = "aws:ec2/routeTableAssociation:RouteTableAssociation";
export const GROUP = "aws:ec2/securityGroup:SecurityGroup";
export const INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
export const EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule";
export const KEY_PAIR = "aws:ec2/keyPair:KeyPair";
export const PLACEMENT_GROUP = "aws:ec2/placementGroup:PlacementGroup";
export const INSTANCE = "aws:ec2/instance:Instance";
export const ROLE = "aws:iam/role:Role";
export const ROLE_POLICY = "aws:iam/rolePolicyAttachment:RolePolicyAttachment";
export const EKS_CLUSTER = "aws:eks/cluster:Cluster";
export const NODE_GROUP = "aws:eks/nodeGroup:NodeGroup";
