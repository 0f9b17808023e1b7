export { EksTopology, type EksTopologyArgs } from "./topologies/eks/eks-topology";
export { eksFaults } from "./topologies/eks/eks-faults";
export type { EksNodeArgs } from "./topologies/eks/eks-node-args";
export * from "./kubernetes";
export { cpusOfMachine } from "./topologies/ec2/instance-faults";
