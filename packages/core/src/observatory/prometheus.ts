import { bindAddress, fileOf, folder, type Workload } from "../contract";
import { prometheusImage } from "./images";

/** A day, longer than any benchmark; everything goes with the workload's folder. */
const keptFor = "24h";

/** Prometheus with a configuration of ours, its samples in its own folder. */
export function prometheus(configuration: string, port: number, { remoteWrite = false } = {}): Workload {
  return {
    name: "prometheus",
    role: "observer",
    image: prometheusImage,
    versionCommand: ["prometheus", "--version"],
    command: [
      "prometheus",
      `--config.file=${fileOf("prometheus.yaml")}`,
      `--storage.tsdb.path=${folder}/samples`,
      `--storage.tsdb.retention.time=${keptFor}`,
      `--web.listen-address=${bindAddress}:${port}`,
      // Times that generators send are native histograms, which older versions take only when told so.
      ...(remoteWrite ? ["--web.enable-remote-write-receiver", "--enable-feature=native-histograms"] : []),
      "--log.level=warn",
    ],
    files: { "prometheus.yaml": configuration },
    ports: { prometheus: port },
    readiness: { port, path: "/-/ready", within: "30s" },
  };
}
