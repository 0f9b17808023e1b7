export { LocalHost, type LocalHostArgs } from "./hosts/local/local-host";
export { LocalTopology, type LocalTopologyArgs } from "./topologies/local-topology";
export { missingBinaries } from "./hosts/local/binaries";
