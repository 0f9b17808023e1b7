export { LocalHost, type LocalHostArgs } from "./hosts/local/local-host";
export { observatoryPrograms } from "./hosts/local/observatory-programs";
export { LocalTopology, localTopologyFaults, type LocalTopologyArgs } from "./topologies/local-topology";
export { alwaysNeeded, missingBinaries, onPath } from "./hosts/local/binaries";
export { identify, isAlive, type ProcessId } from "./hosts/agent/process";
export { loadLock } from "./hosts/agent/paths";
export { sample, workloadsOf } from "./hosts/agent/sample";
export { placesHere, removePlace, type PlaceHere } from "./hosts/local/places-here";
