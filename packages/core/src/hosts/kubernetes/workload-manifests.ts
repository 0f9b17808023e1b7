import { createHash } from "node:crypto";
import type { Input } from "@pulumi/pulumi";
import { fault, type Fault, type Ports, type Readiness, type Workload } from "../../contract";
import { isHostName, referencesIn, substitute, type Values } from "../../contract/reference";
import { hostLabel, identityAnnotation, portName, portsOf } from "../agent/labels";
import { besideAgent, placedOn } from "./placement";
import type { NodePool } from "./cluster";

/** Where a workload finds its files; it may write there too. */
export const workFolder = "/gatebench";

/** Of every pod of a workload: whose it is, and which. */
const ownerLabel = "gatebench/owner";
const workloadLabel = "gatebench/workload";

export const selectorOf = (owner: string, name: string): Readonly<Record<string, string>> => ({
  [ownerLabel]: owner,
  [workloadLabel]: name,
});

/**
 * The Service of ports that were given together. All pods of the host are behind it, and each port has a name only one of
 * them has, be it a workload's or a tool's; kube-proxy translates the address, as it does for everybody.
 */
export const serviceSpec = (agent: string, ports: Ports) => ({
  selector: { [hostLabel]: agent },
  ports: Object.values(ports).map((port) => ({ name: portName(port), port, targetPort: portName(port) })),
});

/** Where a workload stands, and by which names. */
export interface Stand {
  readonly owner: string;
  /** Kubernetes' name of its agent. */
  readonly agent: string;
  readonly pool: NodePool;
  /** Of the Secret that holds its files, its environment, and what of its argv holds values. */
  readonly files: string;
  /** Changes when anything about it does: its pod is replaced. */
  readonly identity: Input<string>;
  /** Its argv: texts that hold values are variables. */
  readonly command: readonly string[];
}

/** What a workload becomes: one pod, on its host's node and no other. */
export function deploymentSpec(workload: Workload, { owner, agent, pool, files, identity, command }: Stand) {
  const labels = selectorOf(owner, workload.name);
  return {
    replicas: 1,
    // The old one must be gone before the new one counts.
    strategy: { type: "Recreate" },
    selector: { matchLabels: labels },
    template: {
      metadata: {
        labels: { ...labels, [hostLabel]: agent },
        annotations: { [identityAnnotation]: identity },
      },
      spec: {
        ...placedOn(pool),
        ...(workload.machineNetwork ? { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" } : {}),
        affinity: besideAgent(agent),
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 2,
        hostAliases: Object.entries(workload.hostEntries ?? {}).map(([host, ip]) => ({ ip, hostnames: [host] })),
        containers: [{ ...containerOf(workload, files), command: [...command] }],
        volumes: [
          { name: "work", emptyDir: {} },
          { name: "files", secret: { secretName: files } },
        ],
      },
    },
  };
}

const containerOf = (workload: Workload, files: string) => ({
  name: workload.name,
  image: workload.image,
  imagePullPolicy: "IfNotPresent",
  env: [
    ...Object.keys(workload.env ?? {}).map((name) => variable(name, files, envKey(name))),
    ...valuedArguments(workload).map((index) => variable(argumentName(index), files, argumentName(index))),
  ],
  workingDir: workFolder,
  ports: portsOf(workload.ports),
  // Its last words, where it ends badly.
  terminationMessagePolicy: "FallbackToLogsOnError",
  resources: resourcesOf(workload),
  ...(workload.readiness ? { readinessProbe: probeOf(workload.readiness) } : {}),
  volumeMounts: [
    { name: "work", mountPath: workFolder },
    ...Object.keys(workload.files ?? {}).map((path) => ({
      ...{ name: "files", mountPath: `${workFolder}/${path}`, subPath: fileKey(path), readOnly: true },
    })),
  ],
});

const variable = (name: string, secret: string, key: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: secret, key } },
});

/** Which texts of an argv hold values: they reach the pod by its Secret, its specification names them only. */
export const valuedArguments = ({ command }: Pick<Workload, "command">): readonly number[] =>
  command.flatMap((text, index) => (referencesIn(text).every(isHostName) ? [] : [index]));
export const argumentName = (index: number): string => `GATEBENCH_ARGUMENT_${index}`;

/** The argv as its specification has it; Kubernetes puts variables in where a text says `$(NAME)`. */
export const shownArgv = (workload: Workload, own: Values): readonly string[] =>
  workload.command.map((text, index) =>
    valuedArguments(workload).includes(index) ? `$(${argumentName(index)})` : substitute(text, own),
  );

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
