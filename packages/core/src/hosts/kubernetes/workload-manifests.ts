import { createHash } from "node:crypto";
import type { Input } from "@pulumi/pulumi";
import { fault, secondsOf, type Fault, type Ports, type Readiness, type Workload } from "../../contract";
import { besideAgent, placedOn } from "./placement";
import type { NodePool } from "./cluster";

/** Where a workload finds its files; it may write there too. */
export const workFolder = "/gatebench";

/** Of every pod of a workload: whose it is, which, and the Service it answers behind. */
const ownerLabel = "gatebench/owner";
const workloadLabel = "gatebench/workload";
const serviceLabel = "gatebench/service";

export const selectorOf = (owner: string, name: string): Readonly<Record<string, string>> => ({
  [ownerLabel]: owner,
  [workloadLabel]: name,
});

/**
 * The Service of ports that were given together. Each has a name only one of the pods behind it has, so that it leads to
 * that one; kube-proxy translates the address, as it does for everybody.
 */
export const serviceSpec = (service: string, ports: Ports) => ({
  selector: { [serviceLabel]: service },
  ports: Object.values(ports).map((port) => ({ name: portName(port), port, targetPort: portName(port) })),
});

const portName = (port: number): string => `p${port}`;

/** Where a workload stands, and by which names. */
export interface Stand {
  readonly owner: string;
  /** Behind which its ports are; none where it has no ports. */
  readonly service: string | undefined;
  /** Kubernetes' name of its agent. */
  readonly agent: string;
  readonly pool: NodePool;
  /** Of the ConfigMap or Secret that holds its files. */
  readonly files: string;
  /** Changes when anything about it does: its pod is replaced. */
  readonly identity: Input<string>;
  /** Its argv, values put in. */
  readonly command: Input<readonly string[]>;
}

/** What a workload becomes: one pod, on its host's node and no other. */
export function deploymentSpec(workload: Workload, { owner, service, agent, pool, files, identity, command }: Stand) {
  const labels = selectorOf(owner, workload.name);
  return {
    replicas: 1,
    // The old one must be gone before the new one counts.
    strategy: { type: "Recreate" },
    // Its image may have to come first.
    progressDeadlineSeconds: pullWithinS + withinOf(workload.readiness),
    selector: { matchLabels: labels },
    template: {
      metadata: {
        labels: { ...labels, ...(service === undefined ? {} : { [serviceLabel]: service }) },
        annotations: { "gatebench/identity": identity },
      },
      spec: {
        ...placedOn(pool),
        affinity: besideAgent(agent),
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 2,
        hostAliases: Object.entries(workload.hostEntries ?? {}).map(([host, ip]) => ({ ip, hostnames: [host] })),
        containers: [{ ...containerOf(workload, files), command: command as Input<string[]> }],
        volumes: [
          { name: "work", emptyDir: {} },
          { name: "files", secret: { secretName: files } },
        ],
      },
    },
  };
}

const pullWithinS = 600;
const withinOf = (readiness: Readiness | undefined): number => secondsOf(readiness?.within ?? "15s");

const containerOf = (workload: Workload, files: string) => ({
  name: workload.name,
  image: workload.image,
  imagePullPolicy: "IfNotPresent",
  env: Object.keys(workload.env ?? {}).map((name) => ({
    name,
    valueFrom: { secretKeyRef: { name: files, key: envKey(name) } },
  })),
  workingDir: workFolder,
  ports: Object.values(workload.ports).map((port) => ({ name: portName(port), containerPort: port })),
  resources: resourcesOf(workload),
  ...(workload.readiness ? { readinessProbe: probeOf(workload.readiness) } : {}),
  volumeMounts: [
    { name: "work", mountPath: workFolder },
    ...Object.keys(workload.files ?? {}).map((path) => ({
      ...{ name: "files", mountPath: `${workFolder}/${path}`, subPath: fileKey(path), readOnly: true },
    })),
  ],
});

/**
 * A limit throttles: there is one only where the workload asks for it. What is requested is a share, small enough to fit
 * beside what the node keeps for itself: its node is the host's alone.
 */
function resourcesOf({ limits = {} }: Workload) {
  const limited = Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)]));
  return { requests: { cpu: limits.cpu === undefined ? "50m" : String(Math.min(limits.cpu, 0.05)) }, limits: limited };
}

/** Kept apart from readiness as we know it: a kubelet takes any status from 200 to 399 for well. */
function probeOf({ port, path, scheme = "http", status = 200 }: Readiness) {
  const asked = path !== undefined && status >= 200 && status < 400;
  return {
    ...(asked ? { httpGet: { port, path, scheme: scheme.toUpperCase() } } : { tcpSocket: { port } }),
    periodSeconds: 1,
    failureThreshold: 1,
    timeoutSeconds: 5,
  };
}

/** Keys of the Secret: a path has characters a key may not have. */
export const fileKey = (path: string): string => `file-${createHash("sha256").update(path).digest("hex").slice(0, 16)}`;
export const envKey = (name: string): string => `env-${name}`;

/** What no pod can be given is refused, never left out. */
export function podFaults(workload: Pick<Workload, "name" | "cpuset" | "dockerfile">, host: string): readonly Fault[] {
  return workload.cpuset === undefined
    ? []
    : [
        fault(
          "unsupported-host",
          `workload ${workload.name} asks for a cpuset, and a pod of ${host} has none. Leave it out, or give it limits.cpu.`,
        ),
      ];
}
