/** Protobuf types of the extensions used here, by the extension's name. */
const types = {
  "envoy.filters.network.http_connection_manager":
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
  "envoy.filters.http.router": "envoy.extensions.filters.http.router.v3.Router",
  "envoy.filters.http.api_key_auth": "envoy.extensions.filters.http.api_key_auth.v3.ApiKeyAuth",
  "envoy.filters.http.basic_auth": "envoy.extensions.filters.http.basic_auth.v3.BasicAuth",
  "envoy.filters.http.ext_authz": "envoy.extensions.filters.http.ext_authz.v3.ExtAuthz",
  "envoy.filters.http.lua": "envoy.extensions.filters.http.lua.v3.Lua",
  "envoy.filters.http.local_ratelimit": "envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit",
  "envoy.load_balancing_policies.round_robin": "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin",
  "envoy.load_balancing_policies.least_request":
    "envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest",
  "envoy.transport_sockets.tls": "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
  "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
} as const;

export type ExtensionName = keyof typeof types;

/** The configuration of an extension with its type, as Envoy wants it. */
export const typedConfig = (name: ExtensionName, config: object) => ({
  "@type": `type.googleapis.com/${types[name]}`,
  ...config,
});

/** A named extension with its configuration. */
export const extension = (name: ExtensionName, config: object) => ({ name, typed_config: typedConfig(name, config) });
