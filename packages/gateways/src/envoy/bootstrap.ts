import { bindAddress, type Address, type GatewaySite, type ResolvedScenario } from "@gatebench/core/contract";
import { routePaths } from "../requests";
import { yamlText } from "../yaml-text";
import { authFilters } from "./auth";
import { authorizerCluster, authorizerOf, type AuthorizerOptions } from "./external-auth";
import { limitFilters, limitOfRoute } from "./rate-limit";
import { downstreamTls } from "./tls";
import { extension, typedConfig } from "./typed";

/** The whole envoy.yaml, a static bootstrap. */
export function bootstrap(scenario: ResolvedScenario, site: GatewaySite, authorizer: AuthorizerOptions = {}): string {
  return yamlText({
    admin: { address: listenOn(site.ports.admin as number) },
    static_resources: {
      listeners: [listener(scenario, site, authorizer)],
      clusters: [cluster(scenario, site), ...asked(scenario, site)],
    },
  });
}

const listenOn = (port: number) => ({ socket_address: { address: bindAddress, port_value: port } });

function listener(scenario: ResolvedScenario, site: GatewaySite, authorizer: AuthorizerOptions) {
  return {
    name: "gateway",
    stat_prefix: "gateway",
    address: listenOn(site.ports.entry as number),
    // The kernel spreads connections over the workers, as it does for nginx.
    enable_reuse_port: true,
    tcp_backlog_size: 4096,
    filter_chains: [
      {
        filters: [connectionManager(scenario, site, authorizer)],
        ...(scenario.scheme === "https" ? { transport_socket: downstreamTls(scenario.tls) } : {}),
      },
    ],
  };
}

/** No access log stands here, as in every gateway: disk writes would be measured as latency. */
function connectionManager(scenario: ResolvedScenario, site: GatewaySite, authorizer: AuthorizerOptions) {
  return extension("envoy.filters.network.http_connection_manager", {
    stat_prefix: "gateway",
    codec_type: "HTTP1",
    generate_request_id: false,
    http_filters: [...authFilters(scenario, site, authorizer), ...limitFilters(scenario, site), router],
    route_config: {
      name: "routes",
      // The upstream sees the client's own headers and none of the gateway's, from every gateway.
      request_headers_to_remove: ["x-forwarded-proto"],
      virtual_hosts: [{ name: "gateway", domains: ["*"], routes: routes(scenario) }],
    },
  });
}

const router = extension("envoy.filters.http.router", { dynamic_stats: false, suppress_envoy_headers: true });

function routes(scenario: ResolvedScenario) {
  return routePaths(scenario).map((prefix) => ({
    match: { prefix },
    // No gateway tries again: a second attempt would hide a failure and count twice upstream.
    route: { cluster: "upstreams", prefix_rewrite: "/", timeout: "60s" },
    ...limitOfRoute(scenario),
  }));
}

function cluster({ balancing, upstream }: ResolvedScenario, { upstreams }: GatewaySite) {
  return {
    name: "upstreams",
    type: "STRICT_DNS",
    connect_timeout: "5s",
    load_balancing_policy: { policies: [{ typed_extension_config: policies[balancing] }] },
    circuit_breakers: { thresholds: [unlimited] },
    typed_extension_protocol_options: protocolOptions(upstream.keepAlive),
    load_assignment: { cluster_name: "upstreams", endpoints: [{ lb_endpoints: upstreams.map(endpoint) }] },
  };
}

const policies = {
  "round-robin": extension("envoy.load_balancing_policies.round_robin", {}),
  // By default Envoy compares two upstreams picked at random; all of them is what the scenario asks for.
  "least-connections": extension("envoy.load_balancing_policies.least_request", { selection_method: "FULL_SCAN" }),
};

/** Envoy's default of 1,024 connections and requests would turn a load away that other gateways carry. */
const unlimited = { max_connections: 1_000_000, max_pending_requests: 1_000_000, max_requests: 1_000_000 };

const httpOptions = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

function protocolOptions(keepAlive: boolean) {
  const common = keepAlive ? { idle_timeout: "60s" } : { max_requests_per_connection: 1 };
  return {
    [httpOptions]: typedConfig(httpOptions, {
      explicit_http_config: { http_protocol_options: {} },
      common_http_protocol_options: common,
    }),
  };
}

/** Whom it asks about each request. gRPC is HTTP/2: one connection of each worker carries all its questions. */
function asked(scenario: ResolvedScenario, site: GatewaySite) {
  if (scenario.auth !== "external") return [];
  const authorizer = authorizerOf("envoy", scenario, site);
  return [
    {
      name: authorizerCluster,
      type: "STRICT_DNS",
      connect_timeout: "5s",
      circuit_breakers: { thresholds: [unlimited] },
      typed_extension_protocol_options: {
        [httpOptions]: typedConfig(httpOptions, { explicit_http_config: { http2_protocol_options: {} } }),
      },
      load_assignment: { cluster_name: authorizerCluster, endpoints: [{ lb_endpoints: [endpoint(authorizer)] }] },
    },
  ];
}

const endpoint = ({ host, port }: Address) => ({
  endpoint: { address: { socket_address: { address: host, port_value: port } } },
});
