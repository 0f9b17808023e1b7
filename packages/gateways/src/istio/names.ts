/** Of the gateway's release, and so of its Service and Deployment. */
export const release = "istio-ingressgateway";
/** Where the gateway stands, and everything that is said to it alone. */
export const namespace = "istio-ingress";
/** Where Istio's control plane stands; its charts take no other name without being told everywhere. */
export const system = "istio-system";
/** How the gateway's chart labels its pods: the release's name without "istio-". */
export const labels = { istio: "ingressgateway" } as const;
/** What stands for our upstreams and our authorizer in Istio's registry. */
export const upstreamsHost = "upstreams.gatebench.internal";
export const authorizerHost = "authorizer.gatebench.internal";
/** Ports of those two in the registry; where they really listen, their endpoints say. */
export const upstreamsPort = 80;
export const authorizerPort = 50_051;
/** The provider of authorization that a policy names. */
export const provider = "authorizer";
/** The prefix of the gateway's statistics. */
export const server = "gatebench";

/** An object of the gateway's own namespace. */
export const resource = (apiVersion: string, kind: string, name: string, spec: object) => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
  spec,
});
