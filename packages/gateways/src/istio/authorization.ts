import { secondsOf, type Duration } from "@gatebench/core/contract";
import { tokenCookie } from "../requests";
import { authorizerHost, authorizerPort, labels, provider, resource } from "./names";

/** How the gateway asks its authorizer. */
export interface AuthorizerOptions {
  /**
   * How long it waits for a decision. Istio's own default is ten minutes.
   * @default "250ms"
   */
  readonly timeout?: Duration;
  /**
   * Whether requests pass that nobody decided about, as where the authorizer is overloaded. Closed, they get 403.
   * @default false
   */
  readonly failOpen?: boolean;
}

/** Of the mesh: over gRPC all headers go along. */
export const extensionProviders = ({ timeout = "250ms", failOpen = false }: AuthorizerOptions) => [
  {
    name: provider,
    envoyExtAuthzGrpc: {
      service: authorizerHost,
      port: authorizerPort,
      timeout: `${secondsOf(timeout)}s`,
      failOpen,
      statusOnError: "403",
    },
  },
];

/** Every route is asked about. */
export const authorizationPolicy = () =>
  resource("security.istio.io/v1", "AuthorizationPolicy", "ask-authorizer", {
    selector: { matchLabels: labels },
    action: "CUSTOM",
    provider: { name: provider },
    rules: [{ to: [{ operation: { paths: ["/route-*"] } }] }],
  });

/** The authorizer looks for a token in the Authorization header only. It goes on to the upstream there, too. */
export const tokenFromCookie = (port: number) => ({
  applyTo: "HTTP_FILTER",
  match: {
    context: "GATEWAY",
    listener: {
      portNumber: port,
      filterChain: {
        filter: {
          name: "envoy.filters.network.http_connection_manager",
          subFilter: { name: "envoy.filters.http.ext_authz" },
        },
      },
    },
  },
  patch: {
    // Before it, or the authorizer would be asked about a request without a token.
    operation: "INSERT_BEFORE",
    value: {
      name: "envoy.filters.http.lua",
      typed_config: {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
        default_source_code: { inline_string: script },
      },
    },
  },
});

/** A cookie's name begins where the header does or behind a semicolon: "xs_access" is another cookie. */
const script = `function envoy_on_request(request)
  local cookies = request:headers():get("cookie")
  if cookies == nil then return end
  local token = string.match("; " .. cookies, "[; ]${tokenCookie}=([^; ]+)")
  if token ~= nil then request:headers():replace("authorization", "Bearer " .. token) end
end
`;
