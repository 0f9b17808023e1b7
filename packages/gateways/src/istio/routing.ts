import type { Address, GatewaySite, ResolvedScenario } from "@gatebench/core/contract";
import { routePaths } from "../requests";
import { authorizerHost, authorizerPort, labels, resource, server, upstreamsHost, upstreamsPort } from "./names";
import { serverTls } from "./tls";

const networking = "networking.istio.io/v1";

/** What listens: traffic's port, and one beside it that says that all of this has arrived. */
export const listeners = ({ scheme, tls }: ResolvedScenario, { ports }: GatewaySite) => [
  gateway("entry", {
    // Its name is the prefix of its statistics.
    name: server,
    port: { number: ports.entry, name: scheme, protocol: scheme.toUpperCase() },
    hosts: ["*"],
    ...(scheme === "https" ? { tls: serverTls(tls) } : {}),
  }),
  gateway("ready", {
    name: "ready",
    port: { number: ports.ready, name: "http-ready", protocol: "HTTP" },
    hosts: ["*"],
  }),
  resource(networking, "VirtualService", "ready", {
    hosts: ["*"],
    gateways: ["ready"],
    http: [{ name: "ready", directResponse: { status: 200, body: { string: "ready\n" } } }],
  }),
];

const gateway = (name: string, one: object) =>
  resource(networking, "Gateway", name, { selector: labels, servers: [one] });

export const routes = (scenario: ResolvedScenario) =>
  resource(networking, "VirtualService", "routes", {
    hosts: ["*"],
    gateways: ["entry"],
    http: routePaths(scenario).map((prefix, index) => ({
      name: `route-${index + 1}`,
      match: [{ uri: { prefix } }],
      rewrite: { uri: "/" },
      route: [{ destination: { host: upstreamsHost, port: { number: upstreamsPort } } }],
      timeout: "60s",
      // No gateway tries again: a second attempt would hide a failure and count twice upstream. Istio's default is two.
      retries: { attempts: 0 },
      // The upstream sees the client's own headers and none of the gateway's, from every gateway.
      headers: { request: { remove: ownHeaders } },
    })),
  });

const ownHeaders = ["x-forwarded-for", "x-forwarded-proto", "x-envoy-internal", "x-envoy-external-address"];

/** All of them as one destination, each with a port of its own: Services, pods and machines alike. */
export const upstreams = ({ upstreams }: GatewaySite) =>
  destination("upstreams", { host: upstreamsHost, port: upstreamsPort, protocol: "HTTP", endpoints: upstreams });

/** Its port says that it speaks gRPC, which whoever started it may not have said. */
export const authorizer = (address: Address) =>
  destination("authorizer", { host: authorizerHost, port: authorizerPort, protocol: "GRPC", endpoints: [address] });

interface Destination {
  readonly host: string;
  readonly port: number;
  readonly protocol: "HTTP" | "GRPC";
  readonly endpoints: readonly Address[];
}

function destination(name: string, { host, port: number, protocol, endpoints }: Destination) {
  const portName = protocol.toLowerCase();
  return resource(networking, "ServiceEntry", name, {
    hosts: [host],
    // No sidecar stands there: plain HTTP, not Istio's own TLS.
    location: "MESH_EXTERNAL",
    resolution: "DNS",
    ports: [{ number, name: portName, protocol }],
    endpoints: endpoints.map(({ host: address, port }) => ({ address, ports: { [portName]: port } })),
  });
}

export const balancing = ({ balancing, upstream }: ResolvedScenario) =>
  resource(networking, "DestinationRule", "upstreams", {
    host: upstreamsHost,
    trafficPolicy: {
      loadBalancer: { simple: balancing === "least-connections" ? "LEAST_REQUEST" : "ROUND_ROBIN" },
      connectionPool: {
        http: {
          // HTTP/1.1 to the upstream, as from every gateway.
          h2UpgradePolicy: "DO_NOT_UPGRADE",
          // As many connections as any load here has, closed after as long as with every gateway.
          ...(upstream.keepAlive ? { idleTimeout: "60s" } : { maxRequestsPerConnection: 1 }),
        },
      },
    },
  });
