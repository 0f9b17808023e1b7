/** Of every container we start: the folder it works in. */
export const folderLabel = "gatebench.folder";
/** And the place that folder belongs to, so that Docker alone can find all of a place. */
export const placeLabel = "gatebench.place";

/** Of every pod of a host in a cluster: its agent's name. */
export const hostLabel = "gatebench/host";
/** Of a workload's pod: changes when anything about it does. */
export const identityAnnotation = "gatebench/identity";

/** Ports of a pod; no other pod of its host has one of the same name. */
export const portsOf = (ports: Readonly<Record<string, number>>) =>
  Object.values(ports).map((port) => ({ name: portName(port), containerPort: port }));
export const portName = (port: number): string => `p${port}`;
