import { bindAddress, type Workload } from "../contract";
import { nodeExporterImage } from "./images";

/** What dashboards and figures ask for and no more: what nobody reads would still cost a scrape. */
const collectors = ["cpu", "meminfo", "netdev", "netstat", "stat"];

/** Debian calls the program otherwise than its authors do. */
const debianName = "prometheus-node-exporter";
const whicheverIsThere = `exec "$(command -v node_exporter || command -v ${debianName})" "$@"`;

/**
 * Tells Prometheus what a whole machine does. Everything these collectors read is the machine's own in a container, too,
 * where that has the machine's network.
 */
export function nodeExporter(port: number): Workload {
  return {
    name: "node-exporter",
    role: "observer",
    image: nodeExporterImage,
    programs: [debianName],
    command: [
      ...["sh", "-c", whicheverIsThere, "sh"],
      `--web.listen-address=${bindAddress}:${port}`,
      "--web.disable-exporter-metrics",
      "--collector.disable-defaults",
      ...collectors.map((name) => `--collector.${name}`),
      "--log.level=warn",
    ],
    machineNetwork: true,
    ports: { "node-exporter": port },
    readiness: { port, path: "/metrics" },
  };
}
