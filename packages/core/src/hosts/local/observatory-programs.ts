import { onPath } from "./binaries";

/** What an observatory starts on this machine. Debian calls the node exporter otherwise than its authors do. */
export const observatoryPrograms = (): readonly string[] => [
  "prometheus",
  onPath("node_exporter") ? "node_exporter" : "prometheus-node-exporter",
];
