import { jobMatcher, type QueriedFigure } from "../contract";

/** What a machine's node exporter tells of a run, by the name results have for the machine. */
export function hostFigures(host: string, job: string): readonly QueriedFigure[] {
  const name = host.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const own = jobMatcher([job]);
  return [
    {
      // A machine is never idle: what it does beside the run must not be counted.
      name: `${name}-host-cpu`,
      unit: "cores",
      kind: "gauge",
      query: `sum(rate(node_cpu_seconds_total{${own},mode!~"${notBusy}"}[$window]))`,
    },
    {
      name: `${name}-host-memory`,
      unit: "bytes",
      kind: "gauge",
      query: `node_memory_MemTotal_bytes{${own}} - node_memory_MemAvailable_bytes{${own}}`,
    },
  ];
}

/** Modes of a CPU that does nothing for this machine, as our own samples reckon, too. */
export const notBusy = "idle|iowait|steal";
