/** What can be said of a topology before anything is created, without the SDK of who provides it. */
export { ec2Faults } from "./topologies/ec2/ec2-faults";
export { defaultDiskGib } from "./topologies/ec2/ec2-machine-args";
export { cpusOfMachine } from "./topologies/ec2/instance-faults";
export { instanceTypeNamed, type InstanceType } from "./topologies/ec2/instance-type";
export { sshFaults, type SshMachine } from "./topologies/ssh-topology";
export { eksFaults } from "./topologies/eks/eks-faults";
export { eksSystemType } from "./topologies/eks/eks-node-args";
