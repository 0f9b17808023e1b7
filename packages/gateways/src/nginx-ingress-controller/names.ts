/** The release's name, which its chart puts before the names of what it makes. */
export const release = "nginx-ingress";
export const namespace = "nginx-ingress";
export const service = `${release}-controller`;
export const ingressClass = "nginx";
/** Of the VirtualServer, and of the only destination in it. */
export const virtualServerName = "gatebench";
export const upstreamName = "upstreams";
/** Answered by nginx itself, so that it tells of nothing but the VirtualServer's arrival. */
export const readyPath = "/gatebench-ready";

export const metadata = (name: string) => ({ name, namespace });

/** A Secret of a type that the controller knows. */
export const secret = (name: string, type: string, stringData: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: metadata(name),
  type,
  stringData,
});
