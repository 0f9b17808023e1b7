export {
  KubernetesTopology,
  kubernetesFaults,
  type KubernetesTopologyArgs,
} from "./topologies/kubernetes/kubernetes-topology";
export { defaultNamespace, poolFaults, type NodePoolArgs, type Pools } from "./topologies/kubernetes/pools";
export { KubernetesHost, type KubernetesHostArgs } from "./hosts/kubernetes/kubernetes-host";
export type { Cluster, NodePool, Taint } from "./hosts/kubernetes/cluster";
export { clusterPrograms } from "./hosts/agent/cluster-client";
