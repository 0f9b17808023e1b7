import { fileOf, type Job, type LiveTarget, type Probe, type TlsProbe } from "../../contract";
import { countersFiles, httpFiles } from "./curl-config";
import { image } from "./image";
import { countersS, handshakeS, probeScript } from "./probe-script";

/** All probes as one job: a script, and the files in which credentials stand. */
export function probeJob(probes: readonly Probe[], target: LiveTarget): Job {
  const script = { "probe.sh": probeScript(probes, `${target.host}:${target.port}`) };
  return {
    image,
    command: ["sh", fileOf("probe.sh")],
    files: Object.assign(script, ...probes.map((probe) => filesOf(probe, target))),
    killAfterS: boundS(probes),
  };
}

function filesOf(probe: Probe, target: LiveTarget): Readonly<Record<string, string>> {
  if (probe.kind === "http") return httpFiles(probe, target);
  if (probe.kind === "counters") return countersFiles(probe);
  return probe.kind === "tls" && probe.resume ? { [`${probe.name}.http`]: closingRequest(target) } : {};
}

/** A request without a credential, after whose answer the server closes. */
function closingRequest({ host, port, requests }: LiveTarget): string {
  const [first] = requests;
  const given = Object.entries(first?.headers ?? {}).find(([name]) => name.toLowerCase() === "host");
  const lines = [`GET ${first?.path ?? "/"} HTTP/1.1`, `Host: ${given?.[1] ?? `${host}:${port}`}`, "Connection: close"];
  return [...lines, "", ""].join("\r\n");
}

/** As if no probe ran beside another: more than it can take, so only a job that hangs is killed. */
function boundS(probes: readonly Probe[]): number {
  return Math.ceil(probes.reduce((sum, probe) => sum + probeBoundS(probe), 10));
}

function probeBoundS(probe: Probe): number {
  if (probe.kind === "pause") return probe.seconds;
  if (probe.kind === "counters") return countersS;
  return probe.kind === "http" ? probe.withinS : tlsBoundS(probe);
}

/** A failed attempt is the last one, so at most two handshakes take all their time. */
const tlsBoundS = ({ resume }: TlsProbe) => (resume ? 2 : 1) * handshakeS;
