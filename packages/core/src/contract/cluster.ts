import type { Chart, ClusterDeployment, Manifest } from "./deployment";
import { reference, type Reference } from "./reference";

/** A Service of a cluster, as its name there tells: "upstream-1.rig.svc.cluster.local". */
export interface ServiceName {
  readonly name: string;
  readonly namespace: string;
}

const label = "[a-z]([-a-z0-9]*[a-z0-9])?";
const inCluster = new RegExp(
  `^(?<name>${label})\\.(?<namespace>[a-z0-9]([-a-z0-9]*[a-z0-9])?)\\.svc(\\.[a-z0-9.-]+)?$`,
);

/** The Service behind a host's name; undefined where it is the name of something else. */
export function serviceNamed(host: string): ServiceName | undefined {
  const { name, namespace } = inCluster.exec(host)?.groups ?? {};
  return name === undefined || namespace === undefined ? undefined : { name, namespace };
}

/** What a Service is called anywhere in its cluster. */
export const hostOf = ({ name, namespace }: ServiceName): string => `${name}.${namespace}.svc.cluster.local`;

/** Where only an IP address may stand, such as in an EndpointSlice: that of a host, which its cluster looks up at the start. */
export function ipOf(host: string): Reference {
  const isKnown = /^[\d.]+$/.test(host) || host.includes(":");
  return isKnown ? host : reference(`ip.${host}`);
}

/** Every manifest, in the order in which they are applied. */
export const manifestsOf = ({ before = [], manifests }: ClusterDeployment): readonly Manifest[] => [
  ...before,
  ...manifests,
];

/** The namespaces that a deployment's charts are released in. */
export const namespacesOf = ({ charts }: ClusterDeployment): readonly string[] => [
  ...new Set(charts.map(({ namespace }) => namespace)),
];

/** What a host knows of the nodes for a chart's pods. */
export interface Nodes {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly object[];
  /** Without, the chart's own stand. */
  readonly resources?: object;
}

/** The chart's values with its pods on these nodes. */
export function placed({ values, placement }: Chart, nodes: Nodes): Chart["values"] {
  if (placement === undefined) return values;
  const { nodeSelector, tolerations, resources } = placement;
  const onNodes = withValue(
    withValue(values, nodeSelector.split("."), nodes.nodeSelector),
    tolerations.split("."),
    nodes.tolerations,
  );
  return nodes.resources === undefined ? onNodes : withValue(onNodes, resources.split("."), nodes.resources);
}

function withValue(values: Chart["values"], [key = "", ...rest]: readonly string[], value: unknown): Chart["values"] {
  const inner = (values[key] ?? {}) as Chart["values"];
  return { ...values, [key]: rest.length === 0 ? value : withValue(inner, rest, value) };
}
