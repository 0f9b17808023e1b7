export { Ec2Topology, type Ec2TopologyArgs } from "./topologies/ec2/ec2-topology";
export type { Ec2Machine } from "./topologies/ec2/ec2-machine";
export type { Ec2MachineArgs } from "./topologies/ec2/ec2-machine-args";
export { ec2Faults } from "./topologies/ec2/ec2-faults";
export { cpusOfMachine } from "./topologies/ec2/instance-faults";
export type { ExistingNetwork } from "./topologies/ec2/network";
export type { SshKey } from "./topologies/ec2/ssh-key";
