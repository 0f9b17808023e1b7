import {
  fault,
  FaultError,
  ipOf,
  serviceNamed,
  type Address,
  type GatewaySite,
  type Manifest,
  type ResolvedScenario,
} from "@gatebench/core/contract";
import { metadata, upstreamName } from "./names";

/**
 * The VirtualServer's only upstream.
 *
 * An upstream there is a Service, never an address. One that stands behind a Service is named by that, in whatever
 * namespace: nginx then goes straight to its pods. Anything else gets a Service of ours, whose endpoints are the
 * addresses. ExternalName would be shorter and is NGINX Plus only.
 */
export function upstream(scenario: ResolvedScenario, { upstreams }: GatewaySite) {
  const { service, port } = serviceOf(upstreams);
  return {
    name: upstreamName,
    service,
    port,
    "lb-method": scenario.balancing === "least-connections" ? "least_conn" : "round_robin",
    // No gateway takes an upstream out after failures.
    "max-fails": 0,
    // No gateway tries again: a second attempt would hide a failure and count twice upstream.
    "next-upstream": "off",
    "read-timeout": "60s",
    // As many idle connections as any load here has; with 0 each request says "Connection: close".
    keepalive: scenario.upstream.keepAlive ? 512 : 0,
  };
}

function serviceOf(upstreams: readonly Address[]): { readonly service: string; readonly port: number } {
  const found = named(upstreams);
  const port = onePort(upstreams);
  return { service: found ? `${found.namespace}/${found.name}` : upstreamName, port };
}

/** Several are several Services, of which an upstream can name one. */
const named = ([first, ...others]: readonly Address[]) =>
  first !== undefined && others.length === 0 ? serviceNamed(first.host) : undefined;

/** A Service without a selector and the addresses behind it, where there is no Service to name. */
export function endpoints({ upstreams }: GatewaySite): readonly Manifest[] {
  if (named(upstreams)) return [];
  const ports = [{ name: "http", port: onePort(upstreams), protocol: "TCP" }];
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: metadata(upstreamName),
      spec: { type: "ClusterIP", ports: ports.map((one) => ({ ...one, targetPort: one.port })) },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata(upstreamName), labels: { "kubernetes.io/service-name": upstreamName } },
      addressType: "IPv4",
      ports,
      // The controller passes over what does not say that it is ready.
      endpoints: upstreams.map(({ host }) => ({ addresses: [ipOf(host)], conditions: { ready: true } })),
    },
  ];
}

/** The controller looks for endpoints on the Service's one port; those on others would never be asked. */
function onePort(upstreams: readonly Address[]): number {
  const ports = [...new Set(upstreams.map(({ port }) => port))];
  if (ports.length === 1) return ports[0] as number;
  throw new FaultError([
    fault(
      "unsupported-policy",
      `nginx-ingress-controller cannot balance over upstreams on the ports ${ports.join(", ")}: all are endpoints of one Service, which has one port. Let them listen on the same port, or leave nginx-ingress-controller out of this row of the matrix.`,
    ),
  ]);
}
